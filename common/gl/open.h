// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/device.h"

#include <memory>

namespace vigil {

// As open_gl() (common/device.h), but OpenGL ES where open_gl() would give OpenGL.
std::unique_ptr<Device> open_gl_es();

} // namespace vigil
