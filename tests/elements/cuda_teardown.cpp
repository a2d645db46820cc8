// SPDX-License-Identifier: LGPL-2.1-or-later
// A GPU that failed: what works on it throws, and what is torn down afterwards does not end the program. The
// driver is a fake one, the first argument, so no GPU is needed.
#include "common/cuda/device.h"

#include "common/error.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace vigil;

namespace {

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

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
  void *const driver = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  expect(driver, "usage: test-cuda-teardown FAKE-LIBCUDA");
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
