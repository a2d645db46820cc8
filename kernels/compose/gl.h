// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in an OpenGL compute shader. All calls are made on the thread where the device's context is
// current.
#pragma once

#include "kernels/compose/compose.h"

namespace vigil::compose {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Composer> make_gl(Device &);

} // namespace vigil::compose
