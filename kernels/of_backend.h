// SPDX-License-Identifier: LGPL-2.1-or-later
// Which of a kernel's makers serves a device: CUDA and OpenGL have their own, the CPU's serves all others.
#pragma once

#include "common/device.h"

namespace vigil {

template <class Maker>
Maker *of_backend(const Device &device, Maker *cpu, Maker *cuda, Maker *gl) {
  switch (device.backend()) {
  case Backend::cuda:
    return cuda;
  case Backend::gl:
    return gl;
  default:
    return cpu;
  }
}

} // namespace vigil
