// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks as MOTChallenge's text files have them, a line a box:
//
//   frame,id,left,top,width,height[,...]     frames from 1 on; pixels
//
// Further columns are not read, the flag in MOTChallenge's truth among them: all boxes count. Empty lines are
// passed over.
#pragma once

#include "kernels/track/box.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::eval {

struct MotBox {
  long id = 0;
  track::Box box;
};
// By frame; the boxes of a frame in the order of the file.
using MotTracks = std::map<int, std::vector<MotBox>>;

inline constexpr int last_mot_frame = 10'000'000;

// Throws Error::bad_data with `name`, line and reason: a value that is missing or no number, a frame or an id
// out of range, a box without size, an id twice in a frame.
MotTracks parse_mot(std::string_view text, const std::string &name);
MotTracks read_mot(const std::string &path); // Error::io as well

} // namespace vigil::eval
