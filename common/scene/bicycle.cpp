// SPDX-License-Identifier: LGPL-2.1-or-later
// A bicycle and who rides it: wheels are rings, all else capsules. The pedals turn with the way ridden.
#include "common/scene/hash.h"
#include "common/scene/objects.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace vigil::scene {
namespace {

constexpr Rgb bicycle_paints[] = {{30, 32, 36}, {150, 26, 30}, {32, 70, 140}, {208, 210, 212}, {24, 96, 60}};
constexpr Rgb rider_jackets[] = {{214, 200, 40},  {190, 44, 40}, {40, 60, 130},
                                 {228, 226, 220}, {44, 48, 54},  {200, 110, 40}};
constexpr Rgb tyre_black{26, 26, 28}, helmet_grey{222, 222, 224}, rider_face{206, 156, 124},
    rider_trousers{42, 46, 66};
constexpr float whole_turn = 6.2831853f;

// In the bicycle's own plane, metres: forward from its middle, up.
struct BicycleSpot {
  float f, y;
};

class Bicycle {
 public:
  Bicycle(const Actor &a, const Camera &camera, Drawing &out) : a_(a), camera_(camera), out_(out) {}

  World world(const BicycleSpot &p, float left = 0) const {
    return {a_.at.x + p.f * a_.heading.x - left * a_.heading.y,
            a_.at.y + p.f * a_.heading.y + left * a_.heading.x, p.y};
  }
  void bar(const BicycleSpot &a, const BicycleSpot &b, float radius, const Rgb &colour, float left_a = 0,
           float left_b = 0, float volume = 0.35f) {
    const Camera::Seen pa = camera_.see(world(a, left_a)), pb = camera_.see(world(b, left_b));
    if (pa.scale > 0 && pb.scale > 0)
      out_.add_capsule(pa.at, radius * pa.scale, pb.at, radius * pb.scale, colour, volume);
  }
  void ring(const BicycleSpot &middle, float radius) {
    constexpr int corners = 12;
    const auto at = [&](int i) {
      const float angle = whole_turn * float(i) / corners;
      return BicycleSpot{middle.f + radius * std::cos(angle), middle.y + radius * std::sin(angle)};
    };
    for (int i = 0; i < corners; i++) bar(at(i), at(i + 1), 0.03f, tyre_black, 0, 0, 0);
  }

 private:
  const Actor &a_;
  const Camera &camera_;
  Drawing &out_;
};

// The knee of a leg from the hip to the pedal, bent forward.
BicycleSpot knee_between(const BicycleSpot &hip, const BicycleSpot &pedal, float bone) {
  const float f = pedal.f - hip.f, y = pedal.y - hip.y, apart = std::max(0.01f, std::hypot(f, y));
  const float out = std::sqrt(std::max(0.f, bone * bone - apart * apart / 4));
  return {hip.f + f / 2 - y / apart * out, hip.y + y / 2 + f / apart * out};
}

} // namespace

void add_bicycle(const Actor &actor, const Camera &camera, const Sun &sun, Drawing &out) {
  Random random(mix(actor.look, 0x62696b65u));
  const Rgb frame = bicycle_paints[random.next() % std::size(bicycle_paints)],
            jacket = rider_jackets[random.next() % std::size(rider_jackets)];
  const float size = random.between(0.94f, 1.06f), lean = random.between(0.06f, 0.3f);
  const bool wears_helmet = random.between(0, 1) < 0.5f;
  const float metres_a_turn = 4.6f, wheel = 0.34f;
  const float phase = actor.walked / metres_a_turn * whole_turn + random.between(0, whole_turn);
  const BicycleSpot rear{-0.52f, wheel}, front{0.54f, wheel}, crank{-0.04f, 0.29f},
      seat{-0.22f, 0.92f * size}, bars{0.4f, 1.02f * size}, hip{-0.18f, 1.0f * size},
      shoulder{lean, 1.5f * size}, head{lean + 0.06f, 1.7f * size};
  const auto pedal = [&](float at) {
    return BicycleSpot{crank.f + 0.17f * std::cos(at), crank.y - 0.17f * std::sin(at)};
  };
  constexpr float to_side = 0.11f;
  const float far_side = actor.heading.x > 0 ? to_side : -to_side; // as a person's

  Bicycle b(actor, camera, out);
  const auto leg = [&](float at, float side) {
    const BicycleSpot foot = pedal(at), knee = knee_between(hip, foot, 0.43f * size);
    b.bar(hip, knee, 0.075f, rider_trousers, side * 0.8f, side);
    b.bar(knee, foot, 0.05f, rider_trousers, side, side);
    b.bar(foot, {foot.f + 0.14f, foot.y}, 0.04f, tyre_black, side, side);
  };
  leg(phase + whole_turn / 2, far_side);
  b.bar(shoulder, bars, 0.045f, jacket * 0.85f, far_side * 1.6f, far_side * 2);
  b.ring(rear, wheel);
  b.ring(front, wheel);
  for (const auto &[from, to] :
       {std::pair{rear, crank}, {rear, seat}, {crank, seat}, {crank, bars}, {seat, bars}, {bars, front}})
    b.bar(from, to, 0.025f, frame);
  b.bar(seat, {seat.f - 0.12f, seat.y + 0.02f}, 0.05f, tyre_black);
  b.bar(hip, shoulder, 0.15f, jacket);
  b.bar(shoulder, bars, 0.045f, jacket, -far_side * 1.6f, -far_side * 2);
  leg(phase, -far_side);
  b.bar({head.f - 0.01f, head.y - 0.02f}, head, 0.095f, rider_face);
  if (wears_helmet)
    b.bar({head.f - 0.04f, head.y + 0.05f}, {head.f + 0.03f, head.y + 0.06f}, 0.09f, helmet_grey);

  add_shadow(b.world(hip), 0.15f, b.world(shoulder), 0.17f, camera, sun, out);
  add_shadow(b.world(head), 0.1f, b.world(head), 0.1f, camera, sun, out);
  add_shadow(b.world(crank), 0.09f, b.world(hip), 0.1f, camera, sun, out);
  for (const BicycleSpot &w : {rear, front})
    add_shadow(b.world({w.f - 0.2f, w.y}), 0.12f, b.world({w.f + 0.2f, w.y}), 0.12f, camera, sun, out);
}

} // namespace vigil::scene
