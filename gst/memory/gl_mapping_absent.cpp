// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_mapping.cpp in builds without OpenGL.
#include "gst/memory/gl_mapping.h"

#include "common/error.h"

namespace vigil::gst {

std::shared_ptr<Device> open_gl_device(GlContext &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}
std::shared_ptr<Device> follow_gl_device(GlContext &context, GstBuffer *) {
  return open_gl_device(context);
}
bool is_software(const Device &) {
  return false;
}
bool is_in_other_gl(GstBuffer *, const Device &) {
  return false;
}
bool works_in(const GlContext &, const Device &) {
  return false;
}
std::unique_ptr<FrameMapping> make_gl_mapping(Device &, const FrameKind &, Device *) {
  return nullptr; // there is no such device
}

} // namespace vigil::gst
