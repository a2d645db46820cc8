// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums of a picture's samples over some of 32 pixels of a row, by words of four bytes: each byte is
// multiplied by how many of the pixels it belongs to, and the products are added up (__dp4a).
#pragma once

#include "common/cuda/bytes.h"
#include "kernels/blobs/definitions.h"

namespace vigil::blobs {

// Four bits to bytes of 0 or 1.
__device__ inline std::uint32_t ones_of_bits(std::uint32_t bits) {
  return (bits & 15u) * 0x00204081u & 0x01010101u;
}
// How many of each pair of eight bits are set, a byte for each pair.
__device__ inline std::uint32_t pairs_of_bits(std::uint32_t bits) {
  const std::uint32_t pairs = (bits & 0x55u) + (bits >> 1 & 0x55u); // two bits each
  return (pairs & 3u) | (pairs & 12u) << 6 | (pairs & 48u) << 12 | (pairs & 192u) << 18;
}

// Samples of a byte each, the first at `row`; `left` of them are in the row.
__device__ inline std::uint32_t sum_of_bytes(const std::uint8_t *row, int left, std::uint32_t bits) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int at = 0; at < 32; at += 16) {
    if ((bits >> at & 0xffffu) == 0) continue;
    const Bytes<16> v = load<16>(row + at, left - at);
#pragma unroll
    for (int i = 0; i < 4; i++) sum = __dp4a(v.word[i], ones_of_bits(bits >> (at + 4 * i)), sum);
  }
  return sum;
}
// A byte for each two pixels.
__device__ inline std::uint32_t sum_of_halves(const std::uint8_t *row, int left, std::uint32_t bits) {
  const Bytes<16> v = load<16>(row, left);
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) sum = __dp4a(v.word[i], pairs_of_bits(bits >> (8 * i) & 0xffu), sum);
  return sum;
}
// Two bytes, U and V, for each two pixels.
__device__ inline void sum_of_uv(const std::uint8_t *row, int left, std::uint32_t bits, std::uint32_t &u,
                                 std::uint32_t &v) {
#pragma unroll
  for (int at = 0; at < 32; at += 16) {
    if ((bits >> at & 0xffffu) == 0) continue;
    const Bytes<16> uv = load<16>(row + at, left - at);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const std::uint32_t pairs = pairs_of_bits(bits >> (at + 4 * i) & 15u); // in the lower two bytes
      const std::uint32_t weights = (pairs & 3u) | (pairs & 0x300u) << 8;
      u = __dp4a(uv.word[i], weights, u);
      v = __dp4a(uv.word[i], weights << 8, v);
    }
  }
}
// Four bytes a pixel; the last one is left out.
__device__ inline Colour sum_of_pixels(const std::uint8_t *row, int left, std::uint32_t bits) {
  std::uint32_t even = 0, odd = 0; // two sums of at most 32 * 255 each
#pragma unroll
  for (int at = 0; at < 32; at += 4) {
    if ((bits >> at & 15u) == 0) continue;
    const Bytes<16> v = load<16>(row + 4 * at, left - 4 * at);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if (!(bits >> (at + i) & 1u)) continue;
      even += v.word[i] & 0x00ff00ffu;
      odd += v.word[i] >> 8 & 0x00ff00ffu;
    }
  }
  return {{even & 0xffffu, odd & 0xffffu, even >> 16}};
}

// Of the pixels x + i of row y for which bit i is set; x is a multiple of 32.
__device__ inline Colour colours_of(const ConstImage &p, int x, int y, std::uint32_t bits) {
  const std::uint8_t *const first = p.plane(0).row(y);
  const int left = p.width - x, left_of_halves = (p.width + 1) / 2 - x / 2;
  switch (p.format) {
  case PixelFormat::rgba:
    return sum_of_pixels(first + 4 * x, 4 * left, bits);
  case PixelFormat::bgra: {
    const Colour c = sum_of_pixels(first + 4 * x, 4 * left, bits);
    return {{c.c[2], c.c[1], c.c[0]}};
  }
  case PixelFormat::nv12: {
    Colour c{{sum_of_bytes(first + x, left, bits), 0, 0}};
    sum_of_uv(p.plane(1).row(y / 2) + x, 2 * left_of_halves, bits, c.c[1], c.c[2]);
    return c;
  }
  case PixelFormat::i420:
    return {{sum_of_bytes(first + x, left, bits),
             sum_of_halves(p.plane(1).row(y / 2) + x / 2, left_of_halves, bits),
             sum_of_halves(p.plane(2).row(y / 2) + x / 2, left_of_halves, bits)}};
  default:
    return {{sum_of_bytes(first + x, left, bits), 0, 0}};
  }
}

} // namespace vigil::blobs
