// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of the OpenCL backends in builds without OpenCL: a request for one fails and says so.
// filter has no other backend and no function that could be asked.
#include "common/error.h"
#include "kernels/bilateral/bilateral.h"
#include "kernels/histogram/histogram.h"

namespace vigil {
namespace {

[[noreturn]] void absent() {
  fail(Error::Kind::no_device,
       "this build has no OpenCL backends; install the headers and the loader of OpenCL and build again");
}

} // namespace

std::unique_ptr<bilateral::Filter> bilateral::make_opencl(Device &, const Config &) {
  absent();
}
std::unique_ptr<histogram::Counter> histogram::make_opencl(Device &, const Shape &) {
  absent();
}

} // namespace vigil
