// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is where at a time, and how the light falls.
#pragma once

#include "common/scene/camera.h"
#include "common/scene/scene.h"
#include "common/shifted.h"

#include <span>
#include <vector>

namespace vigil::scene {

struct Actor {
  Kind kind;          // a bag lies on the ground; it comes and goes where it is put down and picked up
  ScenePoint at;      // on the ground, metres
  ScenePoint heading; // length 1
  float walked;       // metres since it entered; moves the legs and the wheels
  float speed;        // metres a second; those who run bend their legs more
  std::uint32_t look; // chooses its size and its colours
  int id =
      0; // > 0 and its own for as long as the scene lasts; 0 where a story has no other actor: it is 1 then
  double since = -1; // scene time in seconds since which it stands; negative: it moves
  int owner = 0;     // of a bag: who put it down
};

// Where the shadow of a point 1 m above the ground falls, seen from below it, and what it does.
struct Sun {
  ScenePoint shift;
  float darkening; // in the core
  float blur;      // metres of penumbra for each metre of height
};

// The wall or house that closes the scene stands here, metres from the camera.
inline constexpr float wall_distance = 18.4f;

class Plot {
 public:
  Plot(const Settings &, const Camera &);
  // Sorted, far ones first.
  void actors(double time, std::vector<Actor> &) const;
  Rgb light(double time) const; // factors
  // Radius of the blur in parts of the picture's height; 0: sharp.
  float blur(double time) const;
  // Pixels on each side that a swaying camera may bring into view, even, for a picture of this width; 0 in
  // stories in which it does not sway.
  static int sway_border(Story, int width);
  // By how many pixels the content lies to the right and down; within the border.
  Shift sway(double time, int width) const;
  // Which view the camera looks at; 0: the first one.
  int view(double time) const;
  // How many views it has, and by how many degrees each is turned to the right and down from the first one.
  struct Turn {
    float aside, down;
  };
  static std::span<const Turn> other_views(Story);
  bool hot() const { return story_ == Story::heat; }
  // How many seconds later than even lines odd ones are taken; 0: at once.
  double field_delay() const { return story_ == Story::interlaced ? 1 / 50. : 0; }
  Sun sun(double time) const;
  float wind() const { return wind_; } // how far leaves swing at most, relative
  // How strong the wind is at a time of a gale, as a share of wind(), 0.5..1: it comes in gusts.
  float gusts(double time) const;
  // Random numbers in -1..1 that follow each other smoothly, one row for each `key`.
  float turbulence(std::uint32_t key, double time) const;
  bool gale() const { return story_ == Story::gale; }
  bool camouflage() const { return story_ == Story::camouflage; }
  Pattern pattern() const { return pattern_; }

 private:
  // A way across the picture that one after another takes.
  struct Lane {
    Kind kind;
    ScenePoint at, heading;
    float from, to; // metres along the heading
    float speed;
    double first, interval; // seconds after the quiet time
  };
  void add_lane(Kind, float distance, float turn, float speed, double first, double interval);
  void on_lanes(double time, std::vector<Actor> &) const;
  void stopping_car(double time, std::vector<Actor> &) const;
  void crowd(double time, std::vector<Actor> &) const;
  // stages.cpp
  void groups(double time, std::vector<Actor> &) const;
  void left_bag(double time, std::vector<Actor> &) const;
  void taken_bag(double time, std::vector<Actor> &) const;
  void queue(double time, std::vector<Actor> &) const;
  void step_aside(double time, std::vector<Actor> &) const;
  // trials.cpp
  void waiting_person(double time, std::vector<Actor> &) const;
  void parked_car(double time, std::vector<Actor> &) const;
  Rgb trial_light(double time) const;
  // day.cpp
  void passers(double time, std::vector<Actor> &) const;

  Story story_;
  Pattern pattern_;
  std::uint32_t seed_;
  double quiet_;
  float density_;
  float wind_;
  float
      beam_margin_; // metres beyond the border at which cars are known for their headlights; 0: no headlights
  Sun sun_;
  Camera camera_;
  std::vector<Lane> lanes_;
};

} // namespace vigil::scene
