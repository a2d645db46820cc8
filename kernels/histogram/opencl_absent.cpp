// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds without OpenCL.
#include "common/error.h"
#include "kernels/histogram/histogram.h"

namespace vigil::histogram {

std::unique_ptr<Counter> make_opencl(Device &, const Shape &) {
  fail(Error::Kind::no_device, "this build has no OpenCL");
}

} // namespace vigil::histogram
