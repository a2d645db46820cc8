// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure (exposure.h) of frames in buffers, in OpenGL compute shaders. All calls are made on the thread
// where the device's context is current. (gl.h is for textures.)
#pragma once

#include "kernels/exposure/exposure.h"

namespace vigil::exposure {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Exposure> make_gl(Device &);

} // namespace vigil::exposure
