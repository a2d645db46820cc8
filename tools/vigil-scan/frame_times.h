// SPDX-License-Identifier: LGPL-2.1-or-later
// Notices times of frames that are damaged, and counts on from the last good one. A wrong byte in the clock
// of a transport stream makes the times of all later frames jump or stand still.
//
// A time is damaged when
//   - it lies beyond the file's length by more than 10 s, and the step to it is longer than 10 s;
//   - it lies more than a second before the last one;
//   - it is the sixth or a later frame in a row with one time, or without a time.
// A frame with a damaged time gets the last time and a mean step; after a jump, the file's own steps. Times
// of the file are taken again as soon as they are right. Times that are not damaged stay as they are.
//
// Times stand still after a jump that could have been a gap in the recording. A file in which that was seen
// is read again strictly: then each step of more than 2 s and ten mean steps is damage.
#pragma once

#include "findings.h"

#include <string>

namespace vigil::scan {

class FrameTimes {
 public:
  void set_duration(Time t) { duration_ = t; } // of the file; 0: not known
  void begin_at(Time t);                       // the next frame is expected at this time, as after a seek
  void be_strict() { strict_ = true; }
  // The time of the next frame, by the time that the file gives, which is -1 where it gives none.
  Time next(Time given);
  // Where the first damage is and of which kind; empty: there is none.
  const std::string &damage() const { return damage_; }

 private:
  bool is_beyond(Time given) const;
  Time mend(Time given, const char *kind);

  Time duration_ = 0, begin_ = 0;
  Time given_ = -1, last_ = -1; // of the frame before: as the file gave it, as it was mended; -1: none came
  Time step_ = second / 25;     // mean of the last steps
  int standing_ = 0;            // frames in a row without a new time
  bool strict_ = false;
  bool mending_ = false; // the frame before had a damaged time
  std::string damage_;
};

} // namespace vigil::scan
