// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread has 4 pixels in two rows, which share two values of chroma and their neighbours, and writes 16
// bytes of each row.
#include "common/cuda/bytes.h"
#include "kernels/convert/cuda/kernels.h"

namespace vigil::convert {
namespace {

constexpr int pixels = 4;
constexpr std::uint32_t opaque = 0xff000000u;

__device__ std::uint32_t rounded(int value) { // in 1/8192 and sixteenths
  return std::uint32_t(min(max((value + (1 << 16)) >> 17, 0), 255));
}

// U and V, less 128.
struct Chroma {
  int u, v;
};
template <PixelFormat format>
__device__ Chroma chroma_at(const ConstImage &p, int u, int v) {
  u = min(max(u, 0), (p.width + 1) / 2 - 1);
  v = min(max(v, 0), (p.height + 1) / 2 - 1);
  if constexpr (format == PixelFormat::nv12) {
    const std::uint8_t *at = p.plane(1).row(v) + 2 * u;
    return {int(at[0]) - 128, int(at[1]) - 128};
  } else {
    return {int(p.plane(1).row(v)[u]) - 128, int(p.plane(2).row(v)[u]) - 128};
  }
}
__device__ Chroma weighted(int a, const Chroma &p, int b, const Chroma &q) {
  return {a * p.u + b * q.u, a * p.v + b * q.v};
}

template <PixelFormat format>
__global__ void __launch_bounds__(256) planar_kernel(ConstImage from, Matrix m, Plane<std::uint8_t> to) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * pixels,
            y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= from.width || y >= from.height) return;
  const int count = from.width - x, u = x / 2, v = y / 2;
  const int rows = min(from.height - y, 2);
  std::uint32_t luma[2];
  luma[0] = load<pixels>(from.plane(0).row(y) + x, count).word[0];
  luma[1] = rows > 1 ? load<pixels>(from.plane(0).row(y + 1) + x, count).word[0] : 0;
  Chroma value[3][4]; // rows v - 1 .. v + 1, columns u - 1 .. u + 2
#pragma unroll
  for (int j = 0; j < 3; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) value[j][i] = chroma_at<format>(from, u - 1 + i, v - 1 + j);
#pragma unroll
  for (int row = 0; row < 2; row++) {
    if (row >= rows) break;
    Bytes<16> out;
#pragma unroll
    for (int i = 0; i < pixels; i++) {
      const int near = 1 + i / 2, side = i % 2 ? near + 1 : near - 1, above = row ? 2 : 0;
      const Chroma c = weighted(3, weighted(3, value[1][near], 1, value[1][side]), 1,
                                weighted(3, value[above][near], 1, value[above][side]));
      const int y16 = 16 * m.y * (int(byte_of(luma[row], i)) - m.black);
      out.word[i] = rounded(y16 + m.rv * c.v) | rounded(y16 - m.gu * c.u - m.gv * c.v) << 8 |
                    rounded(y16 + m.bu * c.u) << 16 | opaque;
    }
    store(to.row(y + row) + 4 * x, out, 4 * count);
  }
}

// rgba, bgra and gray8.
template <PixelFormat format>
__global__ void __launch_bounds__(256)
    packed_kernel(Plane<const std::uint8_t> from, bool without_alpha, Plane<std::uint8_t> to) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * pixels, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.width || y >= to.height) return;
  const int count = to.width - x;
  Bytes<16> out;
  if constexpr (format == PixelFormat::gray8) {
    const std::uint32_t grey = load<pixels>(from.row(y) + x, count).word[0];
#pragma unroll
    for (int i = 0; i < pixels; i++) out.word[i] = byte_of(grey, i) * 0x010101u | opaque;
  } else {
    out = load<16>(from.row(y) + 4 * x, 4 * count);
    if constexpr (format == PixelFormat::bgra) {
#pragma unroll
      for (std::uint32_t &word : out.word) word = __byte_perm(word, 0, 0x3012);
    }
#pragma unroll
    for (std::uint32_t &word : out.word) word |= without_alpha ? opaque : 0u;
  }
  store(to.row(y) + 4 * x, out, 4 * count);
}

} // namespace

void launch_conversion(const ConstImage &from, const Conversion &c, Plane<std::uint8_t> to,
                       CUstream_st *stream) {
  const dim3 threads(32, 8);
  const auto blocks = [&](int rows) {
    const int across = pixels * int(threads.x), down = rows * int(threads.y);
    return dim3((to.width + across - 1) / across, (to.height + down - 1) / down);
  };
  switch (from.format) {
  case PixelFormat::nv12:
    planar_kernel<PixelFormat::nv12><<<blocks(2), threads, 0, stream>>>(from, c.matrix, to);
    return;
  case PixelFormat::i420:
    planar_kernel<PixelFormat::i420><<<blocks(2), threads, 0, stream>>>(from, c.matrix, to);
    return;
  case PixelFormat::gray8:
    packed_kernel<PixelFormat::gray8><<<blocks(1), threads, 0, stream>>>(from.plane(0), c.opaque, to);
    return;
  case PixelFormat::bgra:
    packed_kernel<PixelFormat::bgra><<<blocks(1), threads, 0, stream>>>(from.plane(0), c.opaque, to);
    return;
  default:
    packed_kernel<PixelFormat::rgba><<<blocks(1), threads, 0, stream>>>(from.plane(0), c.opaque, to);
    return;
  }
}

} // namespace vigil::convert
