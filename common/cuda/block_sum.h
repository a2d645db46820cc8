// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: sums over all threads of a block, `warps` warps, which all call them together and all get
// the result. One barrier for each call.
#pragma once

#include "common/cuda/warp.h"

#include <cstdint>

namespace vigil {

template <int warps, int most> // most: values that are summed at once
class BlockSum {
 public:
  static_assert(warps <= 32);
  struct Shared {
    // Of each warp, for one call. Two of them in turn: a warp that is ahead writes the one that nobody reads
    // any more.
    std::uint32_t part[2][most][warps];
  };
  explicit __device__ BlockSum(Shared &s) : s_(s) {}

  template <int values>
  __device__ void up(std::uint32_t (&v)[values]) {
    put(v);
#pragma unroll
    for (int k = 0; k < values; k++) v[k] = warp_sum(of_warp(k));
    turn();
  }

 protected:
  // Leaves the warps' own sums where of_warp() finds them.
  template <int values>
  __device__ void put(const std::uint32_t (&v)[values]) {
    static_assert(values <= most);
#pragma unroll
    for (int k = 0; k < values; k++) {
      const std::uint32_t sum = warp_sum(v[k]);
      if (threadIdx.x % 32 == 0) s_.part[turn_][k][threadIdx.x / 32] = sum;
    }
    __syncthreads();
  }
  // The sum of the warp whose number is this thread's lane.
  __device__ std::uint32_t of_warp(int k) const {
    const int lane = threadIdx.x % 32;
    return lane < warps ? s_.part[turn_][k][lane] : 0;
  }
  __device__ void turn() {
    turn_ = 1 - turn_;
  }

 private:
  Shared &s_;
  int turn_ = 0;
};

} // namespace vigil
