// SPDX-License-Identifier: LGPL-2.1-or-later
// How pixels are read and written, and what a weight is: what cl/pixels.cl says in OpenCL.
#pragma once

#include "kernels/bilateral/cuda/kernels.h"

#include <type_traits>

namespace vigil::bilateral {

// n floats, of a pixel's channels or a cell's sums.
template <int n>
struct alignas(n == 4   ? 16
               : n == 2 ? 8
                        : 4) Floats {
  float v[n];
};
template <int n, class F>
__device__ Floats<n> each(F f) {
  Floats<n> r;
#pragma unroll
  for (int i = 0; i < n; i++) r.v[i] = f(i);
  return r;
}
template <int n>
__device__ Floats<n> operator-(const Floats<n> &a, const Floats<n> &b) {
  return each<n>([&](int i) { return a.v[i] - b.v[i]; });
}

// What a task's pixels are. Values are what is averaged; guides are what weights come from.
template <Mode m, class S, bool g>
struct Kind {
  using Sample = S;
  static constexpr Mode mode = m;
  static constexpr bool has_guide = g;
  static constexpr int values = m == Mode::one ? 1 : 3;
  static constexpr int guides = m == Mode::channels ? 3 : 1;
  static constexpr bool guide_is_value = m != Mode::intensity && !g; // except for its scale
  using Value = Floats<values>;
  using Guide = Floats<guides>;
};

__device__ inline float power_of_two(float x) { // results below 2^-126 are 0
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <class K>
__device__ typename K::Value read_value(const std::uint8_t *row, int x, const CudaPass &p) {
  if constexpr (K::mode == Mode::one) {
    return {{float(reinterpret_cast<const typename K::Sample *>(row)[x * p.step] >> p.shift)}};
  } else {
    if (p.aligned) {
      const uchar4 c = reinterpret_cast<const uchar4 *>(row)[x];
      return {{float(c.x), float(c.y), float(c.z)}};
    }
    const std::uint8_t *c = row + 4 * x;
    return {{float(c[0]), float(c[1]), float(c[2])}};
  }
}

template <class K>
__device__ typename K::Guide scaled(const typename K::Value &v, const CudaPass &p) {
  if constexpr (K::mode == Mode::intensity)
    return {{p.scale[0] * v.v[0] + p.scale[1] * v.v[1] + p.scale[2] * v.v[2]}};
  else
    return each<K::guides>([&](int i) { return p.scale[0] * v.v[i]; });
}

template <class K>
__device__ typename K::Guide read_guide(const typename K::Value &v, int x, int y, const CudaPass &p) {
  if constexpr (K::has_guide)
    return scaled<K>(read_value<K>(p.guide + y * p.guide_stride, x, p), p);
  else
    return scaled<K>(v, p);
}

template <class K>
__device__ void write_value(const typename K::Value &v, int x, int y, const CudaPass &p) {
  std::uint8_t *row = p.out + y * p.out_stride;
  if constexpr (K::mode == Mode::one) {
    using Sample = typename K::Sample;
    reinterpret_cast<Sample *>(row)[x * p.step] = Sample(int(v.v[0] + 0.5f) << p.shift);
  } else {
    const std::uint8_t fourth = p.in[y * p.in_stride + 4 * x + 3];
    const auto level = [&](int i) { return std::uint8_t(min(max(int(v.v[i] + 0.5f), 0), 255)); };
    if (p.aligned) {
      reinterpret_cast<uchar4 *>(row)[x] = make_uchar4(level(0), level(1), level(2), fourth);
      return;
    }
#pragma unroll
    for (int i = 0; i < 3; i++) row[4 * x + i] = level(i);
    row[4 * x + 3] = fourth;
  }
}

// The weight of a neighbour whose guide differs by d, times 2^spatial.
template <bool quantized, int n>
__device__ Floats<n> weight_of(const Floats<n> &d, float spatial, const CudaPass &p, const float *table) {
  if constexpr (quantized)
    return each<n>(
        [&](int i) { return power_of_two(spatial) * table[int(fmaf(fabsf(d.v[i]), p.bins[0], p.bins[1]))]; });
  else
    return each<n>([&](int i) { return power_of_two(fmaf(-d.v[i], d.v[i], spatial)); });
}

// Calls f with the Kind, as an object, that these words mean.
template <class F>
void with_kind(const CudaKind &k, F f) {
  const auto with_guide = [&](auto guide) {
    constexpr bool g = decltype(guide)::value;
    if (k.mode == Mode::intensity)
      f(Kind<Mode::intensity, std::uint8_t, g>{});
    else if (k.mode == Mode::channels)
      f(Kind<Mode::channels, std::uint8_t, g>{});
    else if (k.wide)
      f(Kind<Mode::one, std::uint16_t, g>{});
    else
      f(Kind<Mode::one, std::uint8_t, g>{});
  };
  if (k.has_guide)
    with_guide(std::true_type{});
  else
    with_guide(std::false_type{});
}

} // namespace vigil::bilateral
