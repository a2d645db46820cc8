// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/ground.h"

#include "common/scene/hash.h"
#include "common/scene/story.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

constexpr Rgb asphalt{112, 113, 116}, slab{172, 166, 154}, kerb{198, 194, 186}, lawn{96, 128, 66},
    tile{186, 178, 164}, paint{222, 222, 214};

// Noise of several sizes: each octave is half as large and half as strong. About -1..1.
float rough(std::uint32_t key, float x, float y, int octaves) {
  float sum = 0, strength = 0.55f;
  for (int i = 0; i < octaves; i++, strength *= 0.55f) {
    sum += strength * value_noise(key + std::uint32_t(i), x, y);
    x *= 2.03f;
    y *= 2.03f;
  }
  return sum;
}
float fraction(float x) {
  return x - std::floor(x);
}
bool inside(float x, float low, float high) {
  return x >= low && x < high;
}

Rgb asphalt_at(std::uint32_t key, float u, float v) {
  const float grain = 9 * rough(key, u * 14, v * 14, 3), worn = 8 * rough(key + 7, u * 0.35f, v * 1.4f, 3);
  const float patch = value_noise(key + 9, u * 0.22f, v * 0.45f) > 0.55f ? -9.f : 0.f; // where it was mended
  return asphalt + Rgb{1, 1, 1} * (grain + worn + patch);
}

Rgb slabs_at(std::uint32_t key, float u, float v, float size, const Rgb &colour, float joint) {
  const float su = u / size, sv = v / size;
  const auto iu = std::uint32_t(std::int32_t(std::floor(su))),
             iv = std::uint32_t(std::int32_t(std::floor(sv)));
  const float tone = 1 + 0.07f * (2 * unit(mix(key, iu, iv)) - 1) + 0.05f * rough(key, u * 3, v * 3, 4);
  const float gap = 0.018f / size;
  const bool in_joint = fraction(su) < gap || fraction(sv) < gap;
  return colour * (in_joint ? tone * joint : tone);
}

Rgb grass_at(std::uint32_t key, float u, float v) {
  const float blades = rough(key, u * 16, v * 9, 3), dry = rough(key + 5, u * 0.5f, v * 0.5f, 3);
  return lawn * (1 + 0.2f * blades) + Rgb{22, 15, 5} * dry;
}

Rgb street_at(std::uint32_t key, float u, float v) {
  if (v < 6.2f) return grass_at(key, u, v);
  if (v < 6.35f) return kerb * (1 + 0.04f * rough(key, u * 4, v * 4, 3));
  if (v < 8.5f) return slabs_at(key + 1, u, v, 0.6f, slab, 0.72f);
  if (v < 8.7f) return kerb * (1 + 0.05f * rough(key, u * 3, v * 3, 3)) * (fraction(u) < 0.02f ? 0.75f : 1.f);
  if (v < 15.4f) {
    const Rgb road = asphalt_at(key + 2, u, v);
    const float worn = 0.75f + 0.25f * rough(key + 3, u * 6, v * 6, 3);
    const bool dash = inside(v, 11.98f, 12.12f) && fraction(u / 4) < 0.5f;
    const bool border = inside(v, 8.95f, 9.05f) || inside(v, 15.05f, 15.15f);
    if (dash || border) return blend(road, paint, worn);
    const float gutter = std::min({1.f, (v - 8.7f) * 4 + 0.7f, (15.4f - v) * 4 + 0.7f});
    return road * gutter;
  }
  if (v < 15.6f) return kerb * (1 + 0.05f * rough(key, u * 3, v * 3, 3));
  return slabs_at(key + 4, u, v, 0.6f, slab * 0.97f, 0.75f) *
         std::min(1.f, 0.72f + (wall_distance - v) * 0.7f);
}

Rgb brick_at(std::uint32_t key, float u, float y) {
  const float row = std::floor(y / 0.12f), along = u / 0.36f + (std::fmod(row, 2.f) != 0 ? 0.5f : 0.f);
  const float tone = 0.9f + 0.22f * unit(mix(key, std::uint32_t(std::int32_t(row)),
                                             std::uint32_t(std::int32_t(std::floor(along)))));
  const bool mortar = fraction(y / 0.12f) < 0.14f || fraction(along) < 0.05f;
  const float stain = 1 + 0.1f * rough(key + 1, u * 0.7f, y * 0.7f, 3);
  return (mortar ? Rgb{170, 158, 146} : Rgb{142, 98, 84} * tone) * stain;
}

Rgb glass_at(std::uint32_t key, float u, float y, float from, float to) {
  const float t = (y - from) / (to - from); // the sky in the upper part, curtains here and there
  const float curtain = value_noise(key, std::floor(u / 3.2f) * 7.3f, 0.5f) > 0 ? 0.5f : 0.f;
  const Rgb dark = blend({46, 56, 66}, {128, 148, 166}, 0.7f * t);
  return fraction(u / 3.2f) > 0.5f ? blend(dark, {206, 200, 186}, curtain) : dark;
}

// A house: a plinth, windows of 1.5 m every 3.2 m, a door in every fourth place, a band of stone above.
Rgb house_at(std::uint32_t key, float u, float y) {
  if (y < 0.12f) return Rgb{120, 116, 110};
  const float place = std::floor(u / 3.2f), x = (u / 3.2f - place) * 3.2f;
  const bool door = (std::uint32_t(std::int32_t(place)) & 3u) == 2u;
  if (door && inside(x, 0.95f, 2.25f) && y < 2.4f) {
    if (!inside(x, 1.05f, 2.15f) || y > 2.3f) return Rgb{214, 208, 196};
    const bool panel =
        inside(fraction((x - 1.05f) / 0.55f), 0.14f, 0.86f) && inside(fraction(y / 0.76f), 0.12f, 0.88f);
    return Rgb{48, 74, 66} * (panel ? 1.f : 1.3f);
  }
  if (y < 0.55f) return Rgb{150, 146, 138} * (1 + 0.05f * rough(key, u * 3, y * 3, 3));
  if (!door && inside(x, 0.78f, 2.42f) && inside(y, 0.92f, 2.5f)) {
    if (y < 1.0f) return Rgb{206, 200, 190};
    const bool frame =
        !inside(x, 0.86f, 2.34f) || y > 2.42f || inside(x, 1.57f, 1.63f) || inside(y, 1.93f, 1.98f);
    return frame ? Rgb{232, 230, 224} : glass_at(key + 3, u, y, 1.f, 2.42f);
  }
  if (inside(y, 3.05f, 3.3f)) return Rgb{192, 184, 170} * (1 + 0.05f * rough(key, u * 2, y * 2, 3));
  return brick_at(key, u, y);
}

Rgb fence_at(std::uint32_t key, float u, float y) {
  if (y > 2.1f) { // trees behind it
    const float leaves = rough(key + 2, u * 2.2f, y * 2.2f, 5);
    return Rgb{66, 92, 50} * (1 + 0.55f * leaves);
  }
  const float board = u / 0.16f;
  const float tone = 0.88f + 0.2f * unit(mix(key, std::uint32_t(std::int32_t(std::floor(board)))));
  const float grain = 1 + 0.07f * rough(key + 1, u * 30, y * 2, 3);
  const float gap = fraction(board) < 0.1f ? 0.5f : 1.f,
              rail = inside(fraction(y / 1.05f), 0.3f, 0.36f) ? 0.8f : 1.f;
  return Rgb{150, 118, 84} * (tone * grain * gap * rail);
}

Rgb plaster_at(std::uint32_t key, float u, float y) {
  const float shade = 1 + 0.02f * rough(key, u * 5, y * 5, 4) - 0.05f * std::max(0.f, 1 - y);
  const float place = std::floor(u / 4.5f), x = (u / 4.5f - place) * 4.5f;
  const bool door = (std::uint32_t(std::int32_t(place)) % 3u) == 1u;
  if (door && inside(x, 1.4f, 2.6f) && y < 2.3f)
    return !inside(x, 1.5f, 2.5f) || y > 2.2f
               ? Rgb{112, 96, 78}
               : Rgb{146, 110, 76} * (1 + 0.06f * rough(key + 1, u * 18, y * 2, 3));
  if (y < 0.14f) return {104, 96, 86};
  if (!door && inside(x, 1.2f, 2.9f) && inside(y, 1.3f, 2.4f)) { // a notice board
    if (!inside(x, 1.26f, 2.84f) || !inside(y, 1.36f, 2.34f)) return {88, 84, 80};
    const float px = (x - 1.26f) / 0.4f, py = (y - 1.36f) / 0.49f;
    const std::uint32_t sheet =
        mix(key, std::uint32_t(std::int32_t(place)), std::uint32_t(px) * 7 + std::uint32_t(py));
    if (inside(fraction(px), 0.14f, 0.86f) && inside(fraction(py), 0.12f, 0.88f) && unit(sheet) > 0.25f)
      return blend({226, 222, 206}, {120, 150, 190}, unit(mix(sheet)) * 0.7f);
    return {152, 116, 82};
  }
  return Rgb{204, 198, 184} * shade;
}

} // namespace

Rgb ground_colour(Pattern pattern, std::uint32_t key, float u, float v) {
  switch (pattern) {
  case Pattern::grass:
    return grass_at(key, u, v);
  case Pattern::paving:
    return slabs_at(key + 4, u, v, 0.8f, slab, 0.72f) * std::min(1.f, 0.72f + (wall_distance - v) * 0.7f);
  case Pattern::wall:
    return slabs_at(key + 5, u, v, 1.f, tile, 0.8f) * std::min(1.f, 0.8f + (wall_distance - v) * 0.4f);
  case Pattern::checkers:
    return (std::int32_t(std::floor(u)) + std::int32_t(std::floor(v))) & 1 ? Rgb{168, 168, 168}
                                                                           : Rgb{104, 104, 104};
  default:
    return street_at(key, u, v);
  }
}

Rgb wall_colour(Pattern pattern, std::uint32_t key, float u, float y) {
  switch (pattern) {
  case Pattern::grass:
    return fence_at(key + 20, u, y);
  case Pattern::wall:
    return plaster_at(key + 30, u, y);
  case Pattern::checkers:
    return (std::int32_t(std::floor(u)) + std::int32_t(std::floor(y))) & 1 ? Rgb{186, 186, 186}
                                                                           : Rgb{126, 126, 126};
  default:
    return house_at(key + 10, u, y);
  }
}

Rgb typical_ground(Pattern pattern) {
  switch (pattern) {
  case Pattern::grass:
    return lawn;
  case Pattern::wall:
    return tile;
  case Pattern::checkers:
    return {136, 136, 136};
  case Pattern::paving:
    return slab;
  default:
    return asphalt;
  }
}

Backdrop paint_backdrop(Pattern pattern, std::uint32_t seed, int width, int height, const Camera &camera,
                        CpuDevice &device) {
  const std::uint32_t key = mix(seed, 0x67726f75u);
  const std::size_t n = std::size_t(width) * std::size_t(height);
  Backdrop out{width, std::vector<std::uint8_t>(n), std::vector<std::uint8_t>(n),
               std::vector<std::uint8_t>(n)};
  // A square turned a little: each ray has a row and a column of its own.
  constexpr ScenePoint rays[] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
  const World eye = camera.eye();
  const auto colour = [&](float x, float y) {
    const World to = camera.ray(x, y);
    const float ground = to.y < -1e-4f ? -eye.y / to.y : 1e9f,
                wall = to.v > 1e-4f ? wall_distance / to.v : 1e9f;
    if (ground < wall) return ground_colour(pattern, key, ground * to.u, ground * to.v);
    if (wall >= 1e9f) return Rgb{200, 206, 214};
    return wall_colour(pattern, key, wall * to.u, eye.y + wall * to.y);
  };
  device.parallel(height, 4, [&](int first, int last) {
    for (int y = first; y < last; y++)
      for (int x = 0; x < width; x++) {
        Rgb sum{0, 0, 0};
        for (const ScenePoint &ray : rays) sum = sum + colour(float(x) + ray.x, float(y) + ray.y);
        const std::size_t i = std::size_t(y) * std::size_t(width) + std::size_t(x);
        const auto byte = [](float v) { return std::uint8_t(std::clamp(v * 0.25f + 0.5f, 0.f, 255.f)); };
        out.r[i] = byte(sum.r);
        out.g[i] = byte(sum.g);
        out.b[i] = byte(sum.b);
      }
  });
  return out;
}

ScenePoint foot_of(const Camera &camera, float x, float y) {
  const World to = camera.ray(x, y), eye = camera.eye();
  const float ground = to.y < -1e-4f ? -eye.y / to.y : 1e9f,
              wall = to.v > 1e-4f ? wall_distance / to.v : 1e9f;
  const float t = std::min({ground, wall, 1e4f});
  return {t * to.u, t * to.v};
}

} // namespace vigil::scene
