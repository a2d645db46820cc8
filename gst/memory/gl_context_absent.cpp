// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_context.cpp in builds without OpenGL.
#include "gst/memory/gl_context.h"

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

} // namespace vigil::gst
