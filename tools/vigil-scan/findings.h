// SPDX-License-Identifier: LGPL-2.1-or-later
// What a chain of elements found in one part of a file, and how the parts of a file become its events. All
// times are nanoseconds of stream time, which begins with 0 at the file's begin.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace vigil::scan {

using Time = std::int64_t;
inline constexpr Time second = 1'000'000'000, forever = std::numeric_limits<Time>::max();
using Json = nlohmann::ordered_json; // members stay in the order in which they were added

// The part of a file whose results are kept: frames of times from `begin` up to, not including, `end`.
struct Part {
  int index = 0;
  Time begin = 0, end = forever;
};

struct Change { // something began or ended
  std::string label;
  bool begins = false;
  Time time = 0; // when it did, which for an end may be before the part in which that was noticed
};
struct Happening { // a message that neither begins nor ends anything
  Time time = 0;
  Json fields;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0; // pixels
};
struct Track {
  std::uint64_t id = 0; // unique within a part
  std::string type;
  Time begin = 0, end = 0; // first and last seen
  Box first, last;         // where it was announced, and where it was expected when it was given up
  bool from_before = false, goes_on = false; // it was cut by the part's begin, by its end
};
struct Activity {  // of a second of the file
  int boxes = 0;   // the most on one frame
  double area = 0; // the largest share of the picture that boxes covered, 0 to 1
};
struct Vector {
  Time time = 0;
  std::vector<float> values;
};

struct Findings {
  Part part;
  std::set<std::string> open_at_begin; // labels of what had begun before the part
  std::vector<Change> changes;         // in order
  std::vector<Happening> happenings;
  std::vector<Track> tracks;                 // in order of their ends
  std::map<std::int64_t, Activity> activity; // by second; seconds without boxes are not there
  std::vector<Vector> vectors;               // in order
  std::int64_t frames = 0;
  int width = 0, height = 0;
  Time last = 0;          // of the part's last frame
  std::string broken_off; // why the file ended before it should; empty: it did not
};

struct Event {
  std::string label;
  Time begin = 0, end = 0;
};
// The events of a file, in order of their begins, of the findings of all its parts in order. An event that
// one part leaves open and the next has open from before is one event. One that the next part does not know
// ends with the part.
std::vector<Event> join_events(const std::vector<Findings> &);

} // namespace vigil::scan
