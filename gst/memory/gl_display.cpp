// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_display.h"

#if GST_GL_HAVE_PLATFORM_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif

namespace vigil::gst {

void keep_egl_device([[maybe_unused]] GstGLDisplay *display) {
#if GST_GL_HAVE_PLATFORM_EGL
  if (gst_gl_display_get_handle_type(display) != GST_GL_DISPLAY_TYPE_EGL_DEVICE ||
      g_object_get_data(G_OBJECT(display), GST_GL_DISPLAY_EGL_NAME))
    return;
  // What gst_gl_display_egl_from_gl_display() would put there, except for an EGLDisplay that is the
  // application's own: such a one is not terminated.
  gpointer egl =
      gst_gl_display_egl_get_from_native(GST_GL_DISPLAY_TYPE_EGL_DEVICE, gst_gl_display_get_handle(display));
  if (egl)
    g_object_set_data_full(G_OBJECT(display), GST_GL_DISPLAY_EGL_NAME,
                           gst_gl_display_egl_new_with_egl_display(egl), gst_object_unref);
#endif
}

} // namespace vigil::gst
