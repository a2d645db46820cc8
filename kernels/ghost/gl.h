// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums along outlines in an OpenGL compute shader. All calls are made on the thread where the device's
// context is current.
#pragma once

#include "kernels/ghost/contour_features.h"

namespace vigil::ghost {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<ContourFeatures> make_gl(Device &);

} // namespace vigil::ghost
