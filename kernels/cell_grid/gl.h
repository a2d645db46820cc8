// SPDX-License-Identifier: LGPL-2.1-or-later
// Counting in an OpenGL compute shader. All calls are made on the thread where the device's context is
// current.
#pragma once

#include "kernels/cell_grid/cell_grid.h"

namespace vigil::cell_grid {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Counter> make_gl(Device &);

} // namespace vigil::cell_grid
