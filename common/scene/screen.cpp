// SPDX-License-Identifier: LGPL-2.1-or-later
// A screen on the wall of a hall: another picture every few seconds, each of which slides slowly. The seed
// chooses where it hangs and what it shows.
#include "common/scene/effect.h"
#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::scene {
namespace {

constexpr float screen_width = 0.3f, screen_height = 0.18f; // of the picture's height
constexpr double shown_for = 4;                             // seconds that a picture lasts
constexpr float patches = 3, slide = 0.4f;                  // over the height; patches a second

class Screen final : public Effect {
 public:
  explicit Screen(const Settings &s) : seed_(mix(s.seed, 0x73637265u)) {
    Random random(seed_);
    const auto h = float(s.height);
    left_ = int(random.between(0.1f, 0.7f) * float(s.width));
    top_ = int(random.between(0.04f, 0.14f) * h);
    right_ = std::min(s.width, left_ + std::max(1, int(screen_width * h)));
    bottom_ = top_ + std::max(1, int(screen_height * h));
  }

  class Frame final : public Effect::Frame {
   public:
    Frame(const Screen &all, double time)
        : all_(all), shown_(std::uint32_t(std::fmod(time / shown_for, 1e6))),
          slid_(slide * float(std::fmod(time, shown_for))) {}
    void row(const ColourRow &row, int y) const override {
      if (y < all_.top_ || y >= all_.bottom_) return;
      const float patch = float(all_.bottom_ - all_.top_) / patches;
      const auto down = std::uint32_t(float(y - all_.top_) / patch);
      for (int x = all_.left_; x < all_.right_; x++) {
        const auto across = std::uint32_t(float(x - all_.left_) / patch + slid_);
        const auto level = [&](std::uint32_t channel) {
          return 20 + 215 * unit(mix(all_.seed_, shown_, down, across, channel));
        };
        row.r[x] = level(0), row.g[x] = level(1), row.b[x] = level(2);
      }
    }
    void hide(std::uint8_t *truth, int y) const override {
      if (y >= all_.top_ && y < all_.bottom_)
        std::fill(truth + all_.left_, truth + all_.right_, truth_background);
    }

   private:
    const Screen &all_;
    std::uint32_t shown_; // which picture
    float slid_;          // patches
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    return std::make_unique<Frame>(*this, m.time);
  }

 private:
  std::uint32_t seed_;
  int left_, top_, right_, bottom_; // pixels
};

} // namespace

std::unique_ptr<Effect> make_screen(const Settings &s) {
  return std::make_unique<Screen>(s);
}

} // namespace vigil::scene
