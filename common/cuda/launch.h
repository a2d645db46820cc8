// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: kernels that are brought onto the GPU while the one before them in the stream still works
// (programmatic dependent launch, CUDA C++ Programming Guide; compute capability 9.0 and newer, elsewhere
// they begin as all do).
//
// Such a kernel's threads all call wait_for_earlier() before they touch memory that an earlier kernel writes,
// or write memory that an earlier one reads. One that calls begin_next() does so after wait_for_earlier(): so
// when a kernel begins early, all that was submitted before the one before it is done.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cuda_runtime.h>
#include <utility>

namespace vigil {

// All earlier work of the stream is done, and seen by this thread.
__device__ __forceinline__ void wait_for_earlier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// The next kernel may begin as soon as all blocks have called this or are done.
__device__ __forceinline__ void begin_next() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Whether the current device runs code in which wait_for_earlier() waits.
inline bool may_begin_early() {
  static std::array<std::atomic<int>, 64> known{}; // of each device: 0 not asked yet, 1 no, 2 yes
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= static_cast<int>(known.size()))
    return false;
  std::atomic<int> &its = known[static_cast<std::size_t>(device)];
  if (its == 0) {
    int major = 0, minor = 0;
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    bool waits = false;
    for (const int compiled : {__CUDA_ARCH_LIST__})
      waits |= compiled >= 900 && compiled <= 100 * major + 10 * minor;
    its = waits ? 2 : 1;
  }
  return its == 2;
}

// As kernel<<<blocks, threads, shared, stream>>>(arguments...), for a kernel that calls wait_for_earlier().
// cudaGetLastError() says what went wrong.
template <class... Formal, class... Actual>
void launch_early(void (*kernel)(Formal...), dim3 blocks, dim3 threads, std::size_t shared,
                  cudaStream_t stream, Actual &&...arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = may_begin_early() ? 1 : 0;
  (void)cudaLaunchKernelEx(&config, kernel, std::forward<Actual>(arguments)...);
}

} // namespace vigil
