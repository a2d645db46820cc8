// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures on a GPU: one pass with a patch of pixels for each thread, in accesses of 16 bytes where addresses
// allow, then a small kernel for the outlines.
#include "common/cuda/bytes.h"
#include "kernels/compose/cuda/kernels.h"

namespace vigil::compose {
namespace {

// Four bytes of a plane, with the mask of each.
__device__ std::uint32_t blend(const Blends &b, std::uint32_t word, std::uint32_t mask) {
  const std::uint32_t some = bytes_of_tops(tops_some(mask)), full = bytes_of_tops(tops_full(mask));
  std::uint32_t out = b.background(word);
  if (mask == 0) return out;
  out = (out & ~some) | (b.shadow(word) & some);
  return (out & ~full) | (b.foreground(word) & full);
}

// rgba and bgra: 4 pixels a thread.
__global__ void __launch_bounds__(256)
    packed_kernel(ConstImage frame, Plane<const std::uint8_t> mask, Blends blends, Image out) {
  constexpr int pixels = 4;
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * pixels, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= frame.width || y >= frame.height) return;
  const int count = frame.width - x;
  const Bytes<16> from = load<16>(frame.plane(0).row(y) + 4 * x, 4 * count);
  const std::uint32_t m = load<pixels>(mask.row(y) + x, count).word[0];
  Bytes<16> to;
#pragma unroll
  for (int i = 0; i < pixels; i++)
    to.word[i] = blend(blends, from.word[i], (m >> (8 * i) & 255u) * 0x01010101u);
  store(out.plane(0).row(y) + 4 * x, to, 4 * count);
}

// The largest mask of each 2x2 of 16 x 2 pixels, as 8 bytes.
__device__ Bytes<8> largest(const Bytes<16> &upper, const Bytes<16> &lower) {
  std::uint32_t pair[4]; // bytes 0 and 2 hold the largest of two columns
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const std::uint32_t column = __vmaxu4(upper.word[i], lower.word[i]);
    pair[i] = __vmaxu4(column, column >> 8);
  }
  return {{__byte_perm(pair[0], pair[1], 0x6420), __byte_perm(pair[2], pair[3], 0x6420)}};
}

template <int bytes>
__device__ void put(std::uint8_t *to, const Blends &b, Bytes<bytes> v, const std::uint32_t *mask, int count) {
#pragma unroll
  for (int i = 0; i < bytes / 4; i++) v.word[i] = blend(b, v.word[i], mask[i]);
  store(to, v, count);
}

// gray8, nv12 and i420: 16 x 2 pixels a thread, and the chroma that belongs to them.
template <PixelFormat format>
__global__ void __launch_bounds__(256)
    planar_kernel(ConstImage frame, Plane<const std::uint8_t> mask, Layers layers, Image out) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 16, y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= frame.width || y >= frame.height) return;
  const int count = frame.width - x;
  const int two = y + 1 < frame.height; // else the lower row is none, and not loaded
  const int chroma = (count + 1) / 2;
  const auto from = [&](int i, int row, int byte) { return frame.plane(i).row(row) + byte; };
  const auto to = [&](int i, int row, int byte) { return out.plane(i).row(row) + byte; };
  // All loads come before the first store, which may be to the same memory.
  const Bytes<16> upper = load<16>(mask.row(y) + x, count);
  const Bytes<16> lower = load<16>(mask.row(y + two) + x, two ? count : 0);
  const Bytes<16> first = load<16>(from(0, y, x), count);
  const Bytes<16> second = load<16>(from(0, y + two, x), two ? count : 0);
  [[maybe_unused]] Bytes<16> pairs{};
  [[maybe_unused]] Bytes<8> u{}, v{};
  if constexpr (format == PixelFormat::nv12) pairs = load<16>(from(1, y / 2, x), 2 * chroma);
  if constexpr (format == PixelFormat::i420) {
    u = load<8>(from(1, y / 2, x / 2), chroma);
    v = load<8>(from(2, y / 2, x / 2), chroma);
  }
  put(to(0, y, x), layers.plane[0].blends, first, upper.word, count);
  if (two) put(to(0, y + 1, x), layers.plane[0].blends, second, lower.word, count);
  if constexpr (format == PixelFormat::gray8) return;
  const Bytes<8> m = largest(upper, lower);
  if constexpr (format == PixelFormat::nv12) {
    const std::uint32_t twice[4] = {__byte_perm(m.word[0], 0, 0x1100), __byte_perm(m.word[0], 0, 0x3322),
                                    __byte_perm(m.word[1], 0, 0x1100), __byte_perm(m.word[1], 0, 0x3322)};
    put(to(1, y / 2, x), layers.plane[1].blends, pairs, twice, 2 * chroma);
  }
  if constexpr (format == PixelFormat::i420) {
    put(to(1, y / 2, x / 2), layers.plane[1].blends, u, m.word, chroma);
    put(to(2, y / 2, x / 2), layers.plane[2].blends, v, m.word, chroma);
  }
}

// A block for each part of each outline. Outlines that cross write the same bytes.
__global__ void __launch_bounds__(128)
    outline_kernel(Outlines outlines, Layers layers, Image out, int planes) {
  const Rectangle part = outlines.outline[blockIdx.x / Outline::parts].part(blockIdx.x % Outline::parts);
  if (part.left >= part.right || part.top >= part.bottom) return;
  for (int p = 0; p < planes; p++) {
    const Layer &layer = layers.plane[p];
    const Rectangle r = layer.chroma ? Outline::touched(part) : part;
    const int width = r.right - r.left;
    for (int i = threadIdx.x; i < width * (r.bottom - r.top); i += blockDim.x) {
      std::uint8_t *pixel =
          out.plane(p).row(r.top + i / width) + std::ptrdiff_t{r.left + i % width} * layer.pixel_bytes;
      for (int b = 0; b < layer.outline_bytes; b++) pixel[b] = layer.outline[b];
    }
  }
}

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

} // namespace

void launch_compose(const ConstImage &frame, Plane<const std::uint8_t> mask, const Layers &layers,
                    const Image &out, CUstream_st *stream) {
  const dim3 threads(32, 8);
  const auto blocks = [&](int width, int height) {
    return dim3(parts(frame.width, width * int(threads.x)), parts(frame.height, height * int(threads.y)));
  };
  switch (frame.format) {
  case PixelFormat::rgba:
  case PixelFormat::bgra:
    packed_kernel<<<blocks(4, 1), threads, 0, stream>>>(frame, mask, layers.plane[0].blends, out);
    return;
  case PixelFormat::nv12:
    planar_kernel<PixelFormat::nv12><<<blocks(16, 2), threads, 0, stream>>>(frame, mask, layers, out);
    return;
  case PixelFormat::i420:
    planar_kernel<PixelFormat::i420><<<blocks(16, 2), threads, 0, stream>>>(frame, mask, layers, out);
    return;
  case PixelFormat::gray8:
    planar_kernel<PixelFormat::gray8><<<blocks(16, 2), threads, 0, stream>>>(frame, mask, layers, out);
    return;
  }
}

void launch_outlines(const Outlines &outlines, const Layers &layers, const Image &out, CUstream_st *stream) {
  outline_kernel<<<outlines.count * Outline::parts, 128, 0, stream>>>(outlines, layers, out,
                                                                      plane_count(out.format));
}

} // namespace vigil::compose
