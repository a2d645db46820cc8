// SPDX-License-Identifier: LGPL-2.1-or-later
// The model in OpenGL compute shaders, precision single and compact. All calls are made on the thread
// where the device's context is current; they leave the state that others see there as it was.
#pragma once

#include "kernels/mog/mog.h"

#include <memory>

namespace vigil::mog {

// Throws Error::no_device when built without OpenGL or the device lacks something, which is then named;
// Error::bad_setting for precision double, which OpenGL ES has not.
std::unique_ptr<Model> make_gl(Device &, const Config &);

} // namespace vigil::mog
