// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/exposure/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vigil::exposure {
namespace {

template <class BinOf>
int median(std::size_t n, BinOf bin_of) {
  std::array<std::uint32_t, bins> histogram{};
  for (std::size_t i = 0; i < n; i++) histogram[std::size_t(std::clamp(bin_of(i), 0, bins - 1))]++;
  return median_bin(histogram.data(), static_cast<int>(n));
}

Line line_of(const Samples &samples, bool chroma, float luma_gain) {
  const std::size_t n = samples.count();
  const std::uint8_t *const bs = samples.background(), *const ys = samples.frame();
  const auto b = [&](std::size_t i) { return static_cast<float>(bs[i]); };
  const auto y = [&](std::size_t i) { return static_cast<float>(ys[i]); };
  Line l;
  float gain0 = luma_gain;
  if (!chroma) {
    gain0 = (static_cast<float>(median(n, [&](std::size_t i) { return 64 * ys[i] / bs[i]; })) + 0.5f) / 64;
  } else {
    const int shift = median(
        n, [&](std::size_t i) { return static_cast<int>(std::floor(y(i) - gain0 * (b(i) - 128) + 0.5f)); });
    l.offset = static_cast<float>(shift) - gain0 * 128;
  }
  l.gain = gain0;
  const auto distance = [&](std::size_t i) { return std::abs(y(i) - l.gain * b(i) - l.offset); };
  for (int round = 0; round < rounds; round++) {
    const int bin = median(n, [&](std::size_t i) { return static_cast<int>(4 * distance(i)); });
    const float within = std::max(6.f, 1.5f * (static_cast<float>(bin) + 0.5f) / 4);
    Sums s;
    for (std::size_t i = 0; i < n; i++) {
      const std::uint32_t take = distance(i) <= within;
      s.n += take;
      s.b += take * bs[i];
      s.y += take * ys[i];
      s.bb += take * bs[i] * bs[i];
      s.by += take * bs[i] * ys[i];
    }
    if (s.n == 0) break;
    const Fit<float> f = fit<float>(s, gain0, chroma ? hold_chroma<float> : hold_luma<float>);
    l.gain = f.gain;
    l.offset = f.offset;
  }
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < n; i++) agreeing += distance(i) <= 8 * std::max(1.f, l.gain);
  l.agreeing = n ? static_cast<float>(agreeing) / static_cast<float>(n) : 0;
  return l;
}

} // namespace

void update(Lines &lines, int channel, const Samples &samples, bool yuv) {
  const bool chroma = yuv && channel > 0;
  const Line l = line_of(samples, chroma, lines.channel[0].gain);
  Line &kept = lines.channel[channel];
  const bool enough = samples.enough(yuv);
  const bool good = enough && l.agreeing >= least_agreeing && l.gain >= 1 / max_gain && l.gain <= max_gain;
  const Line now = good ? l : Line{1 + (kept.gain - 1) * fading, kept.offset * fading, 0, 0, {}};
  std::uint32_t e = 0, e0 = 0;
  for (std::size_t i = 0; i < samples.count(); i++) {
    const auto b = static_cast<float>(samples.background()[i]), y = static_cast<float>(samples.frame()[i]);
    e += error_of(std::abs(y - now.gain * b - now.offset));
    e0 += error_of(std::abs(y - b));
  }
  kept = settled(now, kept, e, e0, enough, chroma);
}

} // namespace vigil::exposure
