// SPDX-License-Identifier: LGPL-2.1-or-later
// The approximation of grid.h, as cl/grid.cl has it. A cell holds the sums of weight * value and of weights,
// for one level of the guide; cells of a level lie row by row, levels behind each other.
#include "kernels/bilateral/cuda/pixels.cuh"

#include <cuda_fp16.h>

namespace vigil::bilateral {
namespace {

constexpr int levels_at_once = 8; // of a thread
constexpr float unit = 256.f;     // of weights; values are parts of full scale

// Half floats halve the traffic; sums are kept in units that keep them in their range. 16-bit samples need
// floats.
template <class K>
struct Cells {
  static constexpr int sums = K::values + 1;
  static constexpr bool halves = sizeof(typename K::Sample) == 1;
  using Sums = Floats<sums>;
  using Stored = std::conditional_t<!halves, Sums, std::conditional_t<sums == 4, uint2, unsigned>>;

  __device__ static unsigned pack(float a, float b) {
    const __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<const unsigned *>(&h);
  }
  __device__ static float2 unpack(unsigned u) {
    return __half22float2(*reinterpret_cast<const __half2 *>(&u));
  }
  __device__ static Sums load(const void *cells, int i) {
    const Stored s = static_cast<const Stored *>(cells)[i];
    if constexpr (!halves) {
      return s;
    } else if constexpr (sums == 4) {
      const float2 a = unpack(s.x), b = unpack(s.y);
      return {{a.x, a.y, b.x, b.y}};
    } else {
      const float2 a = unpack(s);
      return {{a.x, a.y}};
    }
  }
  __device__ static void store(void *cells, int i, const Sums &s) {
    auto &to = static_cast<Stored *>(cells)[i];
    if constexpr (!halves)
      to = s;
    else if constexpr (sums == 4)
      to = make_uint2(pack(s.v[0], s.v[1]), pack(s.v[2], s.v[3]));
    else
      to = pack(s.v[0], s.v[1]);
  }
};

// Cell i of a row stands for the `spacing` pixels from (i - border) * spacing on.
template <class K>
__global__ void splat_kernel(const __grid_constant__ CudaPass p, const __grid_constant__ CudaGrid g,
                             int at_once) {
  using C = Cells<K>;
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x), job = int(blockIdx.y * blockDim.y + threadIdx.y);
  const int first = job / g.rows * at_once, j = job % g.rows;
  if (i >= g.columns || first >= g.levels) return;
  typename C::Sums sum[levels_at_once] = {};
  for (int py = 0; py < g.spacing; py++) {
    const int y = min(max((j - g.border) * g.spacing + py, 0), p.height - 1);
    for (int px = 0; px < g.spacing; px++) {
      const int x = min(max((i - g.border) * g.spacing + px, 0), p.width - 1);
      const auto v = read_value<K>(p.in + y * p.in_stride, x, p);
      const float guide = read_guide<K>(v, x, y, p).v[0] - float(first) * g.level_step;
#pragma unroll
      for (int l = 0; l < levels_at_once; l++)
        if (l < at_once) {
          const float d = guide - float(l) * g.level_step, w = power_of_two(-d * d);
#pragma unroll
          for (int c = 0; c < K::values; c++) sum[l].v[c] += w * v.v[c];
          sum[l].v[K::values] += w * p.scale[3];
        }
    }
  }
  const float to_unit = unit / (p.scale[3] * float(g.spacing * g.spacing));
#pragma unroll
  for (int l = 0; l < levels_at_once; l++)
    if (l < at_once && first + l < g.levels)
      C::store(g.cells, ((first + l) * g.rows + j) * g.columns + i,
               each<C::sums>([&](int c) { return sum[l].v[c] * to_unit; }));
}

// The blur in one direction, symmetric. At the grid's own edge the nearest cell counts; the border is so wide
// that cells that this reaches are never looked at.
template <class K, bool vertical>
__global__ void blur_kernel(const __grid_constant__ CudaGrid g) {
  using C = Cells<K>;
  const void *const from = vertical ? g.cells : g.other;
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x), job = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= g.columns || job >= g.rows * g.levels) return;
  const int at = job * g.columns + i;
  const int position = vertical ? job % g.rows : i, last = (vertical ? g.rows : g.columns) - 1,
            stride = vertical ? g.columns : 1;
  auto sum = C::load(from, at);
#pragma unroll
  for (int c = 0; c < C::sums; c++) sum.v[c] *= g.tap[0];
#pragma unroll 4
  for (int t = 1; t <= g.taps; t++) {
    const auto a = C::load(from, at - min(t, position) * stride),
               b = C::load(from, at + min(t, last - position) * stride);
#pragma unroll
    for (int c = 0; c < C::sums; c++) sum.v[c] += g.tap[t] * (a.v[c] + b.v[c]);
  }
  C::store(vertical ? g.other : g.cells, at, sum);
}

template <class K>
__global__ void slice_kernel(const __grid_constant__ CudaPass p, const __grid_constant__ CudaGrid g) {
  using C = Cells<K>;
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= p.width || y >= p.height) return;
  const float guide = read_guide<K>(read_value<K>(p.in + y * p.in_stride, x, p), x, y, p).v[0];
  const float to_cells = 1.f / float(g.spacing), offset = float(g.spacing - 1) / 2;
  const float cx = (float(x) - offset) * to_cells, cy = (float(y) - offset) * to_cells;
  const float fx = floorf(cx), fy = floorf(cy), ax = cx - fx, ay = cy - fy;
  const float level = fminf(fmaxf(guide / g.level_step, 0.f), float(g.levels - 1));
  const float fz = fminf(floorf(level), float(g.levels - 2)), az = level - fz;
  const int at = (int(fz) * g.rows + int(fy) + g.border) * g.columns + int(fx) + g.border;
  typename C::Sums s{};
#pragma unroll
  for (int z = 0; z < 2; z++) {
    const int b = at + z * g.rows * g.columns;
    const auto nw = C::load(g.cells, b), ne = C::load(g.cells, b + 1), sw = C::load(g.cells, b + g.columns),
               se = C::load(g.cells, b + g.columns + 1);
    const float wz = z ? az : 1 - az;
#pragma unroll
    for (int c = 0; c < C::sums; c++)
      s.v[c] +=
          wz * ((nw.v[c] * (1 - ax) + ne.v[c] * ax) * (1 - ay) + (sw.v[c] * (1 - ax) + se.v[c] * ax) * ay);
  }
  write_value<K>(each<K::values>([&](int c) {
                   return fminf(fmaxf(s.v[c] / s.v[K::values] * p.scale[3], 0.f), p.scale[3]);
                 }),
                 x, y, p);
}

int blocks(int size, int block) {
  return (size + block - 1) / block;
}

} // namespace

void launch_grid(const CudaKind &kind, const CudaPass &p, const CudaGrid &g, cudaStream_t stream) {
  const int parts = blocks(g.levels, levels_at_once), at_once = blocks(g.levels, parts);
  const dim3 block(32, 4);
  const auto over = [&](int width, int height) { return dim3(blocks(width, 32), blocks(height, 4)); };
  with_kind(kind, [&](auto k) {
    using K = decltype(k);
    if constexpr (K::mode != Mode::channels) { // which is done as three pictures of one channel
      splat_kernel<K><<<over(g.columns, g.rows * parts), block, 0, stream>>>(p, g, at_once);
      blur_kernel<K, true><<<over(g.columns, g.rows * g.levels), block, 0, stream>>>(g);
      blur_kernel<K, false><<<over(g.columns, g.rows * g.levels), block, 0, stream>>>(g);
      slice_kernel<K><<<over(p.width, p.height), block, 0, stream>>>(p, g);
    }
  });
}

} // namespace vigil::bilateral
