// SPDX-License-Identifier: LGPL-2.1-or-later
// Surveillance scenes drawn by rule, with their exact truth: the contract.
//
// A scene is a pure function of its settings and of a moment (frame number and time). Any frame can be drawn
// alone, in any order, on any number of threads, and its bytes are the same ones on the same machine and
// build.
//
// The world is measured in metres: u along the street, v away from the camera, y up. The camera stands on a
// pole at u = v = 0, and looks down; camera.h has its projection. All sizes follow the picture's
// height (half its width when that is more), so every picture size shows the same place.
//
// Colours are R, G, B as a display takes them, 0..255. A shadow multiplies the three by one factor: 0.6 in
// its core (0.75 under the lamps of an indoor scene and under the clouds of `camouflage`), rising to 1 across
// its penumbra. Sensor noise is Gaussian, independent for each frame, pixel and colour, drawn from (seed,
// frame, x, y) alone; a grey picture is that of a monochrome sensor, with the same noise on its luma.
//
// Truth, as in the CDnet benchmark: 255 where a moving or stopped object covers the whole pixel, 170
// (unknown) where it covers a part of it, 50 where the light falls by a tenth or more in its shadow, 0
// elsewhere. Foliage that sways, noise and a light that is switched are background: 0.
#pragma once

#include "common/cpu/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::scene {

// What happens.
enum class Story : std::uint8_t {
  street,        // people and cars pass, foliage sways
  indoor,        // people walk through a hall under soft lamps
  light_switch,  // the same, and the light goes off and on again
  camouflage,    // people dressed in the colour of the ground
  stopped_car,   // a car drives in, stands for 15 s and leaves
  foliage,       // strong wind in much foliage, few people
  crowd,         // people stroll; after a while all of them run away
  empty,         // nothing but noise
  crossing,      // people whose ways cross, so that they hide each other
  groups,        // people meet, stand, go on together and part
  left_bag,      // people put bags down and walk away; some stand by; the bags are picked up again later
  taken_bag,     // bags are there from the first frame on; people come and take them along
  queue,         // people stand in a queue that moves on
  traffic,       // dense traffic both ways
  auto_exposure, // people in a hall, and the camera's exposure follows them
  white_balance, // the same, and the white balance steps
  covered,       // the same, and a hand covers the lens for some seconds
  parked_car, // a car is there from the first frame on and leaves; the truth has it as foreground all the time
  waiting_person, // a person walks in, stands for a minute and leaves
  moved,          // people in a hall, and the camera is turned aside for good
  defocused,      // the same, and the camera goes out of focus for a while
  shake,          // a street, seen from a pole that sways in gusts; the picture moves by whole pixels
  day, // a street for 24 hours: sun, clouds, rain, dusk, lamps, night; now and then somebody passes (day.h)
  step_aside, // a person is there from the first frame on, steps aside by half of its width and waits
  uncovered,  // the same, and somebody else stands behind that place and remains there
  gale,       // crowns of trees swing far in irregular gusts, people pass before and behind leaves
  headlights, // a street at night; the cars light the road before them
  rain,       // a street in rain
  snow,       // a street in falling snow
  heat,       // a street in hot air, which shimmers
  insects,    // a street by an infra-red lamp; insects fly before the lens, threads of a web sway
  clock,      // people in a hall, and a clock is burnt into the picture
  flicker,    // people in a hall whose lamps flicker before a rolling shutter
  ir_cut,     // a street at dusk: the camera turns to grey and infra-red light, and back
  interlaced, // a street; odd lines are taken 1/50 s after even ones
  pan_tilt,   // people in a hall; the camera looks at three places in turn
  plaza,      // people, bicycles and now and then a car on a square
  flag,       // a street; a flag waves at a house
  screen,     // people in a hall; a screen on its wall shows one picture after another
};
// What the ground and the wall behind it are made of.
enum class Pattern : std::uint8_t {
  automatic, // as it suits the story
  street,    // asphalt with markings, pavements, a brick house
  grass,     // a lawn before a wooden fence
  paving,    // a square of slabs before the house
  wall,      // a tiled hall with a plastered wall
  checkers,  // squares of 1 m, for looking at edges and perspective
};

struct Settings {
  int width = 640, height = 480; // pixels, 1..32767
  Story story = Story::street;
  Pattern pattern = Pattern::automatic;
  std::uint32_t seed = 1;
  float noise = 3.f;   // standard deviation of the sensor noise in grey levels, 0..100
  float quiet = 2.5f;  // seconds before the first object enters, 0..3600
  float density = 1.f; // number of objects, relative to the story's own; 0..10, 0: none
  // Another view of the place: the pole's height in metres, 2..20, and by how many degrees the camera is
  // turned to the right, -30..30, and down, -1.5..30.
  float pole = 5.5f, aside = 0.f, down = 0.f;
  bool headlights = false; // of the cars of the story `day`, while its lamps are lit
};

struct Moment {
  std::uint64_t frame = 0; // chooses the noise
  double time = 0;         // seconds >= 0; chooses everything else
};

// How a picture in Y, U, V codes colours: the weights of R and B in luma (BT.601: 0.299, 0.114) and whether Y
// takes 0..255 or 16..235 (U and V: 16..240).
struct Coding {
  float kr = 0.299f, kb = 0.114f;
  bool full_range = false;
};

inline constexpr std::uint8_t truth_background = 0, truth_shadow = 50, truth_unknown = 170,
                              truth_foreground = 255;

enum class Kind : std::uint8_t { person, car, bag, bicycle }; // a bicycle has its rider on it

// The truth of one object that is in the picture, or behind something there. Its own pixels are those of
// which it covers half or more, as if nothing stood before it; boxes are in pixels, right and bottom
// exclusive.
struct TrueObject {
  int id; // > 0, the same from when it enters until it leaves, and never another's
  Kind kind;
  float left, top, right, bottom; // the whole of it, beyond the picture's border as well
  float ground_x, ground_y;       // where it stands
  float
      visible; // share of its own pixels that the picture shows, 0..1; beyond the border by the share of its box
  int x, y, width, height;                                 // of its own pixels within the picture
  int visible_x, visible_y, visible_width, visible_height; // of those that are shown; all 0: none
  float speed;                                             // metres a second over the ground
  double since; // scene time in seconds since which it stands; negative: it moves
  int owner;    // of a bag: who put it down; else 0
};

// What happened between two moments.
struct Incident {
  enum class What : std::uint8_t { cross, stay_begin, stay_end, object_left, object_removed } what;
  int id;
  Kind kind;
  bool forward; // cross: from the line's left side to its right, seen from its first towards its second point
  int line;     // cross: of lines
  float x, y;   // cross: where, in pixels
  double since; // stays and objects: scene time in seconds at which it began
  int owner;    // objects: who put it down
};

// A line over the picture, in parts of its width and height.
struct Line {
  const char *name;
  float x1, y1, x2, y2;
};
inline constexpr Line lines[] = {{"middle", 0.5f, 0, 0.5f, 1}};

class Scene {
 public:
  // Draws what does not change. The device must outlive the scene. Throws Error::bad_setting when a setting
  // is out of range, Error::no_memory.
  Scene(const Settings &, CpuDevice &);
  ~Scene();
  const Settings &settings() const;
  // Both may be called by several threads at once. The image (any format of 8 bits a sample, alpha becomes
  // 255) and the plane have the scene's size and lie in host memory.
  void draw(const Moment &, const Image &, const Coding &) const;
  void draw_truth(const Moment &, const Plane<std::uint8_t> &) const;
  // All objects of which a pixel is within the picture's border, the farthest first. By several threads at
  // once as well.
  std::vector<TrueObject> objects(double time) const;
  // In the order of ids. What happened before the first frame did not happen: `before` < 0 gives nothing.
  std::vector<Incident> incidents(double before, double now) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace vigil::scene
