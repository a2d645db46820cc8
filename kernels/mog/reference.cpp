// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of mog.h in double precision, one pixel after another, as plainly as they can be said.
#include "kernels/mog/mog.h"

#include "common/error.h"
#include "common/turned.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vigil::mog {
namespace {

using Sample = std::array<double, 3>;

Sample sample_at(const ConstImage &f, int x, int y, int channels) {
  const std::uint8_t *first = f.plane(0).row(y);
  if (f.format == PixelFormat::rgba || f.format == PixelFormat::bgra) {
    const std::uint8_t *p = first + 4 * x;
    if (channels == 3) return {double(p[0]), double(p[1]), double(p[2])};
    return {f.format == PixelFormat::rgba ? double(luma(p[0], p[1], p[2])) : double(luma(p[2], p[1], p[0]))};
  }
  if (channels == 1) return {double(first[x])};
  const bool pairs = f.format == PixelFormat::nv12;
  const std::uint8_t u = pairs ? f.plane(1).row(y / 2)[x / 2 * 2] : f.plane(1).row(y / 2)[x / 2];
  const std::uint8_t v = pairs ? f.plane(1).row(y / 2)[x / 2 * 2 + 1] : f.plane(2).row(y / 2)[x / 2];
  return {double(first[x]), double(u), double(v)};
}

struct Component {
  double weight = 0, variance = 0;
  Sample mean{};
};

double distance2(const Sample &x, const Sample &m, int channels) {
  double sum = 0;
  for (int c = 0; c < channels; c++) sum += (x[c] - m[c]) * (x[c] - m[c]);
  return sum;
}

struct Pixel {
  int active = 0;
  std::array<Component, max_components> component{};

  // While the component at k is at least as heavy as its predecessor, the two change places.
  void move_up(int k) {
    for (; k > 0 && component[k].weight >= component[k - 1].weight; k--)
      std::swap(component[k], component[k - 1]);
  }
};

bool step_mog(Pixel &pixel, const Sample &x, double a, int K, const Constants &c) {
  bool matched = false, background = false;
  for (int k = 0; k < K; k++) {
    Component &g = pixel.component[k];
    const double d = x[0] - g.mean[0];
    if (g.weight > 0 && d * d < c.match2 * g.variance) {
      matched = true;
      g.weight = (1 - a) * g.weight + a;
      const double r = std::min(a / g.weight, 1.);
      g.mean[0] += r * d;
      g.variance = std::max(g.variance + r * (d * d - g.variance), c.min_variance);
      if (g.weight >= c.weight_threshold) background = true;
    } else {
      g.weight = (1 - a) * g.weight;
    }
  }
  if (!matched && a > 0) {
    const auto lightest =
        std::min_element(pixel.component.begin(), pixel.component.begin() + K,
                         [](const Component &l, const Component &r) { return l.weight < r.weight; });
    *lightest = {c.initial_weight, c.initial_variance, x};
  }
  double sum = 0;
  for (int k = 0; k < K; k++) sum += pixel.component[k].weight;
  pixel.active = 0;
  for (int k = 0; k < K; k++) {
    if (sum > 0) pixel.component[k].weight /= sum;
    if (pixel.component[k].weight > 0) pixel.active++;
  }
  return background;
}

// By weight over deviation, before the frame changes anything.
bool background_by_deviation(const Pixel &pixel, const Sample &x, int channels, const Constants &c) {
  std::array<int, max_components> order{};
  for (int k = 0; k < pixel.active; k++) order[k] = k;
  std::stable_sort(order.begin(), order.begin() + pixel.active, [&](int l, int r) {
    const auto rank = [&](int k) {
      return pixel.component[k].weight / std::sqrt(pixel.component[k].variance);
    };
    return rank(l) > rank(r);
  });
  double total = 0;
  for (int i = 0; i < pixel.active && total < c.background_ratio; i++) {
    const Component &g = pixel.component[order[i]];
    if (distance2(x, g.mean, channels) < c.background2 * g.variance) return true;
    total += g.weight;
  }
  return false;
}

bool step_zivkovic(Pixel &pixel, const Sample &x, double a, int K, int channels, const Constants &c) {
  const double prune = a * c.complexity_prior;
  bool owned = false;
  bool background = c.background_by_deviation && background_by_deviation(pixel, x, channels, c);
  double total = 0;
  for (int k = 0; k < pixel.active; k++) {
    Component g = pixel.component[k];
    g.weight = (1 - a) * g.weight - prune;
    bool owner = false;
    if (!owned) {
      const double d2 = distance2(x, g.mean, channels);
      if (!c.background_by_deviation && total < c.background_ratio && d2 < c.background2 * g.variance)
        background = true;
      if (d2 < c.match2 * g.variance) {
        owned = owner = true;
        g.weight += a;
        const double rate = g.weight > a ? a / g.weight : a > 0 ? 1 : 0;
        for (int i = 0; i < channels; i++) g.mean[i] += rate * (x[i] - g.mean[i]);
        g.variance = std::clamp(g.variance + rate * (d2 - g.variance), c.min_variance, c.max_variance);
      }
    }
    const bool dies = g.weight < prune;
    const double moved_by = g.weight; // the weight that decides its place is the one before it is dropped
    if (dies) g.weight = 0;
    total += g.weight;
    pixel.component[k] = g;
    if (owner) {
      int to = k;
      for (; to > 0 && moved_by >= pixel.component[to - 1].weight; to--)
        std::swap(pixel.component[to], pixel.component[to - 1]);
    }
    if (dies) pixel.active--;
  }
  for (int k = pixel.active; k < K; k++) pixel.component[k] = {};
  if (total > 0)
    for (int k = 0; k < pixel.active; k++) pixel.component[k].weight /= total;
  if (!owned && a > 0) {
    const int at = std::min(pixel.active, K - 1);
    pixel.active = at + 1;
    if (at > 0)
      for (int k = 0; k < at; k++) pixel.component[k].weight *= 1 - a;
    pixel.component[at] = {at == 0 ? 1. : a, c.initial_variance, x};
    pixel.move_up(at);
  }
  return background;
}

bool has_colour(const Sample &x, const Constants &c) {
  const auto square = [](double v) { return v * v; };
  const double chroma2 = c.zero[1] != 0
                             ? square(x[1] - c.zero[1]) + square(x[2] - c.zero[2])
                             : (square(x[0] - x[1]) + square(x[1] - x[2]) + square(x[2] - x[0])) / 3;
  return chroma2 >= c.colourless2;
}

bool in_shadow(const Pixel &pixel, const Sample &x, const Config &config, const Constants &c) {
  double total = 0;
  const int count = config.method == Method::mog ? config.components : pixel.active;
  for (int k = 0; k < count; k++) {
    const Component &g = pixel.component[k];
    if (config.method == Method::mog && g.weight < c.weight_threshold) continue;
    double n = 0, q = 0;
    for (int i = 0; i < config.channels; i++) {
      n += (x[i] - c.zero[i]) * (g.mean[i] - c.zero[i]);
      q += (g.mean[i] - c.zero[i]) * (g.mean[i] - c.zero[i]);
    }
    if (q == 0) return false;
    if (n <= q && n >= c.deep_shadow_threshold * q) {
      const double t = n / q;
      double d2 = 0;
      for (int i = 0; i < config.channels; i++) {
        const double d = t * (g.mean[i] - c.zero[i]) - (x[i] - c.zero[i]);
        d2 += d * d;
      }
      const double own2 = c.shadow2 * g.variance;
      const bool pale = n >= c.shadow_threshold * q;
      const double within2 = pale ? own2 : std::min(own2, c.deep_shadow2);
      if (d2 < within2 * t * t && (pale || has_colour(x, c) || has_colour(g.mean, c))) return true;
    }
    total += g.weight;
    if (config.method == Method::zivkovic && total > c.background_ratio) return false;
  }
  return false;
}

class Reference final : public Model {
 public:
  explicit Reference(const Config &config) : config_(config) {
    check_config(config);
    pixels_.resize(std::size_t(config.width) * config.height);
  }
  const Config &config() const override { return config_; }

  void apply(std::span<const Step> group, const Params &params, const RateMap &rates, Queue &) override {
    for (const Step &step : group) {
      const Shift shift = step.shift ? *step.shift : Shift{};
      const Constants c = resolve(params, config_.method, step.frame.format, config_.channels, config_.range);
      const Turned places(shift, config_.width, config_.height);
      const auto inside = [&](Position p) {
        return p.x >= 0 && p.x < config_.width && p.y >= 0 && p.y < config_.height;
      };
      std::vector<std::uint8_t> labels(pixels_.size()); // of the model
      for (int v = 0; v < config_.height; v++)
        for (int u = 0; u < config_.width; u++) {
          const Position p = shift.is_turned() ? places.of(u, v) : Position{u + shift.x, v + shift.y};
          if (!inside(p)) continue;
          const int kind = rates.map ? rates.map[v / rates.size * rates.columns + u / rates.size] : 0;
          const double a = rates.rate(step.learning_rate, kind);
          labels[std::size_t(v) * config_.width + u] =
              classify(at(u, v), sample_at(step.frame, p.x, p.y, config_.channels), a, c);
        }
      for (int y = 0; y < config_.height; y++)
        for (int x = 0; x < config_.width; x++) { // of the frame
          const Position p = shift.is_turned() ? places.back(x, y) : Position{x - shift.x, y - shift.y};
          step.mask.row(y)[x] = inside(p) ? labels[std::size_t(p.y) * config_.width + p.x] : std::uint8_t{0};
        }
      frames++;
    }
  }

  void background(const Image &out, Queue &) override {
    for (int y = 0; y < config_.height; y++)
      for (int x = 0; x < config_.width; x++) {
        const Sample m = heaviest_mean(at(x, y), out.format);
        const auto byte = [&](int i) {
          return static_cast<std::uint8_t>(std::clamp(std::lround(m[i]), 0L, 255L));
        };
        std::uint8_t *first = out.plane(0).row(y);
        if (out.format == PixelFormat::rgba || out.format == PixelFormat::bgra) {
          std::uint8_t *p = first + 4 * x;
          for (int i = 0; i < 3; i++) p[i] = byte(i);
          p[3] = 255;
          continue;
        }
        first[x] = byte(0);
        if (x % 2 || y % 2) continue; // chroma is that of the top left pixel of its 2x2
        if (out.format == PixelFormat::nv12) {
          out.plane(1).row(y / 2)[x] = byte(1);
          out.plane(1).row(y / 2)[x + 1] = byte(2);
        } else if (out.format == PixelFormat::i420) {
          out.plane(1).row(y / 2)[x / 2] = byte(1);
          out.plane(2).row(y / 2)[x / 2] = byte(2);
        }
      }
  }

  State save(Queue &) override {
    State s = empty_state(config_);
    s.frames = frames;
    for_each_value(s, [](float &stored, double &value) { stored = static_cast<float>(value); });
    for (std::size_t i = 0; i < pixels_.size(); i++)
      s.active[i] = static_cast<std::uint8_t>(pixels_[i].active);
    return s;
  }
  void load(const State &s, Queue &) override {
    check_fits(s, config_);
    frames = s.frames;
    State copy = s;
    for_each_value(copy, [](float &stored, double &value) { value = stored; });
    for (std::size_t i = 0; i < pixels_.size(); i++) pixels_[i].active = s.active[i];
  }

 private:
  Pixel &at(int x, int y) { return pixels_[std::size_t(y) * config_.width + x]; }

  std::uint8_t classify(Pixel &pixel, const Sample &x, double a, const Constants &c) const {
    const bool background = config_.method == Method::mog
                                ? step_mog(pixel, x, a, config_.components, c)
                                : step_zivkovic(pixel, x, a, config_.components, config_.channels, c);
    if (background) return 0;
    if (c.detect_shadows && in_shadow(pixel, x, config_, c)) return c.shadow_value;
    return 255;
  }

  // The mean of the heaviest component as the picture's own channels.
  Sample heaviest_mean(const Pixel &pixel, PixelFormat format) const {
    const bool yuv = format == PixelFormat::nv12 || format == PixelFormat::i420;
    Sample m = {0, yuv ? 128. : 0., yuv ? 128. : 0.};
    const Component *best = nullptr;
    for (int k = 0; k < config_.components; k++) {
      const Component &g = pixel.component[k];
      const bool used = config_.method == Method::mog ? g.weight > 0 : k < pixel.active;
      if (used && (!best || g.weight > best->weight)) best = &g;
    }
    if (!best) return m;
    if (config_.channels == 3) return best->mean;
    m[0] = best->mean[0];
    if (!yuv) m[1] = m[2] = m[0];
    return m;
  }

  template <class Fn>
  void for_each_value(State &s, Fn fn) {
    const std::size_t n = pixels_.size();
    for (std::size_t i = 0; i < n; i++)
      for (int k = 0; k < config_.components; k++) {
        Component &g = pixels_[i].component[k];
        fn(s.weight[k * n + i], g.weight);
        fn(s.variance[k * n + i], g.variance);
        for (int c = 0; c < config_.channels; c++) fn(s.mean[(k * config_.channels + c) * n + i], g.mean[c]);
      }
  }

  Config config_;
  std::vector<Pixel> pixels_;
};

} // namespace

std::unique_ptr<Model> make_reference(const Config &config) {
  return std::make_unique<Reference>(config);
}

} // namespace vigil::mog
