// SPDX-License-Identifier: LGPL-2.1-or-later
// Connected components in OpenGL compute shaders. All calls are made on the thread where the device's
// context is current.
#pragma once

#include "kernels/blobs/blobs.h"

namespace vigil::blobs {

// Throws Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Finder> make_gl(Device &, const Config &);

} // namespace vigil::blobs
