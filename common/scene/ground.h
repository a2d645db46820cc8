// SPDX-License-Identifier: LGPL-2.1-or-later
// What never moves: the ground and the wall behind it, as the camera sees them.
#pragma once

#include "common/cpu/device.h"
#include "common/scene/camera.h"
#include "common/scene/scene.h"

#include <vector>

namespace vigil::scene {

// Colours of the world, 0..255. `key` chooses the texture.
Rgb ground_colour(Pattern, std::uint32_t key, float u, float v);
Rgb wall_colour(Pattern, std::uint32_t key, float u, float y);
// The colour that the ground has on the whole, for camouflage.
Rgb typical_ground(Pattern);

// Where the ray through a point of the picture meets the ground, or the foot of the wall that it meets.
ScenePoint foot_of(const Camera &, float x, float y);

// A picture of it, four rays a pixel.
struct Backdrop {
  int width = 0;
  std::vector<std::uint8_t> r, g, b;
};
Backdrop paint_backdrop(Pattern, std::uint32_t seed, int width, int height, const Camera &, CpuDevice &);

} // namespace vigil::scene
