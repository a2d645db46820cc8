// SPDX-License-Identifier: LGPL-2.1-or-later
// A GPU that failed: what works on it throws, and what is torn down afterwards does not end the program. The
// driver is a fake one, the first argument, so no GPU is needed.
#include "common/cuda/device.h"

#include "common/error.h"
#include "fake_cuda.h"

using namespace vigil;

namespace {

bool throws(CudaDevice &device) {
  try {
    const CudaScope scope = device.enter();
    return false;
  } catch (const Error &e) {
    return e.kind() == Error::Kind::device;
  }
}

} // namespace

int main(int argc, char **argv) {
  void *const driver = fake_driver(argc, argv);
  int &failed = *static_cast<int *>(dlsym(driver, "fake_cuda_failed"));
  const int &depth = *static_cast<int *>(dlsym(driver, "fake_cuda_depth"));
  {
    CudaDevice device(0);
    expect(depth == 0, "the new context stays current");
    expect(!throws(device) && depth == 0, "a context cannot be entered and left");
    {
      const CudaTeardown scope(device.context());
      expect(bool(scope) && depth == 1, "a context that works is not entered for teardown");
    }
    expect(depth == 0, "it is not left");
    failed = 1;
    expect(throws(device), "work with a GPU that failed goes on in silence");
    expect(!CudaTeardown(device.context()), "a context that cannot be current is said to be");
    expect(depth == 0, "a context was left that was not entered");
    // Without a context, none of these may reach CUDA: it would make one.
    int memory = 0;
    device.release(&memory);
    device.release_host(&memory);
    expect(depth == 0, "a context was left that was not entered");
  }
  return 0;
}
