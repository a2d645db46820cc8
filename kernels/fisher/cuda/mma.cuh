// SPDX-License-Identifier: LGPL-2.1-or-later
// Products by tensor cores in what amounts to fp32: each factor is split into two halves of 11 bits, and
// three of the four products of halves are added up in fp32. Compute capability 8.0 and newer.
#pragma once

#include <cstdint>
#include <cuda_fp16.h>

namespace vigil::fisher::cuda {

struct Pair { // two numbers: their high halves in one word, what is left in the other
  std::uint32_t high, low;
};
__device__ __forceinline__ Pair split(float a, float b) {
  const __half2 high = __floats2half2_rn(a, b);
  const float2 back = __half22float2(high);
  const __half2 low = __floats2half2_rn(a - back.x, b - back.y);
  return {*reinterpret_cast<const std::uint32_t *>(&high), *reinterpret_cast<const std::uint32_t *>(&low)};
}

// sum += A B for 16 x 16 times 16 x 8 numbers, in the order of registers that PTX gives for mma.m16n8k16.
__device__ __forceinline__ void multiply(float (&sum)[4], const uint4 &a, std::uint32_t b0,
                                         std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#else
  (void)sum, (void)a, (void)b0, (void)b1;
#endif
}

} // namespace vigil::fisher::cuda
