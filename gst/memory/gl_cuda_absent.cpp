// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_cuda.cpp in builds without OpenGL or without CUDA.
#include "gst/memory/gl_cuda.h"

namespace vigil::gst {

bool gl_reaches_cuda(GstBuffer *, Device &) {
  return false;
}
bool copy_from_gl(GstBuffer *, const GstVideoInfo &, Device &, const Image &, Queue &) {
  return false;
}
bool copy_to_gl(GstBuffer *, const GstVideoInfo &, Device &, const ConstImage &, Queue &) {
  return false;
}

struct CopyToGl::Begun {};
CopyToGl::CopyToGl() = default;
CopyToGl::~CopyToGl() = default;
bool CopyToGl::begin(GstBuffer *, const GstVideoInfo &, Device &, const ConstImage &, Queue &, Event &) {
  return false;
}
void CopyToGl::end() {}

} // namespace vigil::gst
