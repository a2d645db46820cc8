// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: short runs of bytes at any address, and tests of all four bytes of a word at once. Words are
// little-endian: the first byte is the lowest.
#pragma once

#include <cstdint>

namespace vigil {

template <int n>
struct Bytes { // n: 4, 8 or 16
  std::uint32_t word[n / 4];
};

// n bytes at p, which is aligned to n.
template <int n>
__device__ Bytes<n> load_aligned(const std::uint8_t *p) {
  if constexpr (n == 16) {
    const uint4 v = *reinterpret_cast<const uint4 *>(p);
    return {{v.x, v.y, v.z, v.w}};
  } else if constexpr (n == 8) {
    const uint2 v = *reinterpret_cast<const uint2 *>(p);
    return {{v.x, v.y}};
  } else {
    return {{*reinterpret_cast<const std::uint32_t *>(p)}};
  }
}
// The first `count` bytes at p, at most n, the rest 0; count <= 0 reads nothing. One access where p is
// aligned to n and all n are asked for.
template <int n>
__device__ Bytes<n> load(const std::uint8_t *p, int count) {
  if (count >= n && reinterpret_cast<std::uintptr_t>(p) % n == 0) return load_aligned<n>(p);
  Bytes<n> b{};
#pragma unroll
  for (int i = 0; i < n; i++)
    if (i < count) b.word[i / 4] |= std::uint32_t{p[i]} << (8 * (i % 4));
  return b;
}
// The first `count` bytes, at most n, to p.
template <int n>
__device__ void store(std::uint8_t *p, const Bytes<n> &b, int count) {
  if (count >= n && reinterpret_cast<std::uintptr_t>(p) % n == 0) {
    if constexpr (n == 16)
      *reinterpret_cast<uint4 *>(p) = make_uint4(b.word[0], b.word[1], b.word[2], b.word[3]);
    else if constexpr (n == 8)
      *reinterpret_cast<uint2 *>(p) = make_uint2(b.word[0], b.word[1]);
    else
      *reinterpret_cast<std::uint32_t *>(p) = b.word[0];
    return;
  }
#pragma unroll
  for (int i = 0; i < n; i++)
    if (i < count) p[i] = static_cast<std::uint8_t>(b.word[i / 4] >> (8 * (i % 4)));
}

// Byte i of a word.
__device__ __forceinline__ int byte_of(std::uint32_t word, int i) {
  return int(word >> (8 * i) & 255u);
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
