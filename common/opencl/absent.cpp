// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of the other files here in builds without OpenCL.
#include "common/device.h"

#include "common/error.h"

namespace vigil {

std::unique_ptr<Device> open_opencl(const std::string &) {
  fail(Error::Kind::no_device,
       "this build has no OpenCL; install ocl-icd-opencl-dev and build with -Dopencl=enabled");
}

} // namespace vigil
