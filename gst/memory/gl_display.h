// SPDX-License-Identifier: LGPL-2.1-or-later
// Two pipelines of one process on the same EGL device.
//
// Each pipeline gets a GstGLDisplay of its own, but EGL has one EGLDisplay for a device
// (GST_GL_WINDOW=egl-device), and GStreamer terminates it with the first pipeline that goes: the contexts of
// the others are then lost ("Failed to activate the GL Context", "Failed to create a OpenGL context:
// EGL_SUCCESS") or the driver crashes in eglTerminate. Seen with GStreamer 1.22 on Mesa 22.3, without any
// element of ours; with an eglTerminate that does nothing all is well.
#pragma once

#include <gst/gl/gl.h>

namespace vigil::gst {

// Lets the EGLDisplay of a display on an EGL device live to the end of the process, as there is one a device
// anyway. To be called before there is a context on the display; later, and for other displays, which own
// their connection, it does nothing.
void keep_egl_device(GstGLDisplay *);

} // namespace vigil::gst
