// SPDX-License-Identifier: LGPL-2.1-or-later
// A car: a body and a cabin, both convex, with windows, wheels, lamps and a line where the doors meet.
#include "common/scene/hash.h"
#include "common/scene/objects.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vigil::scene {
namespace {

constexpr Rgb paints[] = {{176, 28, 32},  {232, 232, 230}, {18, 30, 72}, {206, 210, 214}, {34, 36, 42},
                          {234, 178, 34}, {132, 190, 228}, {24, 98, 66}, {236, 222, 184}};
constexpr Rgb glass{24, 32, 42}, rubber{20, 20, 22}, metal{158, 160, 164};

// In the car's own axes, metres: forward from its middle, to its left, up.
struct Local {
  float f, l, y;
};

class Car {
 public:
  Car(const Actor &a, const Camera &camera, Drawing &out) : a_(a), camera_(camera), out_(out) {}

  World world(const Local &p) const {
    return {a_.at.x + p.f * a_.heading.x - p.l * a_.heading.y,
            a_.at.y + p.f * a_.heading.y + p.l * a_.heading.x, p.y};
  }
  // A flat face whose corners run anticlockwise seen from outside; drawn when that side is seen.
  bool face(std::initializer_list<Local> corners, const Rgb &colour) {
    ScenePoint p[max_corners];
    int n = 0;
    for (const Local &c : corners) {
      const Camera::Seen s = camera_.see(world(c));
      if (s.scale <= 0) return false;
      p[n++] = s.at;
    }
    float area = 0;
    for (int i = 0; i < n; i++) {
      const ScenePoint &a = p[i], &b = p[(i + 1) % n];
      area += a.x * b.y - b.x * a.y;
    }
    if (area >= 0) return false; // y grows downwards: anticlockwise is negative
    out_.add_hull({p, std::size_t(n)}, colour);
    return true;
  }
  // Brightness of a face by its direction: the sun stands behind the camera, to its left.
  float lit(float f, float l, float y) const {
    const float u = f * a_.heading.x - l * a_.heading.y, v = f * a_.heading.y + l * a_.heading.x;
    return 0.68f + 0.42f * std::max(0.f, -0.63f * u - 0.22f * v + 0.74f * y);
  }
  bool outline(std::span<const Local> corners, const Rgb &colour) {
    ScenePoint p[max_corners];
    for (std::size_t i = 0; i < corners.size(); i++) {
      const Camera::Seen s = camera_.see(world(corners[i]));
      if (s.scale <= 0) return false;
      p[i] = s.at;
    }
    out_.add_hull({p, corners.size()}, colour);
    return true;
  }
  void wheel(float f, float side, float radius, const Rgb &colour) {
    ScenePoint p[12];
    for (int i = 0; i < 12; i++) {
      const float angle = float(i) * 0.5235988f;
      const Camera::Seen s =
          camera_.see(world({f + radius * std::cos(angle), side, 0.31f + radius * std::sin(angle)}));
      if (s.scale <= 0) return;
      p[i] = s.at;
    }
    out_.add_hull(p, colour);
  }

 private:
  const Actor &a_;
  const Camera &camera_;
  Drawing &out_;
};

Local between(const Local &a, const Local &b, float t) {
  return {a.f + (b.f - a.f) * t, a.l + (b.l - a.l) * t, a.y + (b.y - a.y) * t};
}

} // namespace

void add_car(const Actor &actor, const Camera &camera, const Sun &sun, Drawing &out) {
  Random random(mix(actor.look, 0x636172u));
  const Rgb paint = paints[random.next() % std::size(paints)];
  const bool van = random.between(0, 1) < 0.25f;
  const float L = random.between(2.05f, 2.25f), W = 0.87f; // half of length and width
  const float belt = 0.88f, nose = 0.68f, sill = 0.24f, roof = van ? 1.75f : random.between(1.4f, 1.48f);
  Car car(actor, camera, out);

  // Lower body: corners by rear/front, right/left, bottom/top.
  const Local rrb{-L, -W, sill}, rlb{-L, W, sill}, frb{L, -W, sill}, flb{L, W, sill};
  const Local rrt{-L + 0.06f, -W, belt}, rlt{-L + 0.06f, W, belt}, frt{L - 0.1f, -W, nose},
      flt{L - 0.1f, W, nose};
  // Cabin: narrower at the roof.
  const float c0 = van ? -L + 0.08f : -L + 0.35f, c1 = van ? L - 0.75f : L - 1.25f;
  const float r0 = van ? -L + 0.2f : c0 + 0.5f, r1 = c1 - (van ? 0.55f : 0.8f), w = W - 0.06f, wr = W - 0.2f;
  const float front_belt = belt - 0.05f;
  const Local crb{c0, -w, belt}, clb{c0, w, belt}, cfrb{c1, -w, front_belt}, cflb{c1, w, front_belt};
  const Local crt{r0, -wr, roof}, clt{r0, wr, roof}, cfrt{r1, -wr, roof}, cflt{r1, wr, roof};
  const Local srt{c1 - 0.1f, -W, belt},
      slt{c1 - 0.1f, W, belt}; // the scuttle, from where the bonnet slopes down
  const Local lower[] = {rrb, rlb, frb, flb, rrt, rlt, srt, slt, frt, flt};
  const Local upper[] = {crb, clb, cfrb, cflb, crt, clt, cfrt, cflt};

  const bool right_seen_first =
      actor.heading.x > 0; // the side nearer to the camera: right when it drives to the right
  const float side = right_seen_first ? -W : W;
  const auto mirrored = [&](const Local &p) { return Local{p.f, right_seen_first ? p.l : -p.l, p.y}; };

  if (!car.outline(lower, paint * 0.7f)) return;
  car.wheel(-L + 0.85f, -side * 0.98f, 0.31f, rubber); // what shows under the far side
  car.wheel(L - 0.82f, -side * 0.98f, 0.31f, rubber);
  car.outline(lower, paint * car.lit(0, right_seen_first ? -1 : 1, 0));
  car.face({rlt, rrt, srt, slt}, paint * car.lit(0, 0, 1));
  car.face({slt, srt, frt, flt}, paint * car.lit(0.12f, 0, 1) * 0.97f);
  if (car.face({frb, flb, flt, frt}, paint * car.lit(1, 0, 0.1f))) {
    car.face({{L + 0.01f, -0.8f, 0.27f}, {L + 0.01f, 0.8f, 0.27f}, {L, 0.8f, 0.42f}, {L, -0.8f, 0.42f}},
             rubber);
    for (const float s : {-0.66f, 0.66f})
      car.face({{L, s - 0.16f, 0.52f},
                {L, s + 0.16f, 0.52f},
                {L - 0.04f, s + 0.16f, 0.66f},
                {L - 0.04f, s - 0.16f, 0.66f}},
               {250, 244, 214});
  }
  if (car.face({rlb, rrb, rrt, rlt}, paint * car.lit(-1, 0, 0.1f))) {
    car.face({{-L - 0.01f, 0.8f, 0.27f}, {-L - 0.01f, -0.8f, 0.27f}, {-L, -0.8f, 0.42f}, {-L, 0.8f, 0.42f}},
             rubber);
    for (const float s : {-0.68f, 0.68f})
      car.face({{-L, s + 0.14f, 0.58f},
                {-L, s - 0.14f, 0.58f},
                {-L + 0.03f, s - 0.14f, 0.76f},
                {-L + 0.03f, s + 0.14f, 0.76f}},
               {206, 30, 24});
    car.face({{-L, 0.26f, 0.46f}, {-L, -0.26f, 0.46f}, {-L, -0.26f, 0.58f}, {-L, 0.26f, 0.58f}},
             {226, 226, 214});
  }

  // Near side: a dark sill, the doors' line, the wheels.
  const auto seen_at = [&](float f, float y) { return camera.see(car.world({f, side, y})); };
  car.outline(std::to_array<Local>(
                  {{-L, side, sill}, {L, side, sill}, {L, side, sill + 0.1f}, {-L, side, sill + 0.1f}}),
              rubber);
  for (const float f : {-0.45f, 0.55f}) {
    const Camera::Seen a = seen_at(f, sill + 0.12f), b = seen_at(f, belt - 0.04f);
    if (a.scale > 0 && b.scale > 0)
      out.add_capsule(a.at, 0.012f * a.scale, b.at, 0.012f * b.scale, paint * 0.45f, 0);
  }
  for (const float f : {-L + 0.85f, L - 0.82f}) {
    car.wheel(f, side, 0.38f, rubber * 0.8f);
    car.wheel(f, side * 1.01f, 0.31f, rubber);
    car.wheel(f, side * 1.02f, 0.19f, metal);
    car.wheel(f, side * 1.02f, 0.06f, rubber);
  }

  car.outline(upper, paint * car.lit(0, right_seen_first ? -1 : 1, 0.3f));
  // Windows lie a little inside the faces of the cabin.
  const auto window = [&](const Local &a, const Local &b, const Local &c, const Local &d, float from,
                          float to) {
    const Local low0 = between(a, b, from), low1 = between(a, b, to), high0 = between(d, c, from),
                high1 = between(d, c, to);
    car.face({between(low0, high0, 0.12f), between(low1, high1, 0.12f), between(low1, high1, 0.88f),
              between(low0, high0, 0.88f)},
             glass);
  };
  const Local lo0 = mirrored(crb), lo1 = mirrored(cfrb), hi1 = mirrored(cfrt), hi0 = mirrored(crt);
  if (right_seen_first) {
    window(lo0, lo1, hi1, hi0, 0.07f, 0.47f);
    window(lo0, lo1, hi1, hi0, 0.52f, 0.93f);
  } else {
    window(lo1, lo0, hi0, hi1, 0.07f, 0.48f);
    window(lo1, lo0, hi0, hi1, 0.53f, 0.93f);
  }
  if (car.face({cfrb, cflb, cflt, cfrt}, paint * car.lit(0.7f, 0, 0.7f)))
    window(cfrb, cflb, cflt, cfrt, 0.05f, 0.95f);
  if (car.face({clb, crb, crt, clt}, paint * car.lit(-0.7f, 0, 0.7f)))
    window(clb, crb, crt, clt, 0.06f, 0.94f);
  car.face({clt, crt, cfrt, cflt}, paint * car.lit(0, 0, 1) * 1.02f);

  World points[std::size(lower)];
  std::transform(std::begin(lower), std::end(lower), points, [&](const Local &p) {
    return car.world({p.f, p.l, p.y < 0.5f ? 0.f : p.y});
  });
  add_shadow(points, camera, sun, out);
  std::transform(std::begin(upper), std::end(upper), points, [&](const Local &p) { return car.world(p); });
  add_shadow({points, std::size(upper)}, camera, sun, out);
}

} // namespace vigil::scene
