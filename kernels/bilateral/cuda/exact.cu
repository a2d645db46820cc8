// SPDX-License-Identifier: LGPL-2.1-or-later
// The exact filter in two ways. tile: a block's neighbourhood, with what weights are made from, is read into
// shared memory once; a thread does `rows` pixels of one column, so that each neighbour that it fetches
// serves up to that many. direct: a pixel a thread, neighbours from global memory, for windows whose tile is
// too large.
#include "kernels/bilateral/cuda/pixels.cuh"

namespace vigil::bilateral {
namespace {

constexpr int group_x = 32, group_y = 4, rows = 4;
constexpr int tile_rows = group_y * rows;

// The pixel and its guide in as few words as possible.
template <class K>
struct Cell {
  static constexpr int used = K::guide_is_value ? K::values : K::values + K::guides;
  static constexpr int floats = used <= 2 ? used : used <= 4 ? 4 : 8;
  struct alignas(floats >= 4 ? 16 : 4 * floats) Type {
    float v[floats];
  };
  __device__ static Type make(const typename K::Value &v, const typename K::Guide &g) {
    Type c{};
    if constexpr (!K::guide_is_value) {
#pragma unroll
      for (int i = 0; i < K::values; i++) c.v[i] = v.v[i];
    }
#pragma unroll
    for (int i = 0; i < K::guides; i++) c.v[used - K::guides + i] = g.v[i];
    return c;
  }
  __device__ static float value(const Type &c, int i) {
    return c.v[i];
  }
  __device__ static typename K::Guide guide(const Type &c) {
    return each<K::guides>([&](int i) { return c.v[used - K::guides + i]; });
  }
};

template <bool quantized>
__device__ void load_table(float *table, const CudaPass &p) {
  if constexpr (quantized) {
    const int i = threadIdx.y * blockDim.x + threadIdx.x;
    if (i < 16) table[i] = p.table[i];
  }
}

// `fixed` radius, or any (0): loops over a window that is known at build time need no bounds.
template <class K, bool quantized, int fixed>
__global__ void __launch_bounds__(group_x *group_y) tile_kernel(const __grid_constant__ CudaPass p, int any) {
  using C = Cell<K>;
  using Stored = typename C::Type;
  const int radius = fixed ? fixed : any, tile_x = group_x + 2 * radius, tile_y = tile_rows + 2 * radius;
  extern __shared__ uint4 memory[];
  __shared__ float table[16];
  auto *const tile = reinterpret_cast<Stored *>(memory);
  const int lx = threadIdx.x, ly = threadIdx.y;
  const int x0 = int(blockIdx.x) * group_x - radius, y0 = int(blockIdx.y) * tile_rows - radius;
  load_table<quantized>(table, p);
  for (int i = ly * group_x + lx; i < tile_x * tile_y; i += group_x * group_y) {
    const int x = min(max(x0 + i % tile_x, 0), p.width - 1), y = min(max(y0 + i / tile_x, 0), p.height - 1);
    const auto v = read_value<K>(p.in + y * p.in_stride, x, p);
    tile[i] = C::make(v, read_guide<K>(v, x, y, p));
  }
  __syncthreads();

  // Sums are of differences from the centre where one channel has a guide: 16 bits need it.
  constexpr bool relative = K::mode == Mode::one && K::has_guide;
  typename K::Guide g0[rows], total[rows];
  float v0[rows], sum[rows][K::values];
  const Stored *const corner = tile + ly * rows * tile_x + lx;
#pragma unroll
  for (int j = 0; j < rows; j++) {
    const Stored centre = corner[(j + radius) * tile_x + radius];
    g0[j] = C::guide(centre);
    v0[j] = relative ? C::value(centre, 0) : 0;
    total[j] = each<K::guides>([](int) { return 0.f; });
#pragma unroll
    for (int c = 0; c < K::values; c++) sum[j][c] = 0;
  }
  const auto neighbour = [&](const Stored &cell, float spatial, int j) {
    const auto d = C::guide(cell) - g0[j];
    const auto w = weight_of<quantized>(d, spatial, p, table);
#pragma unroll
    for (int c = 0; c < K::values; c++) {
      const float v =
          K::guide_is_value ? d.v[K::guides == 1 ? 0 : c] : C::value(cell, c) - (relative ? v0[j] : 0);
      sum[j][c] += w.v[K::guides == 1 ? 0 : c] * v;
    }
#pragma unroll
    for (int c = 0; c < K::guides; c++) total[j].v[c] += w.v[c];
  };
#pragma unroll 1
  for (int dx = -radius; dx <= radius; dx++) {
    const Stored *const column = corner + dx + radius;
#pragma unroll(fixed ? rows + 2 * fixed : 1)
    for (int yy = 0; yy < rows + 2 * radius; yy++) {
      const Stored cell = column[yy * tile_x];
#pragma unroll
      for (int j = 0; j < rows; j++) {
        const int dy = yy - j - radius;
        if (dy >= -radius && dy <= radius) neighbour(cell, p.spatial * float(dx * dx + dy * dy), j);
      }
    }
  }
  const int x = x0 + radius + lx, y = y0 + radius + ly * rows;
#pragma unroll
  for (int j = 0; j < rows; j++)
    if (x < p.width && y + j < p.height) {
      const auto mean = each<K::values>([&](int c) {
        const int g = K::guides == 1 ? 0 : c;
        const float m = __fdividef(sum[j][c], total[j].v[g]);
        return K::guide_is_value ? (g0[j].v[g] + m) * p.scale[3] : v0[j] + m; // scale[3]: back to levels
      });
      write_value<K>(mean, x, y + j, p);
    }
}

template <class K, bool quantized>
__global__ void direct_kernel(const __grid_constant__ CudaPass p, int radius) {
  __shared__ float table[16];
  load_table<quantized>(table, p);
  __syncthreads();
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= p.width || y >= p.height) return;
  const auto v0 = read_value<K>(p.in + y * p.in_stride, x, p);
  const auto g0 = read_guide<K>(v0, x, y, p);
  float sum[K::values] = {}, total[K::guides] = {};
  for (int dy = -radius; dy <= radius; dy++) {
    const int yy = min(max(y + dy, 0), p.height - 1);
    for (int dx = -radius; dx <= radius; dx++) {
      const int xx = min(max(x + dx, 0), p.width - 1);
      const auto v = read_value<K>(p.in + yy * p.in_stride, xx, p);
      const auto w = weight_of<quantized>(read_guide<K>(v, xx, yy, p) - g0,
                                          p.spatial * float(dx * dx + dy * dy), p, table);
#pragma unroll
      for (int c = 0; c < K::values; c++) sum[c] += w.v[K::guides == 1 ? 0 : c] * (v.v[c] - v0.v[c]);
#pragma unroll
      for (int c = 0; c < K::guides; c++) total[c] += w.v[c];
    }
  }
  write_value<K>(
      each<K::values>([&](int c) { return v0.v[c] + __fdividef(sum[c], total[K::guides == 1 ? 0 : c]); }), x,
      y, p);
}

int blocks(int size, int block) {
  return (size + block - 1) / block;
}

template <class K, bool quantized, int fixed>
void launch_tile(const CudaPass &p, int radius, std::size_t bytes, cudaStream_t stream) {
  if (bytes > 48 * 1024) // more than a block has unasked
    cudaFuncSetAttribute(tile_kernel<K, quantized, fixed>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         int(bytes));
  const dim3 grid(blocks(p.width, group_x), blocks(p.height, tile_rows)), block(group_x, group_y);
  tile_kernel<K, quantized, fixed><<<grid, block, bytes, stream>>>(p, radius);
}

template <class K, bool quantized>
void launch(const CudaPass &p, int radius, int shared_bytes, cudaStream_t stream) {
  const std::size_t bytes = sizeof(typename Cell<K>::Type) * std::size_t(group_x + 2 * radius) *
                            std::size_t(tile_rows + 2 * radius);
  if (radius == 0 || bytes + 64 > std::size_t(shared_bytes)) { // 64: the table
    const dim3 block(32, 8), grid(blocks(p.width, 32), blocks(p.height, 8));
    direct_kernel<K, quantized><<<grid, block, 0, stream>>>(p, radius);
    return;
  }
  if constexpr (!quantized && !K::has_guide) // what is asked for most; the grid takes over at larger radii
    switch (radius) {
#define FIXED(R)                                                                                             \
  case R:                                                                                                    \
    return launch_tile<K, quantized, R>(p, radius, bytes, stream)
      FIXED(1);
      FIXED(2);
      FIXED(3);
      FIXED(4);
      FIXED(5);
      FIXED(6);
#undef FIXED
    }
  launch_tile<K, quantized, 0>(p, radius, bytes, stream);
}

} // namespace

void launch_exact(const CudaKind &kind, const CudaPass &p, int radius, int shared_bytes,
                  cudaStream_t stream) {
  with_kind(kind, [&](auto k) {
    if (kind.quantized)
      launch<decltype(k), true>(p, radius, shared_bytes, stream);
    else
      launch<decltype(k), false>(p, radius, shared_bytes, stream);
  });
}

} // namespace vigil::bilateral
