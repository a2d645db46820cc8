// SPDX-License-Identifier: LGPL-2.1-or-later
// A person: capsules for head, trunk, arms and legs. The legs swing with the way walked, so feet do not slide
// much.
#include "common/scene/hash.h"
#include "common/scene/objects.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

constexpr Rgb tops[] = {{186, 38, 42},  {228, 226, 220}, {222, 184, 48},  {36, 74, 168},
                        {24, 26, 30},   {226, 112, 40},  {120, 40, 120},  {20, 92, 96},
                        {92, 104, 132}, {150, 24, 60},   {204, 196, 172}, {70, 78, 52}};
constexpr Rgb trousers[] = {{26, 28, 38}, {40, 56, 112}, {24, 24, 26},   {70, 40, 28},
                            {34, 40, 84}, {74, 78, 86},  {150, 132, 102}};
constexpr Rgb skins[] = {{224, 172, 140}, {198, 140, 106}, {140, 92, 66}, {90, 58, 42}};
constexpr Rgb hairs[] = {{34, 26, 22}, {80, 52, 30}, {150, 116, 66}, {28, 28, 30}};

template <std::size_t n>
const Rgb &pick(const Rgb (&colours)[n], Random &random) {
  return colours[random.next() % n];
}

struct Clothes {
  Rgb top, legs, skin, hair, shoes;
};

Clothes clothes(Random &random, const Rgb *disguise) {
  Clothes c{
      pick(tops, random), pick(trousers, random), pick(skins, random), pick(hairs, random), {30, 26, 26}};
  if (!disguise) return c;
  // Eight grey levels away from the ground: more than the noise, less than a shadow.
  const float up = random.between(0, 1) < 0.5f ? -8.f : 8.f;
  const Rgb cloth = *disguise + Rgb{up, up, up};
  return {cloth, cloth * 0.96f, cloth * 1.05f, cloth * 0.9f, cloth * 0.9f};
}

// Places the parts of one body.
class Body {
 public:
  Body(const Actor &a, float tall) : a_(a), tall_(tall) {}
  // In parts of the body's height: forward, to the left, up.
  World at(float forward, float left, float up) const {
    const float f = forward * tall_, l = left * tall_;
    return {a_.at.x + f * a_.heading.x - l * a_.heading.y, a_.at.y + f * a_.heading.y + l * a_.heading.x,
            (up + lift) * tall_};
  }
  float lift = 0;

 private:
  const Actor &a_;
  float tall_;
};

struct Leg {
  float knee_f, knee_up, foot_f, foot_up, toe_f; // forward and up, in parts of the body's height
};

Leg leg(float phase, float swing, float bend) {
  constexpr float hip = 0.52f, thigh = 0.25f, shin = 0.25f;
  const float angle = swing * std::sin(phase);
  const float fold = bend * std::max(0.f, std::cos(phase)); // the knee bends while the leg swings forward
  Leg l;
  l.knee_f = thigh * std::sin(angle);
  l.knee_up = hip - thigh * std::cos(angle);
  l.foot_f = l.knee_f + shin * std::sin(angle - fold);
  l.foot_up = l.knee_up - shin * std::cos(angle - fold);
  l.toe_f = l.foot_f + 0.075f;
  return l;
}

} // namespace

void add_person(const Actor &actor, const Camera &camera, const Sun &sun, const Rgb *disguise, Drawing &out) {
  Random random(mix(actor.look, 0x6d616eu));
  const float tall = random.between(1.62f, 1.88f);
  const Clothes wear = clothes(random, disguise);
  const bool coat = random.between(0, 1) < 0.35f, bag = random.between(0, 1) < 0.35f;
  const Rgb bag_colour = disguise ? wear.top : pick(tops, random) * 0.8f;

  const bool runs = actor.speed > 2.5f;
  const float stride = (runs ? 1.5f : 0.82f) * tall; // metres for two steps
  const float swing = runs ? 0.75f : 0.42f, bend = runs ? 1.5f : 0.75f;
  const float phase = actor.walked / stride * 6.2831853f + random.between(0, 6.2831853f);
  Body body(actor, tall);
  const Leg legs[] = {leg(phase, swing, bend), leg(phase + 3.14159265f, swing, bend)};
  body.lift = 0.02f - std::min(legs[0].foot_up, legs[1].foot_up); // the lower foot is on the ground
  const float lean = runs ? 0.07f : 0.015f;

  const auto limb = [&](const World &a, float ra, const World &b, float rb, const Rgb &c,
                        float volume = 0.35f) {
    const Camera::Seen pa = camera.see(a), pb = camera.see(b);
    if (pa.scale <= 0 || pb.scale <= 0) return;
    out.add_capsule(pa.at, ra * tall * pa.scale, pb.at, rb * tall * pb.scale, c, volume);
  };
  const auto draw_leg = [&](const Leg &l, float side) {
    limb(body.at(0, side, 0.51f), 0.055f, body.at(l.knee_f, side, l.knee_up), 0.04f, wear.legs);
    limb(body.at(l.knee_f, side, l.knee_up), 0.04f, body.at(l.foot_f, side, l.foot_up + 0.02f), 0.028f,
         wear.legs);
    limb(body.at(l.foot_f, side, l.foot_up), 0.024f, body.at(l.toe_f, side, l.foot_up - 0.005f), 0.02f,
         wear.shoes);
  };
  const auto draw_arm = [&](float side, float angle) {
    const float bent = runs ? 1.3f : 0.25f;
    const float elbow_f = lean + 0.17f * std::sin(angle), elbow_up = 0.8f - 0.17f * std::cos(angle);
    const float hand_f = elbow_f + 0.15f * std::sin(angle + bent),
                hand_up = elbow_up - 0.15f * std::cos(angle + bent);
    limb(body.at(lean, side, 0.8f), 0.034f, body.at(elbow_f, side * 1.1f, elbow_up), 0.029f, wear.top * 0.9f);
    limb(body.at(elbow_f, side * 1.1f, elbow_up), 0.028f, body.at(hand_f, side * 1.05f, hand_up), 0.022f,
         wear.top * 0.9f);
    limb(body.at(hand_f, side * 1.05f, hand_up), 0.023f, body.at(hand_f, side * 1.05f, hand_up - 0.012f),
         0.023f, wear.skin);
  };

  // The left side is the far one when the person walks to the right.
  const float far_side = actor.heading.x > 0 ? 1.f : -1.f;
  const int far_leg = actor.heading.x > 0 ? 0 : 1;
  const float arm_swing = (runs ? 0.9f : 0.4f) * std::sin(phase);
  draw_arm(far_side * 0.115f, far_leg == 0 ? -arm_swing : arm_swing);
  draw_leg(legs[far_leg], far_side * 0.045f);
  draw_leg(legs[1 - far_leg], -far_side * 0.045f);
  if (bag) limb(body.at(-0.075f, 0, 0.76f), 0.06f, body.at(-0.085f, 0, 0.62f), 0.065f, bag_colour);
  limb(body.at(0, 0, coat ? 0.38f : 0.53f), coat ? 0.085f : 0.078f, body.at(lean, 0, 0.76f), 0.088f,
       wear.top);
  limb(body.at(lean, 0.05f, 0.79f), 0.055f, body.at(lean, -0.05f, 0.79f), 0.055f, wear.top);
  draw_arm(-far_side * 0.115f, far_leg == 0 ? arm_swing : -arm_swing);
  limb(body.at(lean, 0, 0.84f), 0.035f, body.at(lean * 1.2f, 0, 0.9f), 0.035f, wear.skin);
  limb(body.at(lean * 1.3f + 0.008f, 0, 0.905f), 0.052f, body.at(lean * 1.3f + 0.006f, 0, 0.94f), 0.054f,
       wear.skin);
  limb(body.at(lean * 1.3f - 0.022f, 0, 0.925f), 0.05f, body.at(lean * 1.3f - 0.008f, 0, 0.962f), 0.05f,
       wear.hair);

  add_shadow(body.at(0, 0, 0.5f), 0.09f * tall, body.at(lean, 0, 0.8f), 0.11f * tall, camera, sun, out);
  add_shadow(body.at(lean, 0, 0.9f), 0.06f * tall, body.at(lean, 0, 0.95f), 0.06f * tall, camera, sun, out);
  for (const Leg &l : legs) {
    add_shadow(body.at(0, 0, 0.5f), 0.06f * tall, body.at(l.knee_f, 0, l.knee_up), 0.05f * tall, camera, sun,
               out);
    add_shadow(body.at(l.knee_f, 0, l.knee_up), 0.05f * tall, body.at(l.toe_f, 0, l.foot_up), 0.04f * tall,
               camera, sun, out);
  }
}

} // namespace vigil::scene
