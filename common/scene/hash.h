// SPDX-License-Identifier: LGPL-2.1-or-later
// Random numbers without a state: hashes of counters, and smooth noise made of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace vigil::scene {

// The last step of MurmurHash3 (32 bits): every bit of the result depends on every bit of x.
constexpr std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}
template <class... Rest>
constexpr std::uint32_t mix(std::uint32_t a, std::uint32_t b, Rest... rest) {
  return mix(mix(a) + 0x9e3779b9u + b, rest...);
}
// 0 <= value < 1
constexpr float unit(std::uint32_t hash) {
  return float(hash >> 8) * (1.f / 16777216.f);
}

// One value after another, all of them decided by the key.
class Random {
 public:
  explicit Random(std::uint32_t key) : key_(key) {}
  std::uint32_t next() { return mix(key_, ++count_); }
  float between(float low, float high) { return low + (high - low) * unit(next()); }

 private:
  std::uint32_t key_, count_ = 0;
};

// Value noise: -1..1, smooth, random at the points of a grid of step 1 and interpolated in between.
inline float value_noise(std::uint32_t key, float x, float y) {
  const float fx = std::floor(x), fy = std::floor(y);
  const auto ix = std::uint32_t(std::int32_t(fx)), iy = std::uint32_t(std::int32_t(fy));
  float tx = x - fx, ty = y - fy;
  tx = tx * tx * (3 - 2 * tx);
  ty = ty * ty * (3 - 2 * ty);
  const auto at = [&](std::uint32_t cx, std::uint32_t cy) {
    return unit(mix(key + cx * 0x9e3779b1u + cy * 0x85ebca77u));
  };
  const float top = at(ix, iy) + (at(ix + 1, iy) - at(ix, iy)) * tx;
  const float bottom = at(ix, iy + 1) + (at(ix + 1, iy + 1) - at(ix, iy + 1)) * tx;
  return 2 * (top + (bottom - top) * ty) - 1;
}

} // namespace vigil::scene
