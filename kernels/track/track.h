// SPDX-License-Identifier: LGPL-2.1-or-later
// From boxes in each frame to objects that keep their number.
//
// A track is a Kalman filter (kalman.h) of centre and size. At each frame
//   1. predict all tracks by the time that went by;
//   2. assign boxes to confirmed tracks, then the boxes left to tentative ones, each time all at once
//   (assignment.h), at the cost
//        (d^2 / gate + (1 - IoU) + colour difference) / 3,   d^2 = Mahalanobis distance of centre and size;
//                                                            d^2 > gate: never;
//   3. merge: a confirmed track without a box, most of which lies in a box that is larger than the box's own
//      track explains, is in that box with the others: a group. Its members keep their sizes; an edge of the
//      group's box moves the member whose edge that is, if he can be there (M. Xu, T. Ellis, "Partial
//      observation vs. blind tracking through occlusion", BMVC 2002), else they are predicted. Where all
//      members together explain less than a quarter of a box that is no track's own, something else is in
//      it, which hides them or before which they pass: the box as a whole goes to a tentative track;
//   4. split: members are assigned like all others, by motion, size and colour, so they leave as what they
//      came. Their places are uncertain, but in the group's box: one that lies elsewhere is another's;
//   5. mend: boxes that are parts of one track are one; where all that is found of it is still less than
//      half of its predicted box, and lies in that, the rest is hidden: for up to `lost_after` it keeps its
//      size and nearly its place. What hides the middle of an object stands still, so one that has moved by
//      the size of its larger part and was in two parts all the way is two objects, which came as one box.
//      So is one whose parts lie diagonally for 0.3 s, as cars of two lanes do, one whose parts span half as
//      much again as it did whole, and one whose parts move away from each other: the space between them
//      and what they span have both grown by a quarter of the larger part's size. A clearly taller part
//      keeps the number, else the larger one (parts.cpp);
//   6. what is left begins tentative tracks;
//   7. divide: a track whose blob has looked like two people side by side for a while becomes two, which are
//      a group (pairs.cpp);
//   8. trace: once it is known how a new track moves, it is moved back in time. As long as 0.7 of it lies in
//      boxes of that time it was there, hidden in them; so it is found out how far it came before it was
//      first seen, at most 2 s, until it came in over the border. Not for one that goes along with a track
//      out of whose box it came: that one may have fallen in two (past.cpp);
// Of an object that the picture's border cuts off the free edge alone is measured: its box grows or shrinks,
// and the centre of that moves at half the object's speed. While it is not found it does not grow.
// A track is confirmed when it was found in at least half of the frames for `confirm_after`, and ends
// `lost_after` after it was last found, or when its centre leaves the picture unseen. One that has not moved
// by a quarter of its size for `stationary_after` is stationary, and waits for `stationary_hold` instead:
// light changes and slow background learning hide what stands. Where no frame comes for more than 10 s, these
// times hold for the gap as well, whatever boxes there are after it.
//
// Boxes in pixels, times in seconds; x to the right, y down. "Size" is sqrt(width height). Same input, same
// output. Boxes that have no size or no numbers are passed over, of more than `most_boxes` the largest are
// taken. Time that goes back ends all tracks. No exception but bad_alloc.
#pragma once

#include "common/params.h"
#include "kernels/track/assignment.h"
#include "kernels/track/border.h"
#include "kernels/track/kalman.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::track {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box &) const = default;
};
double intersection(const Box &, const Box &); // px^2
double iou(const Box &, const Box &);          // intersection over union, 0..1
double area(const Box &);                      // px^2
Box hull(const Box &, const Box &);

// Central second moments of an object's pixels about their centroid, px^2.
struct Spread {
  double xx = 0, yy = 0; // across and down; 0: not known
};

struct Detection {
  Box box;
  Spread spread;
  bool has_colour = false;
  std::array<float, 3> colour{}; // mean of the object's pixels, 0..255 each
  std::uint32_t label = 0;       // what it is; boxes and tracks of different labels never belong together
};

enum class State {
  tentative, // not confirmed, and not reported
  tracked,   // found in this frame
  grouped,   // in one box with others; the place is an estimate
  predicted, // not found; the place is an estimate
};
const char *name_of(State);

struct Object {
  std::uint64_t id = 0; // from 1 on, in order of confirmation; never used twice
  Box box;
  double vx = 0, vy = 0; // of the centre, px/s
  // How far it came before it was reported, px: since it was first seen and, hidden in others' boxes, before.
  double came_x = 0, came_y = 0;
  double first_seen = 0, last_seen = 0; // seconds
  State state = State::tentative;
  bool stationary = false;
  int detection = -1;      // the box in this frame, of a group as well; -1: predicted. Of parts the first
  std::uint64_t group = 0; // the least id of its group, 0: in none
  std::uint32_t label = 0; // of its boxes
};

struct Params {
  int confirm_after = 250, lost_after = 2000, stationary_after = 3000, stationary_hold = 60000;
  float max_speed = 3.f, agility = 0.7f, jitter = 0.08f;
  bool groups = true, pairs = true;
  bool operator==(const Params &) const = default;
};
inline constexpr auto params_table = std::tuple{
    param(
        "confirm-after", "Confirm after",
        "Milliseconds for which an object must have been found, in half of the frames, before it is a track",
        &Params::confirm_after, 0, 60000),
    param("lost-after", "Lost after",
          "Milliseconds after which a moving track that is not found any more ends", &Params::lost_after, 0,
          600000),
    param("stationary-after", "Stationary after",
          "Milliseconds without moving by a quarter of its size after which a track is stationary",
          &Params::stationary_after, 100, 3600000),
    param("stationary-hold", "Stationary hold",
          "Milliseconds after which a stationary track that is not found any more ends",
          &Params::stationary_hold, 0, 86400000),
    param("max-speed", "Speed of new objects",
          "Standard deviation of the speed of an object seen for the first time, in its own sizes a second "
          "(size: root of width times height). Low frame rates and fast objects need more",
          &Params::max_speed, 0.1f, 100.f),
    param("agility", "Agility",
          "How much the velocity of an object changes within a second, in its own sizes a second",
          &Params::agility, 0.01f, 100.f),
    param("jitter", "Jitter of boxes",
          "Standard deviation of the edges of boxes, as a part of the object's size", &Params::jitter, 0.001f,
          1.f),
    param("groups", "Groups",
          "Tracks whose objects enter one box go on in it as a group. For detectors whose boxes never hold "
          "two objects: false",
          &Params::groups),
    param("pairs", "Pairs",
          "A blob that looks like two people side by side becomes two tracks. Needs groups, and boxes that "
          "know their blob's moments, as cudamog's exact blobs do",
          &Params::pairs),
};

inline constexpr std::size_t most_boxes = 400;

class Tracker {
 public:
  void set(const Params &p) { params_ = p; }
  // One frame, at `seconds`; `width` and `height` of the picture, 0 when they are not known.
  void step(std::span<const Detection>, double seconds, double width = 0, double height = 0);
  // The tracks of the last frame, by id.
  std::span<const Object> objects() const { return objects_; }
  // Those that ended with it, by id.
  std::span<const Object> ended() const { return ended_; }
  // Boxes of the last frame that were passed over.
  std::size_t passed_over() const { return passed_over_; }
  // Ends all tracks; they are in ended(). Ids go on.
  void reset();

 private:
  struct Track {
    Object o;
    Coordinate x, y, w, h;
    std::array<float, 3> colour{};
    bool has_colour = false, confirmed = false;
    int frames = 0, hits = 0;
    double still_x = 0, still_y = 0, still_since = 0;
    bool partial = false; // its box shows a part of it
    bool apart = false;   // it is found in two large parts in this frame
    bool parting = false; // and was since it was at the following place, in pixels
    double parting_x = 0, parting_y = 0, part_size = 0; // the size is of the larger part
    double parting_area = 0;
    double gap_x = 0, gap_y = 0; // between the two parts in this frame
    double parting_gap_x = 0, parting_gap_y = 0, parting_width = 0, parting_height = 0; // when they parted
    bool diagonal = false;   // the two parts lie diagonally in this frame
    double diagonal_for = 0; // seconds for which they have
    double whole = 0;        // when it was last seen whole, alone
    double told_since = 0;   // when it was confirmed
    double pair = 0;         // seconds for which its blob has looked like a pair
    Cut cut_x = Cut::none, cut_y = Cut::none;
    int box = -1;                         // index into boxes_
    Box measured;                         // with parts mended
    bool traced = false;                  // it is known how far it came hidden
    bool in_group = false, shown = false; // shown: its box is in the picture for all that is known
    double size() const;
    Box predicted() const;
  };
  struct Input {
    Detection d;
    int index;
    int owners = 0;
    int part_of = -1;    // index into tracks_ of whom it is one part of several, -1: of nobody
    bool object = false; // it has parted from a track that is confirmed, and is one itself
    bool more = false;   // its owners are a small part of it
    int rest = -1;       // index into tracks_ of the tentative track that is the rest then, -1: of none
  };

  void take(std::span<const Detection>);
  void predict(double dt);
  void assign(bool confirmed);
  double cost(const Track &, const Detection &) const;
  void join_groups();
  void mend_parts();
  void mend(Input &, bool coming_out);
  void divide_parts();
  void divide(int track);
  bool cut_off(const Box &) const;
  void update(double seconds);
  void update_single(Track &);
  void update_partial(Track &);
  void update_group(std::size_t box);
  void begin(double seconds);
  void divide_pairs(double dt);
  bool overdue(const Track &, double seconds) const;
  template <class Over>
  void end_those(Over &&);
  void end_after_gap(double seconds);
  void end_lost(double seconds, double width, double height);
  void report();
  void remember(double seconds);
  void trace(double seconds);
  void trace(Track &, double seconds);

  struct Past { // the boxes of a frame
    double seconds = 0;
    std::vector<Box> boxes;
  };
  std::array<Past, 64> past_; // a ring
  std::size_t past_next_ = 0, past_count_ = 0;
  Params params_;
  std::vector<Track> tracks_;
  std::vector<Input> boxes_;
  std::vector<Object> objects_, ended_;
  std::vector<double> costs_;
  std::vector<std::size_t> rows_, columns_;
  Assignment assignment_;
  double last_ = 0, since_ = 0; // seconds: the last frame, and from the one before to it
  double width_ = 0, height_ = 0;
  bool started_ = false;
  std::size_t passed_over_ = 0;
  std::uint64_t next_id_ = 1;
};

} // namespace vigil::track
