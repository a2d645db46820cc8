// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of frames, good and damaged.
#include "tools/vigil-scan/frame_times.h"
#include "tests/unit.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace vigil;
using scan::FrameTimes;
using scan::second;
using scan::Time;

namespace {

#define CHECK(good) test::expect(good, std::to_string(__LINE__) + ": " #good)

constexpr Time step = second / 10;

std::vector<Time> through(FrameTimes &times, const std::vector<Time> &given) {
  std::vector<Time> all;
  for (const Time t : given) all.push_back(times.next(t));
  return all;
}
std::vector<Time> row(Time begin, int count, Time by = step) {
  std::vector<Time> all;
  for (int i = 0; i < count; i++) all.push_back(begin + i * by);
  return all;
}
void append(std::vector<Time> &to, const std::vector<Time> &more) {
  to.insert(to.end(), more.begin(), more.end());
}
bool within(Time a, Time b, Time most) {
  return a - b <= most && b - a <= most;
}

// Gaps in a recording, pairs of one time, few frames a second, and a length that is not known.
void good_times_stay() {
  std::vector<Time> given = row(0, 50);
  append(given, {5 * second, 5 * second, 5 * second + step});
  append(given, row(60 * second, 20));
  append(given, row(100 * second, 20, 5 * second));
  for (const Time duration : {Time(0), 200 * second}) {
    FrameTimes times;
    times.set_duration(duration);
    CHECK(through(times, given) == given);
    CHECK(times.damage().empty());
  }
}

// The clock jumps by hours and goes on from there, then comes back.
void jump_beyond_the_end() {
  FrameTimes times;
  times.set_duration(60 * second);
  std::vector<Time> given = row(0, 100);
  append(given, row(9000 * second, 100));
  append(given, row(20 * second, 100));
  const std::vector<Time> mended = through(times, given);
  for (std::size_t i = 0; i < mended.size(); i++) CHECK(within(mended[i], Time(i) * step, 3 * step));
  CHECK(times.damage().find("jump ahead at 9.9 s") != std::string::npos);
}

// After a jump within the file the times stand still until the file has come so far.
void stand_still() {
  std::vector<Time> given = row(0, 100);
  append(given, std::vector<Time>(50, 15 * second));
  append(given, row(15 * second, 50));
  for (const bool strict : {false, true}) {
    FrameTimes times;
    times.set_duration(60 * second);
    if (strict) times.be_strict();
    const std::vector<Time> mended = through(times, given);
    CHECK(!times.damage().empty());
    if (strict)
      for (std::size_t i = 0; i < mended.size(); i++) CHECK(within(mended[i], Time(i) * step, 3 * step));
    for (std::size_t i = 1; i < mended.size(); i++) CHECK(mended[i] >= mended[i - 1]);
  }
}

void go_back_and_are_missing() {
  FrameTimes back, missing, few;
  std::vector<Time> given = row(100 * second, 50);
  append(given, row(0, 50));
  const std::vector<Time> mended = through(back, given);
  for (std::size_t i = 1; i < mended.size(); i++) CHECK(mended[i] > mended[i - 1]);
  CHECK(back.damage().find("go back") != std::string::npos);
  through(missing, std::vector<Time>(20, -1));
  CHECK(missing.damage().find("are missing") != std::string::npos);
  through(few, {0, step, -1, -1, 4 * step});
  CHECK(few.damage().empty());
}

// A seek forgets what was before it.
void after_a_seek() {
  FrameTimes times;
  times.set_duration(100 * second);
  times.next(0);
  times.begin_at(50 * second);
  CHECK(times.next(50 * second) == 50 * second);
  CHECK(times.damage().empty());
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"good times stay", good_times_stay}, {"jump beyond the end", jump_beyond_the_end},
      {"stand still", stand_still},         {"go back and are missing", go_back_and_are_missing},
      {"after a seek", after_a_seek},
  };
  return vigil::test::run_cases("tools frame times", cases);
}
