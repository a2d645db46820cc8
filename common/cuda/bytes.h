// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: runs of up to 16 bytes at any address, and tests of all four bytes of a word at once. Words are
// little-endian: the first byte is the lowest.
#pragma once

#include <cstdint>

namespace vigil {

struct Bytes16 {
  std::uint32_t word[4];
};

__device__ inline Bytes16 load16_aligned(const std::uint8_t *p) {
  const uint4 v = *reinterpret_cast<const uint4 *>(p);
  return {{v.x, v.y, v.z, v.w}};
}
// `count` bytes at p, the rest 0; count <= 0 reads nothing. One access where p is aligned to 16 and count >= 16.
__device__ inline Bytes16 load16(const std::uint8_t *p, int count) {
  if (count >= 16 && reinterpret_cast<std::uintptr_t>(p) % 16 == 0) return load16_aligned(p);
  Bytes16 b{};
#pragma unroll
  for (int i = 0; i < 16; i++)
    if (i < count) b.word[i / 4] |= std::uint32_t{p[i]} << (8 * (i % 4));
  return b;
}
// The first `count` of 16 bytes to p.
__device__ inline void store16(std::uint8_t *p, const Bytes16 &b, int count) {
  if (count >= 16 && reinterpret_cast<std::uintptr_t>(p) % 16 == 0) {
    *reinterpret_cast<uint4 *>(p) = make_uint4(b.word[0], b.word[1], b.word[2], b.word[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 16; i++)
    if (i < count) p[i] = static_cast<std::uint8_t>(b.word[i / 4] >> (8 * (i % 4)));
}

// The top bit of each byte that is 255, or that is not 0.
__device__ inline std::uint32_t tops_full(std::uint32_t w) {
  return ((w & 0x7f7f7f7fu) + 0x01010101u) & w & 0x80808080u;
}
__device__ inline std::uint32_t tops_some(std::uint32_t w) {
  return (((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u;
}
// From top bits: bytes of 255, or four bits with the first byte's lowest.
__device__ inline std::uint32_t bytes_of_tops(std::uint32_t tops) {
  return (tops >> 7) * 255u;
}
__device__ inline std::uint32_t bits_of_tops(std::uint32_t tops) {
  return (tops >> 7) * 0x01020408u >> 24; // each product lands on a bit of its own
}
// Four bits to bytes of 255.
__device__ inline std::uint32_t bytes_of_bits(std::uint32_t bits) {
  return ((bits & 15u) * 0x00204081u & 0x01010101u) * 255u;
}

} // namespace vigil
