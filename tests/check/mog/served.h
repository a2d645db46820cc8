// SPDX-License-Identifier: LGPL-2.1-or-later
// Which kinds of model a device's backend has.
#pragma once

#include "kernels/mog/mog.h"
#include "tests/check/checker.h"

#include <vector>

namespace vigil::mog {

inline const std::vector<Backend> every_backend = {Backend::cpu, Backend::cuda, Backend::gl};

// OpenGL ES has no double precision.
inline bool served(const check::Checker &c, Precision p) {
  return c.device.backend() != Backend::gl || p != Precision::double_;
}

} // namespace vigil::mog
