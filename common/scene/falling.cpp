// SPDX-License-Identifier: LGPL-2.1-or-later
// Rain and snow.
#include "common/scene/effect.h"
#include "common/scene/hash.h"
#include "common/scene/veil.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

constexpr float drops_of_320x240 = 300, flakes_of_320x240 = 260;
constexpr int most_at_once = 20000;
constexpr Rgb drop_colour{205, 208, 212}, flake_colour{236, 238, 242};
constexpr double shutter = 1 / 60.; // seconds

int number_of(float of_320x240, const Settings &s) {
  return std::min(most_at_once, int(of_320x240 * float(s.width) / float(s.height) * 0.75f));
}

class FallingFrame final : public Effect::Frame {
 public:
  FallingFrame(Veil veil, int width) : veil_(std::move(veil)), width_(width) {}
  void row(const ColourRow &row, int y) const override { veil_.row(row, width_, y); }

 private:
  Veil veil_;
  int width_;
};

// Streaks, others in each frame. Gusts slant all of them.
class Rain final : public Effect {
 public:
  explicit Rain(const Settings &s) : s_(s), key_(mix(s.seed, 0x7261696eu)) {}
  std::unique_ptr<Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    const auto t = float(std::fmod(m.time, 4096.));
    const float pixels = float(s_.height) / 240, gust = value_noise(key_, 0.5f * t, 0.5f);
    const int drops = int(float(number_of(drops_of_320x240, s_)) * (0.75f + 0.25f * gust));
    Veil veil;
    for (int i = 0; i < drops; i++) {
      Random random(mix(key_, std::uint32_t(m.frame), std::uint32_t(m.frame >> 32), std::uint32_t(i)));
      const float length = random.between(6, 16) * pixels, x = random.between(-8, float(s_.width)),
                  y = random.between(-16 * pixels, float(s_.height)),
                  slant = 0.15f + 0.12f * gust + random.between(-0.03f, 0.03f),
                  thick = random.between(0.3f, 0.6f) * pixels, dense = random.between(0.1f, 0.4f);
      veil.add({x, y}, {x + slant * length, y + length}, thick, drop_colour, dense);
    }
    return std::make_unique<FallingFrame>(std::move(veil), s_.width);
  }

 private:
  Settings s_;
  std::uint32_t key_;
};

// Each flake falls on its own way; near ones are large, fast and pale.
class Snow final : public Effect {
 public:
  explicit Snow(const Settings &s) : s_(s), key_(mix(s.seed, 0x736e6f77u)) {}
  std::unique_ptr<Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    const float pixels = float(s_.height) / 240, border = 12 * pixels;
    const int flakes = number_of(flakes_of_320x240, s_);
    Veil veil;
    for (int i = 0; i < flakes; i++) {
      Random random(mix(key_, std::uint32_t(i)));
      const float near = std::pow(random.between(0, 1), 3.f), radius = (0.5f + 2.3f * near) * pixels;
      const double speed = double((60 + 170 * near) * pixels * random.between(0.85f, 1.15f)),
                   drift = 0.2 * speed;
      const double x0 = double(random.between(0, 1)), y0 = double(random.between(0, 1));
      const float swing = random.between(1, 4) * pixels, phase = random.between(0, 6.28f);
      const auto wrapped = [&](double start, double way, int size) {
        const double span = size + 2 * double(border);
        return float(std::fmod(start * span + way, span)) - border;
      };
      const ScenePoint at{wrapped(x0, drift * m.time, s_.width) +
                              swing * float(std::sin(2.2 * m.time + double(phase))),
                          wrapped(y0, speed * m.time, s_.height)};
      const ScenePoint to{at.x + float(drift * shutter), at.y + float(speed * shutter)};
      veil.add(at, to, radius, flake_colour, 0.85f - 0.45f * near);
    }
    return std::make_unique<FallingFrame>(std::move(veil), s_.width);
  }

 private:
  Settings s_;
  std::uint32_t key_;
};

} // namespace

std::unique_ptr<Effect> make_rain(const Settings &s) {
  return std::make_unique<Rain>(s);
}
std::unique_ptr<Effect> make_snow(const Settings &s) {
  return std::make_unique<Snow>(s);
}

} // namespace vigil::scene
