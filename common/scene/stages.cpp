// SPDX-License-Identifier: LGPL-2.1-or-later
// Stories whose people walk from place to place and wait there, for tests of tracking.
#include "common/scene/hash.h"
#include "common/scene/story.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace vigil::scene {
namespace {

constexpr float pace = 1.3f;   // metres a second
constexpr float margin = 1.6f; // metres beyond the picture's border, shadows included

// Somebody's way: walks straight to one place after another, and waits there.
class Way {
 public:
  Way(double begin, ScenePoint at) : stops_{{begin, begin, at, 0}} {}
  // Reaches the place after the time that it takes at this speed.
  Way &walk(ScenePoint to, float speed = pace) {
    const Stop last = stops_.back();
    const float length = std::hypot(to.x - last.at.x, to.y - last.at.y);
    const double arrive = last.leave + length / speed;
    stops_.push_back({arrive, arrive, to, last.walked + length});
    return *this;
  }
  Way &wait_until(double time) {
    stops_.back().leave = std::max(stops_.back().leave, time);
    return *this;
  }
  double now() const { return stops_.back().leave; }

  // False before the begin and after the last place was reached. `from_zero`: scene time of the way's time 0.
  bool actor(double time, double from_zero, Actor &a) const {
    if (time < stops_.front().arrive || time > stops_.back().arrive) return false;
    std::size_t next = 1;
    while (next + 1 < stops_.size() && stops_[next].arrive < time) next++;
    const Stop &from = stops_[next - 1], &to = stops_[next];
    const float length = std::max(to.walked - from.walked, 1e-6f);
    a.heading = {(to.at.x - from.at.x) / length, (to.at.y - from.at.y) / length};
    const bool stands = time < from.leave;
    const double walking = to.arrive - from.leave;
    const float part = stands || walking <= 0 ? 0.f : float((time - from.leave) / walking);
    if (stands && next > 1) { // a waiting person looks away from the side of arrival
      const Stop &before = stops_[next - 2];
      const float came = std::max(from.walked - before.walked, 1e-6f);
      a.heading = {(from.at.x - before.at.x) / came, (from.at.y - before.at.y) / came};
    }
    a.at = {from.at.x + part * (to.at.x - from.at.x), from.at.y + part * (to.at.y - from.at.y)};
    a.walked = from.walked + part * (to.walked - from.walked);
    a.speed = stands || walking <= 0 ? 0.f : float(double(length) / walking);
    a.since = stands ? from_zero + from.arrive : -1;
    return true;
  }

 private:
  struct Stop {
    double arrive, leave; // seconds
    ScenePoint at;
    float walked; // metres until here
  };
  std::vector<Stop> stops_;
};

// Where people enter and leave on a line across the picture.
struct Ends {
  float left, right;
};
bool ends_at(const Camera &camera, float v, Ends &e) {
  return camera.visible_stretch({0, v}, {1, 0}, margin, e.left, e.right);
}

} // namespace

// Two or three people from either side meet, stand for some seconds, go on together to the front and part
// there.
void Plot::groups(double time, std::vector<Actor> &actors) const {
  constexpr double period = 26;
  constexpr int most = 6;
  if (time < quiet_ || density_ <= 0) return;
  const double since = time - quiet_;
  // Somebody of the round before may still be walking out.
  for (auto round = std::int64_t(since / period); round >= 0 && since - double(round) * period < 2 * period;
       round--) {
    Random random(mix(seed_, 0x67726f75u, std::uint32_t(round)));
    const int people = std::clamp(int(std::lround(random.between(3.6f, 5.4f) * density_)), 2, most);
    const float v = random.between(12.5f, 14.5f), u = random.between(-1.5f, 0.5f);
    Ends far, near;
    if (!ends_at(camera_, v, far) || !ends_at(camera_, 9.5f, near)) return;
    for (int i = 0; i < people; i++) {
      const std::uint32_t look = random.next();
      const bool from_left = i % 2 == 0, to_left = random.between(0, 1) < 0.5f;
      const float aside = 0.62f * (float(i) - 0.5f * float(people - 1)),
                  depth = random.between(-0.25f, 0.25f);
      const double enter = random.between(0, 1.5f);
      Way way(enter, {from_left ? far.left : far.right, v + depth});
      way.walk({u + aside, v + depth}).wait_until(11).walk({u + aside + 1.5f, 9.5f + depth}).wait_until(15.5);
      way.walk({to_left ? near.left : near.right, 9.5f + depth});
      Actor a{Kind::person, {}, {}, 0, 0, look};
      if (!way.actor(since - double(round) * period, quiet_ + double(round) * period, a)) continue;
      a.id = 1 + i + int(round) * most;
      actors.push_back(a);
    }
  }
}

// Somebody puts a bag down and walks away; another one stands by for long; after a while the bag is picked
// up, in even rounds by its owner, in odd ones by somebody else.
void Plot::left_bag(double time, std::vector<Actor> &actors) const {
  constexpr double period = 60;
  constexpr int ids =
      4; // a round: the owner, the bag, the person who picks it up in odd rounds, the bystander
  if (time < quiet_ || density_ <= 0) return;
  const double since = time - quiet_;
  for (auto round = std::int64_t(since / period); round >= 0 && since - double(round) * period < 2 * period;
       round--) {
    Random random(mix(seed_, 0x62616773u, std::uint32_t(round)));
    const double t = since - double(round) * period, zero = quiet_ + double(round) * period;
    const int first = 1 + int(round) * ids;
    const std::uint32_t owner_look = random.next(), bag_look = random.next(), other_look = random.next(),
                        bystander_look = random.next();
    const ScenePoint spot{random.between(-2.5f, 2.5f), random.between(10.5f, 13.5f)};
    const bool by_owner = round % 2 == 0;
    Ends e, back;
    if (!ends_at(camera_, spot.y, e) || !ends_at(camera_, 15.5f, back)) return;

    Way owner(0, {e.left, spot.y});
    owner.walk(spot);
    const double put_down = owner.now() + 2;
    owner.wait_until(put_down).walk(
        {by_owner ? back.right - 2 * margin - 1 : e.right, by_owner ? 15.5f : spot.y});
    Way other(30, {back.left, 15.5f});
    other.walk(spot);
    double picked_up = 0;
    if (by_owner) {
      owner.wait_until(put_down + 18).walk(spot);
      picked_up = owner.now() + 1.5;
      owner.wait_until(picked_up).walk({e.left, spot.y});
    } else {
      picked_up = other.now() + 1.5;
      other.wait_until(picked_up).walk({back.right, 15.5f});
    }
    Way bystander(3, {back.right, 16.2f});
    bystander.walk({spot.x + 3.2f, 16.2f}).wait_until(45).walk({back.left, 16.2f});

    const auto add = [&](const Way &way, std::uint32_t look, int id) {
      Actor a{Kind::person, {}, {}, 0, 0, look};
      if (!way.actor(t, zero, a)) return;
      a.id = id;
      actors.push_back(a);
    };
    add(owner, owner_look, first);
    if (!by_owner) add(other, other_look, first + 2);
    add(bystander, bystander_look, first + 3);
    if (t < put_down || t >= picked_up) continue;
    Actor bag{Kind::bag, {spot.x + 0.45f, spot.y - 0.15f}, {1, 0}, 0, 0, bag_look, first + 1};
    bag.since = zero + put_down;
    bag.owner = first;
    actors.push_back(bag);
  }
}

// Three bags that were there before the first frame. One after another is taken along by somebody who comes,
// stoops over it and walks on; somebody else stops next to the last one and leaves it there.
void Plot::taken_bag(double time, std::vector<Actor> &actors) const {
  constexpr int bags = 3;
  constexpr double apart = 22; // seconds from one taker of a bag to the next
  const auto add = [&](const Way &way, std::uint32_t look, int id) {
    Actor a{Kind::person, {}, {}, 0, 0, look};
    if (!way.actor(time - quiet_, quiet_, a)) return;
    a.id = id;
    actors.push_back(a);
  };
  if (density_ <= 0) return;
  Random random(mix(seed_, 0x74616b65u));
  for (int k = 0; k < bags; k++) {
    const ScenePoint spot{random.between(-0.5f, 0.5f) + 2 * float(k - 1), random.between(10.5f, 13.5f)};
    const std::uint32_t bag_look = random.next(), taker_look = random.next(), other_look = random.next();
    const bool from_left = random.between(0, 1) < 0.5f;
    Ends e, front;
    if (!ends_at(camera_, spot.y, e) || !ends_at(camera_, spot.y - 0.6f, front)) return;
    Way taker(k * apart, {from_left ? e.left : e.right, spot.y});
    taker.walk(spot);
    const double taken = taker.now() + 1.5;
    taker.wait_until(taken).walk({from_left ? e.right : e.left, spot.y});
    add(taker, taker_look, 2 * k + 2);
    if (k == bags - 1) {
      Way other(4, {front.left, spot.y - 0.6f});
      other.walk({spot.x - 0.3f, spot.y - 0.6f}).wait_until(18).walk({front.right, spot.y - 0.6f});
      add(other, other_look, 2 * bags + 1);
    }
    if (time - quiet_ >= taken) continue;
    Actor bag{Kind::bag, {spot.x + 0.45f, spot.y - 0.15f}, {1, 0}, 0, 0, bag_look, 2 * k + 1};
    bag.since = 0;
    actors.push_back(bag);
  }
}

// One after another walks to the end of the queue, moves on when somebody at its head was served, and leaves.
void Plot::queue(double time, std::vector<Actor> &actors) const {
  constexpr int length = 6;
  constexpr double service = 6; // seconds each
  constexpr float gap = 0.85f, v = 12;
  Ends e;
  if (time < quiet_ || density_ <= 0 || !ends_at(camera_, v, e)) return;
  const double since = time - quiet_;
  const float head = std::min(e.right - margin - 1.5f, 3.f);
  const auto place = [&](int k) { return ScenePoint{head - gap * float(k), v}; };
  const double walk_in = double(place(length - 1).x - e.left) / pace;
  const auto newest = std::int64_t(since / service);
  for (std::int64_t n = newest; n >= 0 && since - double(n) * service < 120; n--) {
    Random random(mix(seed_, 0x71756575u, std::uint32_t(n)));
    const std::uint32_t look = random.next();
    const double enter = double(n) * service;
    Way way(enter, {e.left, v});
    way.walk(place(length - 1));
    // Everyone moves at the same moments; a person reaches the head `length` of them after the end.
    const double step = enter + std::ceil(walk_in / service + 0.25) * service;
    for (int k = length - 2; k >= 0; k--)
      way.wait_until(step + service * double(length - 2 - k)).walk(place(k), 1);
    way.wait_until(step + service * double(length - 1))
        .walk({head + 0.8f, v - 1.6f})
        .walk({e.right, v - 1.6f});
    Actor a{Kind::person, {}, {}, 0, 0, look};
    if (!way.actor(since, quiet_, a)) continue;
    a.id = 1 + int(n);
    actors.push_back(a);
  }
}

// Somebody stands quite still from the first frame on, so that the model takes the person for background. 8 s
// after the quiet time the person steps aside by half of its width, waits there for half a minute and leaves.
// In `uncovered` somebody else has come meanwhile, stands just behind the place and remains there.
void Plot::step_aside(double time, std::vector<Actor> &actors) const {
  constexpr double still = 8, waits = 30;
  constexpr float v = 9, aside = 0.3f, behind = 0.6f;
  Ends e;
  if (density_ <= 0 || !ends_at(camera_, v, e)) return;
  const double since = time - quiet_;
  Random random(mix(seed_, 0x61736964u));
  const std::uint32_t look = random.next(), other_look = random.next();
  const ScenePoint spot{random.between(-0.5f, 0.5f), v};
  // It looks at the camera from `arrives` to `leaves`, and shifts its weight from `sways` on.
  const auto add = [&](const Way &way, std::uint32_t by_look, int id, double arrives, double sways,
                       double leaves) {
    Actor a{Kind::person, {}, {}, 0, 0, by_look};
    if (!way.actor(since, quiet_, a)) return;
    a.id = id;
    if (since > arrives && since < leaves) a.heading = {0, -1};
    if (since > sways && since < leaves) a.at.x += 0.08f * float(std::sin(2.5 * (since - sways)));
    actors.push_back(a);
  };
  Way person(-quiet_, spot);
  person.wait_until(still).walk({spot.x + aside, v}, 0.6f);
  const double moved = person.now(), leaves = moved + waits;
  person.wait_until(leaves).walk({e.right, v});
  add(person, look, 1, -quiet_ - 1, moved, leaves);
  if (story_ == Story::step_aside) return;
  Way other(0, {e.right, v + behind});
  other.walk({spot.x, v + behind});
  const double stands = other.now();
  other.wait_until(leaves + 2).walk({e.left, v + behind});
  add(other, other_look, 2, stands, stands, leaves + 2);
}

} // namespace vigil::scene
