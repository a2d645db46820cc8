// SPDX-License-Identifier: LGPL-2.1-or-later
// A travelling bag on the ground: its body and its handle.
#include "common/scene/hash.h"
#include "common/scene/objects.h"

#include <iterator>

namespace vigil::scene {
namespace {

constexpr Rgb bag_colours[] = {{28, 34, 60}, {120, 26, 30}, {30, 30, 32}, {24, 84, 60}, {150, 96, 36}};

} // namespace

void add_bag(const Actor &actor, const Camera &camera, const Sun &sun, Drawing &out) {
  Random random(mix(actor.look, 0x626167u));
  const Rgb colour = bag_colours[random.next() % std::size(bag_colours)];
  const float half = random.between(0.16f, 0.24f), radius = random.between(0.15f, 0.2f);
  const auto at = [&](float aside, float up) {
    return World{actor.at.x + aside * actor.heading.x, actor.at.y + aside * actor.heading.y, up};
  };
  const auto part = [&](const World &a, const World &b, float metres, const Rgb &c) {
    const Camera::Seen pa = camera.see(a), pb = camera.see(b);
    if (pa.scale > 0 && pb.scale > 0) out.add_capsule(pa.at, metres * pa.scale, pb.at, metres * pb.scale, c);
  };
  part(at(-half, radius), at(half, radius), radius, colour);
  part(at(-0.1f, 2 * radius + 0.04f), at(0.1f, 2 * radius + 0.04f), 0.025f, colour * 0.6f);
  add_shadow(at(-half, radius), radius, at(half, radius), radius, camera, sun, out);
}

} // namespace vigil::scene
