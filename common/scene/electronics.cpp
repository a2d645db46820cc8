// SPDX-License-Identifier: LGPL-2.1-or-later
// Lamps that flicker before a rolling shutter, and a clock that the camera burns into its picture.
#include "common/scene/effect.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace vigil::scene {
namespace {

// A little off 100, as the mains and the camera's clock are: at 25 frames a second the bands roll slowly.
constexpr double flickers_a_second = 100.4, readout = 1 / 40.; // seconds from the first row to the last
constexpr double flicker_depth = 0.15;

class Flicker final : public Effect {
 public:
  explicit Flicker(const Settings &s) : width_(s.width), height_(s.height) {}

  class Frame final : public Effect::Frame {
   public:
    Frame(const Flicker &all, double time) : all_(all), phase_(std::fmod(flickers_a_second * time, 1.)) {}
    void row(const ColourRow &row, int y) const override {
      const double rows = flickers_a_second * readout * y / all_.height_;
      const auto k = float(1 + flicker_depth * std::sin(2 * std::numbers::pi * (phase_ + rows)));
      for (float *const channel : {row.r, row.g, row.b})
        for (int x = 0; x < all_.width_; x++) channel[x] *= k;
    }

   private:
    const Flicker &all_;
    double phase_; // of the first row, 0..1
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    return std::make_unique<Frame>(*this, m.time);
  }

 private:
  int width_, height_;
};

// HH:MM:SS in digits of bars, 4 dots wide and 7 high, in the upper left corner.
class BurntClock final : public Effect {
 public:
  explicit BurntClock(const Settings &s) : width_(s.width), dot_(std::max(1, s.height / 120)) {}

  class Frame final : public Effect::Frame {
   public:
    Frame(int width, int dot, double time) : width_(width), dot_(dot) {
      const int second = int(std::fmod(time, 86400.)),
                parts[] = {second / 3600, second / 60 % 60, second % 60};
      for (int i = 0; i < 8; i++) {
        const int n = parts[i / 3];
        text_[i] = i % 3 == 2 ? colon : i % 3 == 0 ? n / 10 : n % 10;
      }
    }
    void print(const ColourRow &row, int y) const override {
      each(y, [&](int x, float v) { row.r[x] = row.g[x] = row.b[x] = v; });
    }
    void hide(std::uint8_t *truth, int y) const override {
      each(y, [&](int x, float) { truth[x] = truth_background; });
    }

   private:
    static constexpr int colon = 10, margin = 2, wide = 4, high = 7, pitch = 6; // dots
    static constexpr float ink = 236, box = 16;
    // Calls with each pixel of row y that the clock covers.
    template <class Use>
    void each(int y, Use use) const {
      const int down = y / dot_ - margin;
      if (down < -1 || down > high) return;
      for (int x = (margin - 1) * dot_; x < std::min(width_, (margin + 8 * pitch) * dot_); x++) {
        const int across = x / dot_ - margin;
        const bool on =
            across >= 0 && down >= 0 && down < high && lit(text_[across / pitch], across % pitch, down);
        use(x, on ? ink : box);
      }
    }
    // Whether the digit has a dot there. Bars from the top, clockwise, the one in the middle last.
    static bool lit(int digit, int x, int y) {
      if (x >= wide) return false;
      if (digit == colon) return x == 1 && (y == 2 || y == 4);
      constexpr std::uint8_t bars[] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
      const auto has = [&](int bar) { return ((bars[digit] >> bar) & 1) != 0; };
      return (y == 0 && has(0)) || (x == wide - 1 && y <= 3 && has(1)) ||
             (x == wide - 1 && y >= 3 && has(2)) || (y == high - 1 && has(3)) ||
             (x == 0 && y >= 3 && has(4)) || (x == 0 && y <= 3 && has(5)) || (y == 3 && has(6));
    }
    int width_, dot_;
    int text_[8];
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    return std::make_unique<Frame>(width_, dot_, m.time);
  }

 private:
  int width_, dot_; // pixels
};

} // namespace

std::unique_ptr<Effect> make_flicker(const Settings &s) {
  return std::make_unique<Flicker>(s);
}
std::unique_ptr<Effect> make_clock(const Settings &s) {
  return std::make_unique<BurntClock>(s);
}

} // namespace vigil::scene
