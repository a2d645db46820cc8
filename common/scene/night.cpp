// SPDX-License-Identifier: LGPL-2.1-or-later
// A street at night by the headlights of its cars, and a camera that turns to infra-red light at dusk.
#include "common/scene/beams.h"
#include "common/scene/effect.h"
#include "common/scene/ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::scene {
namespace {

constexpr Rgb night_light{0.27f, 0.29f, 0.34f};
// Seconds of each period of the story ir_cut: it gets dark, the camera turns to infra-red light and back, it
// is light again.
constexpr double cut_period = 40, dusk_from = 3, cut_at = 7, back_at = 25, light_at = 29, settles = 0.6;
constexpr float least_daylight = 0.3f;

float ramp(double from, double to, double t) {
  return float(std::clamp((t - from) / (to - from), 0., 1.));
}

void multiply(const ColourRow &row, int x, const Rgb &k) {
  row.r[x] *= k.r;
  row.g[x] *= k.g;
  row.b[x] *= k.b;
}

class Headlights final : public Effect {
 public:
  Headlights(const Settings &s, const Camera &camera) : width_(s.width), beams_(s, camera) {}

  class Frame final : public Effect::Frame {
   public:
    Frame(const Headlights &all, const std::vector<Actor> &actors)
        : width_(all.width_), beams_(all.beams_, actors) {}
    void row(const ColourRow &row, int y) const override {
      for (int x = 0; x < width_; x++) multiply(row, x, night_light + beams_.light(x, y));
      beams_.glare(row, y);
    }
    float noise() const override { return 1.6f; }

   private:
    int width_;
    Beams::Frame beams_;
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &, const std::vector<Actor> &actors) const override {
    return std::make_unique<Frame>(*this, actors);
  }

 private:
  int width_;
  Beams beams_;
};

class IrCut final : public Effect {
 public:
  IrCut(const Settings &s, const Camera &camera)
      : width_(s.width), quiet_(double(s.quiet)), lamp_(s, camera) {}

  class Frame final : public Effect::Frame {
   public:
    Frame(const IrCut &all, double t) : all_(all), grey_(t >= cut_at && t < back_at) {
      const float day = 1 - (1 - least_daylight) * (ramp(dusk_from, cut_at, t) - ramp(back_at, light_at, t));
      // The exposure settles after each change: too bright, then as it should be.
      const double changed = grey_ ? cut_at : back_at;
      const float over = t >= changed ? 0.5f * (1 - ramp(changed, changed + settles, t)) : 0.f;
      light_ = (grey_ ? 1 : day) * (1 + over);
      noise_ = 2 - day;
    }
    void row(const ColourRow &row, int y) const override {
      if (grey_) all_.lamp_.row(row, y);
      for (int x = 0; x < all_.width_; x++) multiply(row, x, {light_, light_, light_});
    }
    float noise() const override { return noise_; }
    bool colourless() const override { return grey_; }

   private:
    const IrCut &all_;
    bool grey_;
    float light_, noise_;
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &m, const std::vector<Actor> &) const override {
    return std::make_unique<Frame>(*this, std::fmod(std::max(m.time - quiet_, 0.), cut_period));
  }

 private:
  int width_;
  double quiet_;
  InfraredLamp lamp_;
};

} // namespace

InfraredLamp::InfraredLamp(const Settings &s, const Camera &camera) : width_(s.width) {
  constexpr float reach = 11; // metres
  for (int y = 0; y < s.height; y++)
    for (int x = 0; x < s.width; x++) {
      const ScenePoint p = foot_of(camera, float(x) + 0.5f, float(y) + 0.5f);
      const float far2 = (p.x * p.x + p.y * p.y) / (reach * reach);
      light_.push_back(0.2f + 0.9f / (1 + far2));
    }
}

void InfraredLamp::row(const ColourRow &row, int y) const {
  const float *const light = light_.data() + std::ptrdiff_t(y) * width_;
  for (int x = 0; x < width_; x++)
    row.r[x] = row.g[x] = row.b[x] =
        light[x] * (0.4f * row.r[x] + 0.35f * row.g[x] + 0.25f * row.b[x]); // infra-red shows other contrasts
}

std::unique_ptr<Effect> make_headlights(const Settings &s, const Camera &camera) {
  return std::make_unique<Headlights>(s, camera);
}
std::unique_ptr<Effect> make_ir_cut(const Settings &s, const Camera &camera) {
  return std::make_unique<IrCut>(s, camera);
}

} // namespace vigil::scene
