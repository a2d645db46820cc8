// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/device.h"

namespace vigil {

const char *name_of(Backend b) {
  switch (b) {
  case Backend::cpu:
    return "cpu";
  case Backend::cuda:
    return "cuda";
  case Backend::gl:
    return "gl";
  case Backend::opencl:
    return "opencl";
  }
  return "";
}

std::unique_ptr<Device> open_device(Backend b) {
  switch (b) {
  case Backend::cuda:
    return open_cuda();
  case Backend::gl:
    return open_gl();
  case Backend::opencl:
    return open_opencl();
  default:
    return open_cpu();
  }
}

} // namespace vigil
