// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of opencl_gl_mapping.cpp in builds without OpenGL, where no frame is in a texture.
#include "common/error.h"
#include "gst/memory/opencl_gl_mapping.h"

namespace vigil::gst {

bool ClGlSharing::is_new(GstBuffer *, const ClDevice &) {
  return false;
}
void ClGlSharing::follow(GstBuffer *, const ClDevice &) {}
ClDevice *ClGlSharing::device() const {
  return nullptr;
}
void ClGlSharing::close() noexcept {}
std::unique_ptr<FrameMapping> make_texture_mapping(std::shared_ptr<ClGlContexts>, const FrameKind &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}

} // namespace vigil::gst
