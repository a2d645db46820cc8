// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frame_times.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::scan {

namespace {

constexpr Time long_step = 10 * second, longest_step = 86'400 * second, most_back = second;
constexpr int most_standing = 5;

} // namespace

void FrameTimes::begin_at(Time t) {
  begin_ = t;
  given_ = last_ = -1;
  standing_ = 0;
  mending_ = false;
  damage_.clear(); // of what was read before the seek
}

bool FrameTimes::is_beyond(Time given) const {
  const Time before = last_ < 0 ? begin_ : last_;
  if (strict_ && last_ >= 0 && given - before > std::max(2 * second, 10 * step_)) return true;
  if (given - before <= long_step) return false;
  return duration_ > 0 ? given > duration_ + long_step : given - before > longest_step;
}

Time FrameTimes::mend(Time given, const char *kind) {
  if (damage_.empty())
    damage_ = text("the times of frames ", kind, " at ", double(std::max(last_, begin_)) / double(second),
                   " s; later times are counted by the mean step between frames");
  mending_ = true;
  const Time own = given - given_;
  const bool own_is_good = given >= 0 && given_ >= 0 && own > 0 && own <= 4 * step_;
  return last_ < 0 ? begin_ : last_ + (own_is_good ? own : step_);
}

Time FrameTimes::next(Time given) {
  standing_ = last_ >= 0 && (given < 0 || given == given_) ? standing_ + 1 : 0;
  Time t = given;
  if (standing_ > most_standing)
    t = mend(given, given < 0 ? "are missing" : "stand still");
  else if (given < 0)
    t = last_ < 0 ? begin_ : last_ + step_;
  else if (is_beyond(given))
    t = mend(given, "jump ahead");
  else if (last_ >= 0 && given + most_back < last_)
    t = mend(given, "go back");
  else if (mending_ && given <= last_)
    t = mend(given, "go back"); // until the file's times have come up to those that were counted
  else
    mending_ = false;
  if (!mending_ && given > given_ && given_ >= 0 && given - given_ <= long_step)
    step_ += (given - given_ - step_) / 8;
  if (given >= 0) given_ = given;
  return last_ = t;
}

} // namespace vigil::scan
