// SPDX-License-Identifier: LGPL-2.1-or-later
// Scenes that try one thing each that real cameras do to a model of the background: what the camera does to
// the light, and who waits or was there from the start.
#include "common/scene/story.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace vigil::scene {
namespace {

constexpr double wait_time = 60;  // seconds that the person stands
constexpr double follow_time = 1; // seconds in which the exposure follows
constexpr double step_period = 5; // seconds from one white balance to the next
constexpr double cover_period = 20, cover_from = 8, cover_to = 11; // seconds
constexpr double turn_after = 12;                                  // seconds after the quiet time
constexpr Plot::Turn moved_to[] = {{4, -1.5f}}, tour[] = {{14, 1}, {-12, 5}};
constexpr double look_time = 6;                                  // seconds that each view of the tour lasts
constexpr double blur_period = 40, blur_from = 12, blur_to = 24; // seconds
constexpr float blur_radius = 1 / 40.f;                          // of the picture's height
constexpr int sway_part = 20;                                    // of the width, at the most
constexpr double gust_period = 6;                                // seconds
constexpr double sway_across = 0.9, sway_down = 1.3;             // a second
constexpr double leave_after = 4; // seconds after the quiet time that the parked car leaves

// 0 before `from` and after `to`, 1 between, in slopes of follow_time.
double presence(double t, double from, double to) {
  return std::clamp((t - from) / follow_time, 0., 1.) *
         std::clamp((to + follow_time - t) / follow_time, 0., 1.);
}

} // namespace

// A person who walks in, stands near the camera and walks out.
void Plot::waiting_person(double time, std::vector<Actor> &actors) const {
  constexpr float speed = 1.4f;
  const ScenePoint at{0, 9.0f}, heading{1, 0};
  float from, to;
  const double since = time - quiet_;
  if (density_ <= 0 || since < 0 || !camera_.visible_stretch(at, heading, 1.6f, from, to)) return;
  const double half = 0.5 * double(to - from) / speed;
  if (since > 2 * half + wait_time) return;
  const double walking = std::min(since, half) + std::max(0., since - half - wait_time);
  const auto walked = float(walking * speed);
  const bool stands = since > half && since < half + wait_time;
  const float sway = stands ? 0.08f * float(std::sin(2.5 * since)) : 0.f; // a waiting person shifts weight
  actors.push_back(
      {Kind::person, {from + walked + sway, at.y}, heading, walked, stands ? 0.f : speed, seed_});
}

// A car that was there before the first frame.
void Plot::parked_car(double time, std::vector<Actor> &actors) const {
  constexpr double acceleration = 2.5;
  const ScenePoint at{0, 10.4f}, heading{1, 0};
  float from, to;
  if (density_ <= 0 || !camera_.visible_stretch(at, heading, 3.4f, from, to)) return;
  const double since = std::max(0., time - quiet_ - leave_after);
  const auto way = float(acceleration * since * since / 2);
  if (way > to) return;
  actors.push_back({Kind::car, {at.x + way, at.y}, heading, way, float(acceleration * since), seed_});
}

int Plot::view(double time) const {
  const double since = time - quiet_;
  if (story_ == Story::moved) return since >= turn_after ? 1 : 0;
  if (story_ == Story::pan_tilt && since > 0)
    return int(std::fmod(since / look_time, 1 + double(std::size(tour))));
  return 0;
}

std::span<const Plot::Turn> Plot::other_views(Story story) {
  if (story == Story::moved) return moved_to;
  if (story == Story::pan_tilt) return tour;
  return {};
}

float Plot::blur(double time) const {
  if (story_ != Story::defocused || time < quiet_) return 0;
  return blur_radius * float(presence(std::fmod(time - quiet_, blur_period), blur_from, blur_to));
}

int Plot::sway_border(Story story, int width) {
  return story == Story::shake ? (width / sway_part + 3) / 2 * 2 : 0;
}

Shift Plot::sway(double time, int width) const {
  if (story_ != Story::shake || time < quiet_) return {};
  const double since = time - quiet_, gust = std::sin(std::numbers::pi * since / gust_period);
  const double swing = width * gust * gust / sway_part;
  const auto pixels = [](double p) { return static_cast<int>(std::lround(p)); };
  return {pixels(swing * std::sin(2 * std::numbers::pi * sway_across * since)),
          pixels(swing / 3 * std::sin(2 * std::numbers::pi * sway_down * since))};
}

Rgb Plot::trial_light(double time) const {
  const double since = time - quiet_;
  if (since < 0) return {1, 1, 1};
  if (story_ == Story::auto_exposure) {
    // The person who enters wears a bright coat: the exposure goes down while there is someone, by more than
    // a fifth.
    const float k = 1 - 0.22f * float(presence(since, 1, 1e9) * (0.6 + 0.4 * std::sin(since)));
    return {k, k, k};
  }
  if (story_ == Story::white_balance) {
    constexpr Rgb steps[] = {{1, 1, 1}, {1.12f, 1, 0.86f}, {0.88f, 0.97f, 1.12f}};
    return steps[int(since / step_period) % 3];
  }
  if (story_ == Story::covered) {
    const double t = std::fmod(since, cover_period);
    const float k = 1 - 0.98f * float(presence(t, cover_from, cover_to));
    return {k, k, k};
  }
  return {1, 1, 1};
}

} // namespace vigil::scene
