// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_compute_mapping.cpp in builds without OpenGL.
#include "gst/memory/gl_compute_mapping.h"

#include "common/error.h"

namespace vigil::gst {

std::shared_ptr<Device> open_gl_compute(GlContext &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}
void follow_textures(GlContext &, GstBuffer *) {}
std::unique_ptr<FrameMapping> make_texture_copies(Device &, const FrameKind &) {
  return nullptr; // there is no such device
}

} // namespace vigil::gst
