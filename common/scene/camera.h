// SPDX-License-Identifier: LGPL-2.1-or-later
// The camera on its pole: a pinhole that does not roll, so that the ground has one depth along each row.
//
// With H its height, yaw p and pitch t (down), and for a point (u, v, y):
//   right a = u cos p - v sin p, ahead b = u sin p + v cos p
//   depth z = b cos t + (H - y) sin t, up c = b sin t - (H - y) cos t
//   x = width/2 + F a/z, y = height/2 - F c/z
#pragma once

#include "common/scene/geometry.h"

namespace vigil::scene {

class Camera {
 public:
  // `pole`: its height in metres; `aside`, `down`: by how much it is turned away from where it usually looks,
  // in degrees to the right and down.
  Camera(int width, int height, float pole, float aside = 0, float down = 0);

  struct Seen {
    ScenePoint at;
    float scale; // pixels a metre at this depth; 0 or less: behind the camera
  };
  Seen see(const World &) const;

  // The ground under row y (pixels, may be fractional): from `start` at x = 0 by `step` a pixel. `scale`:
  // pixels a metre there, across. False where the row looks above the horizon.
  struct GroundRow {
    ScenePoint start, step;
    float scale;
  };
  bool ground_row(float y, GroundRow &) const;

  // Where the ray through a pixel goes, not normalised.
  World ray(float x, float y) const;
  World eye() const { return {0, 0, height_}; }

  // The stretch [from, to] of the line (u, v) = at + s * heading that the picture shows, `margin` metres
  // longer at both ends. False when it shows none of it.
  bool visible_stretch(ScenePoint at, ScenePoint heading, float margin, float &from, float &to) const;

 private:
  float height_, sin_yaw_, cos_yaw_, sin_pitch_, cos_pitch_;
  float focal_, cx_, cy_;
};

} // namespace vigil::scene
