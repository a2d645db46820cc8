// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_context.cpp, gl_mapping.cpp and gl_compute_mapping.cpp in builds without OpenGL.
#include "common/error.h"
#include "gst/memory/gl_compute_mapping.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_mapping.h"

namespace vigil::gst {

bool is_gl_memory(GstBuffer *) {
  return false;
}
bool is_gl_pool(GstBufferPool *) {
  return false;
}
void propose_gl_sync(GstQuery *) {}
bool takes_gl_sync(GstQuery *) {
  return false;
}
void GlContext::offered(GstContext *) {}
bool GlContext::answer(GstQuery *) {
  return false;
}
void GlContext::close() {}
GstBufferPool *GlContext::make_pool(GstCaps *, guint, guint &, bool) {
  return nullptr;
}

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

std::shared_ptr<Device> open_gl_compute(GlContext &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}
void follow_textures(GlContext &, GstBuffer *) {}
std::unique_ptr<FrameMapping> make_texture_copies(Device &, const FrameKind &) {
  return nullptr; // there is no such device
}

} // namespace vigil::gst
