// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/story.h"

#include "common/scene/beams.h"
#include "common/scene/day.h"
#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

// Any number would do; with this one the default seed shows objects that luma alone can tell from shadow.
constexpr std::uint32_t cast_key = 4;
constexpr float car_margin = 3.4f,
                person_margin = 1.6f;           // metres beyond the picture's border, shadows included
constexpr float tour_margin = 9;                // metres more, for other views
constexpr double switch_period = 8;             // seconds: light on for the first half
constexpr double stand = 15;                    // seconds that the stopped car stands
constexpr double stroll = 8, crowd_period = 16; // seconds until the crowd runs, and until it comes again

Pattern pattern_of(const Settings &s) {
  if (s.pattern != Pattern::automatic) return s.pattern;
  switch (s.story) {
  case Story::indoor:
  case Story::light_switch:
  case Story::left_bag:
  case Story::taken_bag:
  case Story::queue:
  case Story::step_aside:
  case Story::uncovered:
  case Story::auto_exposure:
  case Story::white_balance:
  case Story::covered:
  case Story::waiting_person:
  case Story::moved:
  case Story::defocused:
  case Story::clock:
  case Story::flicker:
  case Story::pan_tilt:
  case Story::screen:
    return Pattern::wall;
  case Story::camouflage:
    return Pattern::grass;
  case Story::crowd:
  case Story::crossing:
  case Story::groups:
  case Story::plaza:
    return Pattern::paving;
  default:
    return Pattern::street;
  }
}

Sun sun_of(Story story) {
  switch (story) {
  case Story::indoor:
  case Story::light_switch:
  case Story::left_bag:
  case Story::taken_bag:
  case Story::queue:
  case Story::step_aside:
  case Story::uncovered:
  case Story::auto_exposure:
  case Story::white_balance:
  case Story::covered:
  case Story::waiting_person:
  case Story::moved:
  case Story::defocused:
  case Story::clock:
  case Story::flicker:
  case Story::pan_tilt:
  case Story::screen:
    return {{0.25f, 0.1f}, 0.25f, 0.3f}; // lamps in the ceiling
  case Story::camouflage:
    return {{0.85f, 0.3f}, 0.25f, 0.25f}; // a veiled sun
  case Story::headlights:
    return {{0.85f, 0.3f}, 0.12f, 0.3f}; // lamps far away
  case Story::rain:
  case Story::snow:
  case Story::ir_cut:
    return {{0.3f, 0.1f}, 0.2f, 0.3f}; // clouds
  case Story::insects:
    return {{0.05f, 0.6f}, 0.3f, 0.1f}; // the camera's lamp
  default:
    return {{0.85f, 0.3f}, 0.4f, 0.1f};
  }
}

} // namespace

Plot::Plot(const Settings &s, const Camera &camera)
    : story_(s.story), pattern_(pattern_of(s)), seed_(mix(s.seed, cast_key)), quiet_(s.quiet),
      density_(s.density), wind_(s.story == Story::empty     ? 0.f
                                 : s.story == Story::foliage ? 2.2f
                                 : s.story == Story::gale    ? 6.f
                                                             : 1.f),
      beam_margin_(s.story == Story::headlights || (s.story == Story::day && s.headlights) ? beam_margin
                                                                                           : 0.f),
      sun_(sun_of(s.story)), camera_(camera) {
  switch (story_) {
  case Story::street:
  case Story::shake:
  case Story::headlights:
  case Story::rain:
  case Story::snow:
  case Story::heat:
  case Story::insects:
  case Story::ir_cut:
  case Story::interlaced:
  case Story::flag:
    add_lane(Kind::car, 10.4f, 0, 7.5f, 1.0, 5.2);
    add_lane(Kind::car, 13.7f, 180, 8.5f, 3.3, 6.1);
    add_lane(Kind::person, 17.0f, 0, 1.35f, 0, 4.5);
    add_lane(Kind::person, 16.5f, 180, 1.25f, 1.5, 6.5);
    add_lane(Kind::person, 7.4f, 180, 1.4f, 0.3, 6.0);
    break;
  case Story::indoor:
  case Story::light_switch:
  case Story::auto_exposure:
  case Story::white_balance:
  case Story::covered:
  case Story::moved:
  case Story::defocused:
  case Story::clock:
  case Story::flicker:
  case Story::pan_tilt:
  case Story::screen:
    add_lane(Kind::person, 15.5f, 0, 1.3f, 0, 4.5);
    add_lane(Kind::person, 12.5f, 170, 1.25f, 0.6, 5.0);
    add_lane(Kind::person, 9.0f, 8, 1.4f, 1.2, 5.5);
    break;
  case Story::camouflage:
    add_lane(Kind::person, 15.0f, 0, 1.25f, 0, 4.0);
    add_lane(Kind::person, 11.5f, 176, 1.3f, 0.6, 4.5);
    add_lane(Kind::person, 8.5f, 5, 1.35f, 1.2, 5.0);
    break;
  case Story::stopped_car:
    add_lane(Kind::car, 13.7f, 180, 8.5f, 5.0, 12.0);
    add_lane(Kind::person, 17.0f, 0, 1.35f, 1.0, 6.0);
    break;
  case Story::foliage:
    add_lane(Kind::person, 16.8f, 0, 1.35f, 0, 6.0);
    add_lane(Kind::person, 7.4f, 180, 1.4f, 1.5, 8.0);
    break;
  case Story::gale:
    add_lane(Kind::person, 16.0f, 0, 1.35f, 0, 6.0);
    add_lane(Kind::person, 12.0f, 176, 1.3f, 1.0, 5.0);
    add_lane(Kind::person, 8.0f, 180, 1.4f, 1.5, 7.0);
    break;
  case Story::crossing:
    add_lane(Kind::person, 9.2f, 8, 1.35f, 0, 5.0);
    add_lane(Kind::person, 10.4f, 172, 1.25f, 0.7, 4.5);
    add_lane(Kind::person, 12.0f, -7, 1.3f, 0.3, 4.5);
    add_lane(Kind::person, 13.2f, 186, 1.4f, 1.1, 5.5);
    add_lane(Kind::person, 14.6f, 3, 1.2f, 0.5, 4.0);
    break;
  case Story::traffic:
    add_lane(Kind::car, 9.3f, 0, 7.5f, 0.2, 2.6);
    add_lane(Kind::car, 11.2f, 0, 9.5f, 1.0, 3.1);
    add_lane(Kind::car, 13.1f, 180, 9.0f, 0.6, 2.4);
    add_lane(Kind::car, 15.0f, 180, 7.0f, 1.4, 2.9);
    break;
  case Story::plaza:
    add_lane(Kind::person, 8.2f, 10, 1.35f, 0, 5.5);
    add_lane(Kind::person, 9.8f, 170, 1.25f, 0.8, 6.0);
    add_lane(Kind::bicycle, 11.6f, 3, 4.6f, 1.2, 5.0);
    add_lane(Kind::bicycle, 13.0f, 183, 4.0f, 3.4, 6.5);
    add_lane(Kind::car, 14.9f, 0, 5.0f, 6.0, 15.0);
    add_lane(Kind::person, 17.2f, 180, 1.3f, 0.4, 5.0);
    break;
  case Story::crowd:
  case Story::empty:
  case Story::groups:
  case Story::left_bag:
  case Story::taken_bag:
  case Story::queue:
  case Story::step_aside:
  case Story::uncovered:
  case Story::parked_car:
  case Story::waiting_person:
  case Story::day:
    break;
  }
}

// `distance` is that of the lane from the camera at u = 0, `turn` its heading in degrees (0: to the right).
void Plot::add_lane(Kind kind, float distance, float turn, float speed, double first, double interval) {
  if (density_ <= 0) return;
  const float angle = turn * 3.14159265f / 180;
  const bool cars = kind == Kind::car;
  Lane lane{kind, {0, distance}, {std::cos(angle), std::sin(angle)}, 0, 0, speed, first, interval / density_};
  if (story_ == Story::pan_tilt)
    lane.first -= double(tour_margin / speed);                    // they are in view as soon as elsewhere
  if (cars) lane.interval = std::max(lane.interval, 9.0 / speed); // metres from car to car
  const float more = story_ == Story::pan_tilt ? tour_margin : cars ? beam_margin_ : 0.f;
  if (camera_.visible_stretch(lane.at, lane.heading, (cars ? car_margin : person_margin) + more, lane.from,
                              lane.to))
    lanes_.push_back(lane);
}

void Plot::on_lanes(double time, std::vector<Actor> &actors) const {
  for (std::uint32_t i = 0; i < lanes_.size(); i++) {
    const Lane &lane = lanes_[i];
    const double since = time - quiet_ - lane.first;
    if (since < 0) continue;
    const float length = lane.to - lane.from;
    const double longest = length / (0.85 * lane.speed) + lane.interval;
    const auto newest = std::int64_t(since / lane.interval);
    const auto oldest = std::max(std::int64_t{0}, std::int64_t((since - longest) / lane.interval));
    for (std::int64_t n = oldest; n <= newest; n++) {
      Random random(mix(seed_, i, std::uint32_t(n)));
      const std::uint32_t look = random.next();
      const double late = n == 0 ? 0 : random.between(0, 0.35f) * lane.interval;
      const bool cars = lane.kind == Kind::car;
      const float speed = cars ? lane.speed : lane.speed * random.between(0.87f, 1.15f);
      const float aside = cars ? random.between(-0.15f, 0.15f) : random.between(-0.45f, 0.45f);
      const auto walked = float((since - double(n) * lane.interval - late) * speed);
      if (walked < 0 || walked > length) continue;
      const float s = lane.from + walked;
      actors.push_back(
          {lane.kind,
           {lane.at.x + s * lane.heading.x - aside * lane.heading.y,
            lane.at.y + s * lane.heading.y + aside * lane.heading.x},
           lane.heading,
           walked,
           speed,
           look,
           1 + int(i) + int(n) * int(lanes_.size() + 1)}); // one number is left for the stopping car
    }
  }
}

// It brakes from 7 m/s with 3.5 m/s2, stands, and speeds up in the same way.
void Plot::stopping_car(double time, std::vector<Actor> &actors) const {
  constexpr double speed = 7, braking = 3.5, brake_time = speed / braking, brake_way = speed * brake_time / 2;
  const ScenePoint at{0, 10.4f}, heading{1, 0};
  float from, to;
  if (density_ <= 0 || time < quiet_ || !camera_.visible_stretch(at, heading, car_margin, from, to)) return;
  const double stop = std::max(0.5 * (double(to) - from), brake_way); // metres from where it enters
  const double arrive = (stop - brake_way) / speed + brake_time, leave = arrive + stand;
  const double gone = leave + brake_time + std::max(0.0, double(to) - from - stop - brake_way) / speed;
  const double period = gone + 4;
  const double since = time - quiet_, t = std::fmod(since, period);
  if (t > gone) return;
  double way = stop;
  if (t < arrive) {
    const double left = std::min(arrive - t, brake_time);
    way = stop - braking * left * left / 2 - speed * std::max(0.0, arrive - t - brake_time);
  } else if (t > leave) {
    const double rolled = std::min(t - leave, brake_time);
    way = stop + braking * rolled * rolled / 2 + speed * std::max(0.0, t - leave - brake_time);
  }
  const auto n = std::uint32_t(since / period);
  const bool stands = t >= arrive && t <= leave;
  actors.push_back({Kind::car,
                    {float(from + way), at.y},
                    heading,
                    float(way),
                    stands ? 0.f : float(speed),
                    mix(seed_, 0x73746f70u, n),
                    1 + int(lanes_.size()) + int(n) * int(lanes_.size() + 1),
                    stands ? quiet_ + n * period + arrive : -1});
}

void Plot::crowd(double time, std::vector<Actor> &actors) const {
  if (time < quiet_) return;
  const double since = time - quiet_, t = std::fmod(since, crowd_period);
  const auto round = std::uint32_t(since / crowd_period);
  const int people = int(std::lround(16 * density_));
  for (int i = 0; i < people; i++) {
    Random random(mix(seed_, 0x63726f77u, round, std::uint32_t(i)));
    const std::uint32_t look = random.next();
    const float enter = i == 0 ? 0 : random.between(0, 4), speed = random.between(1.1f, 1.6f);
    const bool leftwards = random.between(0, 1) < 0.5f;
    const float angle = random.between(-0.12f, 0.12f) + (leftwards ? 3.14159265f : 0.f);
    const ScenePoint start{0, random.between(8, 16.5f)}, heading{std::cos(angle), std::sin(angle)};
    const float haste = random.between(4, 5.5f), reaction = random.between(0, 0.5f),
                drift = random.between(-0.25f, 0.25f);
    float from, to;
    if (!camera_.visible_stretch(start, heading, person_margin, from, to)) continue;
    const double alarm = stroll + reaction;
    if (t < enter) continue;
    const auto walked = float((std::min(t, alarm) - enter) * speed);
    const float s = from + walked;
    Actor a{Kind::person,
            {start.x + s * heading.x, start.y + s * heading.y},
            heading,
            walked,
            speed,
            look,
            1 + i + int(round) * people};
    if (t > alarm) { // away from the middle, to the nearer side
      const float middle = 0.5f * (from + to), side = (s < middle ? -1.f : 1.f) * heading.x < 0 ? -1.f : 1.f;
      const float length = std::hypot(1.f, drift), run = float(t - alarm) * haste;
      a.heading = {side / length, drift / length};
      a.at.x += run * a.heading.x;
      a.at.y = std::clamp(a.at.y + run * a.heading.y, 7.f, wall_distance - 0.8f);
      a.walked += run;
      a.speed = haste;
    }
    actors.push_back(a);
  }
}

void Plot::actors(double time, std::vector<Actor> &actors) const {
  actors.clear();
  on_lanes(time, actors);
  if (story_ == Story::stopped_car) stopping_car(time, actors);
  if (story_ == Story::crowd) crowd(time, actors);
  if (story_ == Story::groups) groups(time, actors);
  if (story_ == Story::left_bag) left_bag(time, actors);
  if (story_ == Story::taken_bag) taken_bag(time, actors);
  if (story_ == Story::queue) queue(time, actors);
  if (story_ == Story::step_aside || story_ == Story::uncovered) step_aside(time, actors);
  if (story_ == Story::parked_car) parked_car(time, actors);
  if (story_ == Story::waiting_person) waiting_person(time, actors);
  if (story_ == Story::day) passers(time, actors);
  std::stable_sort(actors.begin(), actors.end(),
                   [](const Actor &a, const Actor &b) { return a.at.y > b.at.y; });
}

Sun Plot::sun(double time) const {
  return story_ == Story::day ? day_sun(time) : sun_;
}

float Plot::gusts(double time) const {
  return std::clamp(0.75f + 0.5f * value_noise(seed_ + 3, 0.4f * float(time), 0.5f), 0.5f, 1.f);
}

float Plot::turbulence(std::uint32_t key, double time) const {
  return value_noise(seed_ + key, float(time), 0.5f);
}

Rgb Plot::light(double time) const {
  if (story_ != Story::light_switch) return trial_light(time);
  if (time < quiet_ || std::fmod(time - quiet_, switch_period) < switch_period / 2) return {1, 1, 1};
  return {0.52f, 0.57f, 0.64f}; // what comes through the windows
}

} // namespace vigil::scene
