// SPDX-License-Identifier: LGPL-2.1-or-later
// What the reference and the backends share: definitions, no loops over pixels.
#include "kernels/colinearseg/colinearseg.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vigil::colinearseg {
namespace {

// 27 pairs of samples in the window are 54 measurements; the line through the origin has one parameter and
// each pair one place along it, which makes 28 unknowns. Section 2.1 prints 3(N - 1) = 24 for N = 9 pixels,
// which takes one unknown off for each channel.
constexpr double degrees_of_freedom = 26;
constexpr double unseen_variance = 10;
constexpr double greatest_spread = 0.83;
constexpr double ninetieth_percentile = 1.2815515655446004; // of a standard normal variable

// The z that a standard normal variable passes with probability p, by bisection.
double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 60; i++) {
    const double z = (low + high) / 2;
    (std::erfc(z / std::sqrt(2.)) / 2 > p ? low : high) = z;
  }
  return (low + high) / 2;
}

// A bijection of 64 bits that scatters neighbouring numbers (the finaliser of SplitMix64).
std::uint64_t scatter(std::uint64_t v) {
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9;
  v = (v ^ (v >> 27)) * 0x94d049bb133111eb;
  return v ^ (v >> 31);
}

template <class S, class T, class V>
T clamped(T S::*field, V value) {
  T result{};
  for_each_param(params_table, [&](int, const auto &p) {
    if constexpr (std::is_same_v<decltype(p.field), T S::*>)
      if (p.field == field)
        result = static_cast<T>(std::clamp<double>(double(value), double(p.min), double(p.max)));
  });
  return result;
}

} // namespace

void add_frame(Noise &noise, std::span<const std::uint32_t> samples) {
  if (samples.empty()) return;
  std::vector<std::uint32_t> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = std::log1p(sorted[sorted.size() / 2]);
  const double high = std::log1p(sorted[sorted.size() * 9 / 10]);
  noise.level += (median - noise.level) / (noise.frames + 1);
  noise.spread += ((high - median) / ninetieth_percentile - noise.spread) / (noise.frames + 1);
  noise.frames++;
}

SampleGrid sample_grid(const Config &c) {
  SampleGrid g{0, 0, 0};
  do {
    g.step++;
    g.columns = (c.width + g.step - 1) / g.step;
    g.rows = (c.height + g.step - 1) / g.step;
  } while (g.columns * g.rows > 4096);
  return g;
}

int threshold_for(const Noise &noise, double significance) {
  const double median = noise.frames > 0 ? std::expm1(noise.level) : degrees_of_freedom * unseen_variance;
  const double z = normal_quantile(clamped(&Params::significance, significance));
  const double t = (median + degrees_of_freedom * unseen_variance) *
                   std::exp(z * std::clamp(noise.spread, 0., greatest_spread));
  return clamped(&Params::static_threshold, std::round(std::max(t, 0.)));
}

Constants resolve(const Params &p, const Noise &noise) {
  Constants c{};
  c.static_threshold = p.static_threshold >= 0 ? clamped(&Params::static_threshold, p.static_threshold)
                                               : threshold_for(noise, p.significance);
  const auto or_scaled = [&](int Params::*field, double scale) {
    return clamped(field, p.*field >= 0 ? double(p.*field) : std::round(scale * c.static_threshold));
  };
  c.darkness_offset = or_scaled(&Params::darkness_offset, 25.);
  c.temporal_compactness = or_scaled(&Params::temporal_compactness, 0.18);
  c.compactness = or_scaled(&Params::compactness, 0.18);
  c.iterations = clamped(&Params::iterations, p.iterations);
  c.adapt = static_cast<int>(std::lround(clamped(&Params::adapt_rate, p.adapt_rate) * 32768));
  c.seed = static_cast<std::uint32_t>(clamped(&Params::seed, p.seed));
  return c;
}

Order permutation(std::uint32_t seed, std::uint64_t frame, int iteration) {
  const std::uint64_t key = scatter(scatter(seed + 0x9e3779b97f4a7c15) ^ frame) + std::uint64_t(iteration);
  auto number = static_cast<unsigned>((scatter(key) >> 32) * 24 >> 32);
  Order order = {0, 1, 2, 3};
  for (int left = 4; left > 1; left--) {
    std::swap(order[left - 1], order[number % left]);
    number /= left;
  }
  return order;
}

Progress new_progress(int learn_frames, bool given) {
  if (learn_frames < 1 || learn_frames > max_learn_frames)
    fail(Error::Kind::bad_setting, "the background can be learnt from 1..", max_learn_frames, " frames, not ",
         learn_frames);
  Progress p;
  p.learn_frames = given ? 0 : learn_frames;
  p.measure_frames = measured_frames(learn_frames);
  return p;
}

void check_config(const Config &c) {
  if (c.width < 1 || c.height < 1 || c.width > 32768 || c.height > 32768)
    fail(Error::Kind::bad_setting, "pictures of ", c.width, "x", c.height, " pixels cannot be segmented");
}

void check_picture(const ConstImage &image, const Config &c) {
  if (image.format != PixelFormat::rgba && image.format != PixelFormat::bgra)
    fail(Error::Kind::bad_setting, "pictures must be rgba or bgra");
  if (image.width != c.width || image.height != c.height)
    fail(Error::Kind::bad_data, "the picture is of ", image.width, "x", image.height, " pixels, not of ",
         c.width, "x", c.height);
}

State empty_state(const Config &c, int learn_frames) {
  check_config(c);
  State s{new_progress(learn_frames), c, {}, {}, {}};
  const std::size_t n = std::size_t(c.width) * c.height;
  s.background.resize(3 * n);
  s.exact.resize(3 * n);
  s.mask.resize(n);
  return s;
}

void check_fits(const State &s, const Config &c) {
  if (s.config != c)
    fail(Error::Kind::bad_data, "the saved background is of ", s.config.width, "x", s.config.height,
         " pixels, but the frames are of ", c.width, "x", c.height);
  const std::size_t n = std::size_t(c.width) * c.height;
  if (s.background.size() != 3 * n || s.mask.size() != n || (s.exact.size() != 3 * n && !s.exact.empty()) ||
      (s.exact.empty() && s.learning()))
    fail(Error::Kind::bad_data, "the saved background's arrays are not of its own size");
  if (s.learn_frames < 0 || s.learn_frames > max_learn_frames || s.learnt < 0 || s.learnt > s.learn_frames)
    fail(Error::Kind::bad_data, "the saved background has learnt ", s.learnt, " of ", s.learn_frames,
         " frames");
}

} // namespace vigil::colinearseg
