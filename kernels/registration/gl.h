// SPDX-License-Identifier: LGPL-2.1-or-later
// Registration in OpenGL compute shaders. All calls are made on the thread where the device's context is
// current.
#pragma once

#include "kernels/registration/registration.h"

namespace vigil::registration {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Registration> make_gl(Device &);
// border.h
void fill_border_gl(Device &, const Image &, int pixels, Queue &);

} // namespace vigil::registration
