// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/gl/layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vigil::mog::gl {
namespace {

// Method zivkovic, compact.
constexpr float least_half = 0x1p-12f, greatest_half = 0x1.ffep19f; // of variances
constexpr std::uint32_t half_bias = std::uint32_t{115} << 23;
constexpr int half_shift = 12;
// Method mog, compact.
constexpr float least_variance = 0.25f, greatest_variance = 16000, whole = 1023.f / 1024 * (1 - 0x1p-16f);
constexpr std::uint32_t least_bits = 0x3e800000;
constexpr int variance_shift = 16;

std::uint32_t nearest(float v, float unit, std::uint32_t most) {
  return static_cast<std::uint32_t>(std::clamp(v / unit + 0.5f, 0.f, float(most)));
}
// A variance whose lower bits are left out.
std::uint32_t code_of(float v, float least, float greatest, std::uint32_t bias, int shift) {
  return (std::bit_cast<std::uint32_t>(std::clamp(v, least, greatest)) - bias + (1u << (shift - 1))) >> shift;
}
float variance_of(std::uint32_t code, std::uint32_t bias, int shift) {
  return std::bit_cast<float>((code << shift) + bias);
}

// A pixel's words, one in each plane.
template <class Word>
struct Pixel {
  Word *words;
  std::size_t pixels; // of the band
  Word &operator[](std::size_t plane) const { return words[plane * pixels]; }
  float real(std::size_t plane) const { return std::bit_cast<float>((*this)[plane]); }
  void set(std::size_t plane, float v) const { (*this)[plane] = std::bit_cast<std::uint32_t>(v); }
  // 16 bits of the planes from the first on.
  std::uint32_t half(std::size_t i) const { return (*this)[i / 2] >> 16 * (i % 2) & 0xffff; }
  void set_half(std::size_t i, std::uint32_t v) const {
    std::uint32_t &word = (*this)[i / 2];
    word = (word & ~(0xffffu << 16 * (i % 2))) | v << 16 * (i % 2);
  }
};

// A component of a pixel of a State.
template <class S>
struct Component {
  S &state;
  std::size_t k, pixel, pixels, channels;
  auto &weight() const { return state.weight[k * pixels + pixel]; }
  auto &variance() const { return state.variance[k * pixels + pixel]; }
  auto &mean(std::size_t c) const { return state.mean[(k * channels + c) * pixels + pixel]; }
};

} // namespace

std::size_t Layout::words() const {
  const auto k = std::size_t(config_.components), channels = std::size_t(config_.channels);
  if (config_.method == Method::mog) return compact() ? k : 3 * k;
  return compact() ? k / 2 + 1 + k * (channels == 1 ? 1 : 2) : k + 1 + k * (channels + 1);
}

void Layout::decode(std::span<const std::uint32_t> band, std::size_t first, State &s) const {
  const std::size_t count = band.size() / words(), n = s.active.size(), K = std::size_t(config_.components),
                    channels = std::size_t(config_.channels);
  for (std::size_t i = 0; i < count; i++) {
    const Pixel<const std::uint32_t> p{band.data() + i, count};
    const auto part = [&](std::size_t k) { return Component<State>{s, k, first + i, n, channels}; };
    if (config_.method == Method::mog) {
      std::uint8_t used = 0;
      for (std::size_t k = 0; k < K; k++) {
        if (compact() ? p[k] >> 22 == 0 : !(p.real(k) > 0)) continue;
        used++;
        part(k).weight() = compact() ? float(p[k] >> 22) / 1023 : p.real(k);
        part(k).mean(0) = compact() ? float(p[k] >> 11 & 0x7ff) / 8 : p.real(K + k);
        part(k).variance() =
            compact() ? variance_of(p[k] & 0x7ff, least_bits, variance_shift) : p.real(2 * K + k);
      }
      s.active[first + i] = used;
      continue;
    }
    const std::size_t used = compact() ? p.half(K) : p[K];
    s.active[first + i] = static_cast<std::uint8_t>(used);
    for (std::size_t k = 0; k < used; k++) {
      if (compact()) {
        const std::size_t halves = 2 * (K / 2 + 1) + (channels + 1) * k;
        part(k).weight() = float(p.half(k)) * 0x1p-16f;
        for (std::size_t c = 0; c < channels; c++) part(k).mean(c) = float(p.half(halves + c)) * 0x1p-8f;
        part(k).variance() = variance_of(p.half(halves + channels), half_bias, half_shift);
      } else {
        const std::size_t plane = K + 1 + (channels + 1) * k;
        part(k).weight() = p.real(k);
        for (std::size_t c = 0; c < channels; c++) part(k).mean(c) = p.real(plane + c);
        part(k).variance() = p.real(plane + channels);
      }
    }
  }
}

void Layout::encode(const State &s, std::size_t first, std::span<std::uint32_t> band) const {
  const std::size_t count = band.size() / words(), n = s.active.size(), K = std::size_t(config_.components),
                    channels = std::size_t(config_.channels);
  for (std::size_t i = 0; i < count; i++) {
    const Pixel<std::uint32_t> p{band.data() + i, count};
    const auto part = [&](std::size_t k) { return Component<const State>{s, k, first + i, n, channels}; };
    for (std::size_t k = 0; k < K; k++) {
      const auto component = part(k);
      if (config_.method == Method::mog && compact()) {
        p[k] = nearest(component.weight() * 1023, 1, 1023) << 22 |
               nearest(component.mean(0), 1.f / 8, 255 * 8) << 11 |
               code_of(component.variance(), least_variance, greatest_variance, least_bits, variance_shift);
      } else if (config_.method == Method::mog) {
        p.set(k, component.weight());
        p.set(K + k, component.mean(0));
        p.set(2 * K + k, component.variance());
      } else if (compact()) {
        const std::size_t halves = 2 * (K / 2 + 1) + (channels + 1) * k;
        p.set_half(k, nearest(component.weight(), 0x1p-16f, 65535));
        for (std::size_t c = 0; c < channels; c++)
          p.set_half(halves + c, nearest(component.mean(c), 0x1p-8f, 65535));
        p.set_half(halves + channels,
                   code_of(component.variance(), least_half, greatest_half, half_bias, half_shift));
      } else {
        const std::size_t plane = K + 1 + (channels + 1) * k;
        p.set(k, component.weight());
        for (std::size_t c = 0; c < channels; c++) p.set(plane + c, component.mean(c));
        p.set(plane + channels, component.variance());
      }
    }
    if (config_.method == Method::mog) continue;
    if (compact())
      p.set_half(K, s.active[first + i]);
    else
      p[K] = s.active[first + i];
  }
}

Constants Layout::storable(Constants c) const {
  if (!compact()) return c;
  if (config_.method == Method::mog) {
    c.weight_threshold *= double(whole);
    c.initial_weight *= double(whole);
    for (double *v : {&c.min_variance, &c.initial_variance})
      *v = std::clamp<double>(*v, least_variance, greatest_variance);
    return c;
  }
  for (double *v : {&c.min_variance, &c.max_variance, &c.initial_variance})
    *v = std::clamp<double>(*v, least_half, greatest_half);
  return c;
}

} // namespace vigil::mog::gl
