// SPDX-License-Identifier: LGPL-2.1-or-later
// Cells make descriptors. Eight lanes share one: a lane has four pieces of four orientations, one in each row
// of bins.
#pragma once

#include "kernels/fisher/cuda/sift.h"

namespace vigil::fisher::cuda {

inline constexpr int lanes_a_descriptor = 8;

__device__ __forceinline__ float
sum_of_eight(float v) { // over the lanes of one descriptor, the same bits in each
#pragma unroll
  for (int apart = 1; apart < lanes_a_descriptor; apart *= 2) v += __shfl_xor_sync(0xffffffffu, v, apart);
  return v;
}

// Descriptor `index` of a picture, which exists. piece[l] holds elements 4 * (lane + 8 l) and on. All 32
// lanes come here together.
__device__ __forceinline__ void describe(const Pyramid &p, int picture, int index, int lane,
                                         float4 (&piece)[bins]) {
  int s = 0;
  while (s + 1 < p.count && index >= p.scale[s + 1].first) s++;
  const Scale &scale = p.scale[s];
  const Lattice &across = scale.lattice[0], &down = scale.lattice[1];
  const int local = index - scale.first, column = local % scale.columns, row = local / scale.columns;
  const int k = lane / 2, half = lane % 2;
  const float4 *cell = scale.cells + picture * p.cells_apart +
                       static_cast<std::size_t>(2) * (column * across.step + k * across.bin) + half;
  float total = 0, squares = 0;
#pragma unroll
  for (int l = 0; l < bins; l++) {
    const float weight = p.window[k] * p.window[l];
    float4 v = cell[static_cast<std::size_t>(row * down.step + l * down.bin) * across.count * 2];
    v = make_float4(weight * v.x, weight * v.y, weight * v.z, weight * v.w);
    total += (v.x + v.y) + (v.z + v.w);
    squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    piece[l] = v;
  }
  total = sum_of_eight(total);
  const float norm = 1 / (sqrtf(sum_of_eight(squares)) + float(norm_epsilon));
  squares = 0;
#pragma unroll
  for (int l = 0; l < bins; l++) {
    float4 &v = piece[l];
    v = make_float4(fminf(v.x * norm, float(clip)), fminf(v.y * norm, float(clip)),
                    fminf(v.z * norm, float(clip)), fminf(v.w * norm, float(clip)));
    squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  squares = sum_of_eight(squares); // by all lanes, flat or not
  const bool flat = total * p.contrast_scale < p.contrast_threshold;
  const float again = flat ? 0 : 1 / (sqrtf(squares) + float(norm_epsilon));
#pragma unroll
  for (int l = 0; l < bins; l++) {
    float4 &v = piece[l];
    v = make_float4(v.x * again, v.y * again, v.z * again, v.w * again);
  }
}

} // namespace vigil::fisher::cuda
