// SPDX-License-Identifier: LGPL-2.1-or-later
// The story `day`: 24 hours in a street, from noon to noon, and again. What the sky, the lamps and the rain
// do to the picture; who comes by is in day.cpp too, as a part of Plot.
//
//   12:00  sun, and clouds whose shadows drift over the street until 16:00
//   16:30  overcast; rain from 16:45 to 17:30
//   17:02  daylight fades, and turns warm before; at 18:23 it is night
//   17:53  the street lamps go on, all at once; off at 6:06. Cars have their headlights on with them, if the
//          settings say so
//   02:00  rain until 02:45
//   05:37  dawn, until 06:58
//   08:00  clouds until 10:30
// The sensor's noise is twice as strong at night. Shadows turn with the sun, and are pale under clouds and
// lamps.
#pragma once

#include "common/scene/beams.h"
#include "common/scene/effect.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace vigil::scene {

struct Weather {
  float daylight; // 0: night, 1: day
  float warmth;   // 0..1: how low the sun stands while it shines
  float overcast; // 0..1
  float broken;   // 0..1: how deep the shadows of single clouds are
  float rain;     // 0..1
  bool lamps;
};
// Of the scene's time in seconds.
double hour_of(double time);
Weather weather_at(double time);
Sun day_sun(double time);

// Light, lamps and rain.
class Day final : public Effect {
 public:
  Day(const Settings &, const Camera &);

  class Frame final : public Effect::Frame {
   public:
    Frame(const Day &, const Moment &, const std::vector<Actor> &);
    void row(const ColourRow &, int y) const override;
    float noise() const override { return noise_; }

   private:
    struct Drop {
      int x, top, length;
      float slant, brightness;
    };
    // What falls on row y.
    void light(const ColourRow &, int y) const;
    void rain(const ColourRow &, int y) const;
    const Day &day_;
    Rgb sky_{}, lamps_{};
    std::vector<float> clouds_; // factors at the points of a grid, `grid_step` pixels apart
    std::vector<Drop> drops_;
    std::optional<Beams::Frame> beams_; // none: no headlights
    float noise_;
  };
  std::unique_ptr<Effect::Frame> frame(const Moment &, const std::vector<Actor> &) const override;

 private:
  static constexpr int grid_step = 16; // pixels
  std::uint32_t seed_;
  int width_, height_, columns_, rows_; // of the grid
  std::vector<ScenePoint> ground_;      // where the grid's points lie on the ground, metres
  std::vector<float> lamps_;            // 0..1 of each pixel: how strongly the lamps light it
  std::optional<Beams> beams_;          // none: no headlights
};

} // namespace vigil::scene
