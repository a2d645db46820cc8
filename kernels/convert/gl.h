// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversion in an OpenGL compute shader. All calls are made on the thread where the device's context is
// current.
#pragma once

#include "kernels/convert/rgba.h"

namespace vigil::convert {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Converter> make_gl(Device &);

} // namespace vigil::convert
