// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: constants, checks, the choice of a backend. No loop over pixels.
#include "kernels/mog/mog.h"
#include "kernels/of_backend.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::mog {

static constexpr double max_variance_yuv = 0.25, deep_shadow2_yuv = 0.25,
                        shadow2_yuv = 4. / 9; // of those for R G B
static constexpr double shadow_threshold_rgb = 0.85, shadow_threshold_yuv = 0.8;
static constexpr double shadow_threshold_video = 0.83f; // Y U V in video range
// Less than a grey road in a picture in colour has, most of the time. No sample's chroma2 is exactly this.
static constexpr double colourless2_yuv = 0.2, colourless2_rgb = 0.8;
static constexpr double initial_rgb = 15, initial_yuv = 6, initial_mog = 225;

Constants resolve(const Params &p, Method method, PixelFormat format, int channels, ColourRange range) {
  const bool zivkovic = method == Method::zivkovic;
  const auto square = [](double v) { return v * v; };
  const double match = p.match_sigma > 0 ? std::max(p.match_sigma, 1.f) : zivkovic ? 3. : 2.5;
  const bool yuv = format == PixelFormat::nv12 || format == PixelFormat::i420;
  const bool three_yuv = channels == 3 && yuv;
  const double chroma_zero = three_yuv ? 128. : 0.;
  Constants c{};
  c.match2 = square(match);
  c.background2 = square(p.background_sigma);
  c.background_ratio = p.background_ratio;
  c.weight_threshold = p.weight_threshold;
  c.complexity_prior = p.complexity_prior;
  c.min_variance = p.min_variance;
  const double max_variance = p.max_variance * (three_yuv ? max_variance_yuv : 1.);
  c.max_variance = std::max<double>(p.min_variance, max_variance);
  const double own_initial = !zivkovic ? initial_mog : three_yuv ? initial_yuv : initial_rgb;
  c.initial_variance = p.initial_variance > 0 ? p.initial_variance : own_initial;
  c.initial_variance = std::max(c.initial_variance, c.min_variance);
  if (zivkovic) c.initial_variance = std::min(c.initial_variance, c.max_variance);
  c.initial_weight = p.initial_weight;
  c.background_by_deviation = p.background_by_deviation;
  c.detect_shadows = p.detect_shadows;
  const bool video = yuv && range == ColourRange::video && (three_yuv || !zivkovic);
  const double own_threshold = video       ? shadow_threshold_video
                               : three_yuv ? shadow_threshold_yuv
                                           : shadow_threshold_rgb;
  c.shadow_threshold = p.shadow_threshold > 0 ? p.shadow_threshold : own_threshold;
  c.shadow2 = p.shadow_sigma > 0 ? square(p.shadow_sigma) * (three_yuv ? shadow2_yuv : 1.) : c.background2;
  const bool deep = channels == 3 && p.deep_shadow_distance > 0;
  c.deep_shadow_threshold =
      deep ? std::min<double>(p.deep_shadow_threshold, c.shadow_threshold) : c.shadow_threshold;
  c.deep_shadow2 = square(p.deep_shadow_distance) * (three_yuv ? deep_shadow2_yuv : 1.);
  c.colourless2 = three_yuv ? colourless2_yuv : colourless2_rgb;
  c.shadow_value = static_cast<std::uint8_t>(std::clamp(p.shadow_value, 0, 255));
  c.zero[0] = 0;
  c.zero[1] = c.zero[2] = chroma_zero;
  return c;
}

double learning_rate(const Params &p, std::uint64_t frame_number) {
  if (p.learning_rate >= 0 && frame_number > 1) return p.learning_rate;
  const double frames = std::min<double>(2. * static_cast<double>(frame_number), p.history);
  return 1. / std::max(frames, 1.);
}

Precision precision_for(double a, double min_variance) {
  if (a <= 0) return Precision::compact;
  return a >= 0x1p-16 && a * std::sqrt(min_variance) >= 0x1p-15 ? Precision::compact : Precision::single;
}

void check_config(const Config &c) {
  using enum Error::Kind;
  if (c.width < 1 || c.height < 1)
    fail(bad_setting, "a model of ", c.width, "x", c.height, " pixels is not possible");
  if (c.channels != 1 && c.channels != 3) fail(bad_setting, "channels must be 1 or 3, not ", c.channels);
  if (c.method == Method::mog && c.channels != 1)
    fail(bad_setting, "method mog works on luma: channels must be 1, not ", c.channels);
  if (c.components < 1 || c.components > max_components)
    fail(bad_setting, "components must be 1..", max_components, ", not ", c.components);
}

State empty_state(const Config &c) {
  check_config(c);
  State s;
  s.config = c;
  const std::size_t n = std::size_t(c.width) * c.height;
  s.active.resize(n);
  s.weight.resize(n * c.components);
  s.variance.resize(n * c.components);
  s.mean.resize(n * c.components * c.channels);
  return s;
}

void check_fits(const State &s, const Config &c) {
  using enum Error::Kind;
  const auto differs = [](const char *what, auto got, auto want) {
    fail(bad_data, "the saved model's ", what, " is ", got, ", but ", want, " is needed");
  };
  if (s.config.width != c.width || s.config.height != c.height)
    fail(bad_data, "the saved model is of ", s.config.width, "x", s.config.height,
         " pixels, but the frames are of ", c.width, "x", c.height);
  if (s.config.channels != c.channels) differs("number of channels", s.config.channels, c.channels);
  if (s.config.method != c.method) differs("method", name_of(s.config.method), name_of(c.method));
  if (s.config.components != c.components) differs("number of components", s.config.components, c.components);
  const std::size_t n = std::size_t(c.width) * c.height;
  if (s.active.size() != n || s.weight.size() != n * c.components || s.variance.size() != n * c.components ||
      s.mean.size() != n * c.components * c.channels)
    fail(bad_data, "the saved model's arrays are not of its own size");
  const auto within = [](const std::vector<float> &values, float low, float high) {
    return std::all_of(values.begin(), values.end(),
                       [=](float v) { return v >= low && v <= high; }); // no NaN
  };
  if (!std::all_of(s.active.begin(), s.active.end(), [&](int k) { return k <= c.components; }) ||
      !within(s.weight, 0.f, 1.001f) || !within(s.variance, 0.f, 1e6f) || !within(s.mean, -0.5f, 255.5f))
    fail(bad_data, "the saved model holds impossible values");
}

const char *name_of(Method m) {
  return m == Method::mog ? "mog" : "zivkovic";
}

const char *name_of(Precision p) {
  return p == Precision::single ? "single" : p == Precision::double_ ? "double" : "compact";
}

std::unique_ptr<Model> make(Device &device, const Config &config) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device, config);
}

} // namespace vigil::mog
