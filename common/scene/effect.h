// SPDX-License-Identifier: LGPL-2.1-or-later
// What weather, lamps and the camera's electronics do to the pictures of a story. None of it is an object in
// the truth.
#pragma once

#include "common/scene/pixels.h"
#include "common/scene/story.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::scene {

class Effect {
 public:
  // What one frame shows. Rows by any thread.
  class Frame {
   public:
    virtual ~Frame() = default;
    // Changes row y of what is drawn, before the sensor adds its noise.
    virtual void row(const ColourRow &, int /*y*/) const {}
    // Writes over row y of the picture, after the noise.
    virtual void print(const ColourRow &, int /*y*/) const {}
    // Takes objects out of row y of the truth where print() hides them.
    virtual void hide(std::uint8_t * /*truth*/, int /*y*/) const {}
    virtual float noise() const { return 1; }         // a factor for the sensor's noise
    virtual bool colourless() const { return false; } // the noise has no colour either
  };
  virtual ~Effect() = default;
  virtual std::unique_ptr<Frame> frame(const Moment &, const std::vector<Actor> &) const = 0;
};

// Of the settings' story; null where it has none. The camera must see a picture of the settings' size, and
// outlive the effect.
std::unique_ptr<Effect> make_effect(const Settings &, const Camera &);

// falling.cpp, insects.cpp, night.cpp, electronics.cpp, flag.cpp, screen.cpp
std::unique_ptr<Effect> make_rain(const Settings &);
std::unique_ptr<Effect> make_snow(const Settings &);
std::unique_ptr<Effect> make_insects(const Settings &, const Camera &);
std::unique_ptr<Effect> make_headlights(const Settings &, const Camera &);
std::unique_ptr<Effect> make_ir_cut(const Settings &, const Camera &);
std::unique_ptr<Effect> make_flicker(const Settings &);
std::unique_ptr<Effect> make_clock(const Settings &);
std::unique_ptr<Effect> make_flag(const Settings &);
std::unique_ptr<Effect> make_screen(const Settings &);

// A lamp of infra-red light at the camera, and a sensor that sees no colours by it.
class InfraredLamp {
 public:
  InfraredLamp(const Settings &, const Camera &);
  void row(const ColourRow &, int y) const;

 private:
  int width_;
  std::vector<float> light_; // a factor for each pixel
};

} // namespace vigil::scene
