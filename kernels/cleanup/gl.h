// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up in OpenGL compute shaders. All calls are made on the thread where the device's context is current.
#pragma once

#include "kernels/cleanup/cleanup.h"

namespace vigil::cleanup {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Cleanup> make_gl(Device &, int width, int height);

} // namespace vigil::cleanup
