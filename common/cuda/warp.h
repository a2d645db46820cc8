// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: what the lanes of a warp find together. GPUs before compute capability 8.0 have no
// instruction for it and pass the values around, with the same results.
#pragma once

#include <cstdint>

namespace vigil {

// Over the lanes of `group`, which all call it: only these, and all of them get the result.
__device__ inline std::uint32_t group_sum(unsigned group, std::uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(group, v);
#else
  std::uint32_t all = 0;
  for (unsigned left = group; left; left &= left - 1) all += __shfl_sync(group, v, __ffs(int(left)) - 1);
  return all;
#endif
}
__device__ inline int group_min(unsigned group, int v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(group, v);
#else
  int least = v;
  for (unsigned left = group; left; left &= left - 1)
    least = min(least, __shfl_sync(group, v, __ffs(int(left)) - 1));
  return least;
#endif
}

// Over all 32 lanes, which all call it.
__device__ inline std::uint32_t warp_sum(std::uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, v);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(~0u, v, distance);
  return v;
#endif
}

} // namespace vigil
