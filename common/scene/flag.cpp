// SPDX-License-Identifier: LGPL-2.1-or-later
// A flag of three stripes that waves at a house, in a wind that falls and rises within seconds and within
// hours. The seed chooses where it hangs, its stripes and its wind.
#include "common/scene/effect.h"
#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace vigil::scene {
namespace {

constexpr float long_side = 0.24f, short_side = 0.15f, swing = 0.04f; // of the picture's height
constexpr float waves = 1.2f;                                         // over the length
constexpr double wave_rate = 1.1;                                     // a second
constexpr double gust = 3, spell = 1500;                              // seconds in which the wind changes
constexpr float calm = 0.25f;                                         // the least wind, of the strongest
constexpr float droop = 0.12f; // of the height: how far the end hangs in a lull
constexpr float fold = 0.3f;   // how far folds are lighter and darker

class Flag final : public Effect {
 public:
  explicit Flag(const Settings &s)
      : seed_(mix(s.seed, 0x666c6167u)), width_(s.width), length_(long_side * float(s.height)),
        height_(short_side * float(s.height)), swing_(swing * float(s.height)),
        droop_(droop * float(s.height)) {
    Random random(seed_);
    left_ = random.between(0.1f, 0.8f) * float(s.width);
    top_ = random.between(0.05f, 0.2f) * float(s.height);
    for (Rgb &stripe : stripes_)
      stripe = {random.between(20, 235), random.between(20, 235), random.between(20, 235)};
  }

  class Frame final : public Effect::Frame {
   public:
    Frame(const Flag &all, double time)
        : all_(all), phase_(float(std::fmod(wave_rate * time, 1.))),
          wind_(calm + (1 - calm) * blow(all.seed_, time / spell) * blow(all.seed_ + 1, time / gust)) {}
    void row(const ColourRow &row, int y) const override {
      each(y, [&](int x, const Rgb &c) { row.r[x] = c.r, row.g[x] = c.g, row.b[x] = c.b; });
    }
    void hide(std::uint8_t *truth, int y) const override {
      each(y, [&](int x, const Rgb &) { truth[x] = truth_background; });
    }

   private:
    static float blow(std::uint32_t key, double at) { // 0..1
      return 0.5f + 0.5f * value_noise(key, float(std::fmod(at, 65536.)), 0.5f);
    }
    // Calls with each pixel of row y that the flag covers.
    template <class Use>
    void each(int y, Use use) const {
      if (float(y) < all_.top_ - all_.swing_ ||
          float(y) > all_.top_ + all_.height_ + all_.swing_ + all_.droop_)
        return;
      const int first = int(all_.left_),
                last = std::min(all_.width_, int(all_.left_ + all_.length_ * (0.6f + 0.4f * wind_)));
      for (int x = first; x < last; x++) {
        const float along = float(x - first) / all_.length_;
        const float turn = 2 * std::numbers::pi_v<float> * (waves * along - phase_);
        const float down = float(y) - all_.top_ - wind_ * all_.swing_ * along * std::sin(turn) -
                           (1 - wind_) * all_.droop_ * along;
        if (down < 0 || down >= all_.height_) continue;
        const float light = 1 + wind_ * fold * along * std::cos(turn);
        const Rgb &c =
            all_.stripes_[std::min(std::size_t(3 * down / all_.height_), std::size(all_.stripes_) - 1)];
        use(x, Rgb{light * c.r, light * c.g, light * c.b});
      }
    }
    const Flag &all_;
    float phase_, wind_;
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    return std::make_unique<Frame>(*this, m.time);
  }

 private:
  std::uint32_t seed_;
  int width_;
  float length_, height_, swing_, droop_, left_, top_; // pixels
  Rgb stripes_[3];
};

} // namespace

std::unique_ptr<Effect> make_flag(const Settings &s) {
  return std::make_unique<Flag>(s);
}

} // namespace vigil::scene
