// SPDX-License-Identifier: LGPL-2.1-or-later
// What moved where: cells, the bytes in which a minute is kept, searches, and the database of it. Usage:
// test-monitor-motion-history FOLDER
#include "tools/vigil-monitor/motion/motion_history.h"
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/activity.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t noon = 1'790'000'040; // a whole minute in 2026
const std::vector<Point> whole{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
const std::vector<Point> left_half{{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}};
const std::vector<Point> right_half{{0.5, 0}, {1, 0}, {1, 1}, {0.5, 1}};

MovingCells box(double x, double y, double width = 0.05, double height = 0.1) {
  MovingCells out;
  out.set({x, y, width, height});
  return out;
}

std::string fresh(const std::string &folder, const char *name) {
  const std::string path = folder + "/motion-" + name;
  fs::remove_all(path);
  fs::create_directories(path);
  return path + "/motion.db";
}

void quiet(const std::string &) {}

Error::Kind refusal(const auto &f) {
  try {
    f();
  } catch (const Error &e) {
    return e.kind();
  }
  expect(false, "nothing was refused");
  return Error::Kind::io;
}

void cells() {
  expect(cells_of(whole).count() == MovingCells::columns * MovingCells::rows, "the whole picture");
  expect(cells_of(left_half).count() == 16 * 18, "half of it");
  expect(cells_of({{0.5, 0.5}, {0.5001, 0.5}, {0.5, 0.5001}}).count() == 1, "less than a cell is one cell");
  MovingCells corner;
  corner.set({0.999, 0.999, 0.5, 0.5});
  expect(corner.count() == 1 && corner.row[17] == 0x80000000u, "a box that leaves the picture");
  Activity activity;
  activity.frame(1000.9, {{0, 0, 0.01, 0.01}}, 0.1);
  activity.frame(1001.1, {{0.5, 0.5, 0.01, 0.01}}, 0.1);
  activity.frame(1001.6, {{0, 0, 0.01, 0.01}}, 0.1);
  activity.frame(1002.1, {}, 0);
  const MovedSeconds moved = activity.take_moved();
  expect(moved.size() == 2 && moved.at(1000).count() == 1 && moved.at(1001).count() == 2,
         "frames with boxes, by the second in which they were captured");
  expect(activity.take_moved().empty(), "handed over once");
}

void minutes() {
  std::mt19937 random(7);
  const auto there_and_back = [](const MotionMinute &m, const char *what) {
    const auto back = decode_minute(encode(m));
    expect(back && *back == m, what);
  };
  MotionMinute m{};
  there_and_back(m, "nothing");
  expect(encode(m).size() == 6, "a minute of nothing is one code");
  for (auto &second : m) second = box(0.3, 0.4);
  there_and_back(m, "the same all the time");
  expect(encode(m).size() < 20, "what stays the same is written once");
  for (std::size_t i = 0; i < m.size(); i++) m[i] = box(static_cast<double>(i) / 60, 0.4);
  there_and_back(m, "somebody who crosses the picture");
  expect(encode(m).size() < 60 * 8,
         "a person who walks takes " + std::to_string(encode(m).size()) + " bytes a minute");
  for (int round = 0; round < 200; round++) {
    for (auto &second : m)
      for (auto &row : second.row) row = random() % 3 ? 0 : static_cast<std::uint32_t>(random());
    m[random() % 60] = {};
    m[59] = m[58];
    there_and_back(m, "noise");
  }
  m[0].row.fill(~0u);
  there_and_back(m, "all cells");
  // No damage passes, and none ends the program.
  const std::vector<std::uint8_t> good = encode(m);
  for (std::size_t i = 0; i < good.size(); i++) {
    auto bad = good;
    bad[i] ^= static_cast<std::uint8_t>(1 + random() % 255);
    expect(!decode_minute(bad), "a byte that changed is found");
    expect(!decode_minute(std::span(good).first(i)), "what is cut off is found");
  }
}

void searches() {
  MotionSearch all(whole, 100);
  // From left to right within ten seconds; then, after a long pause, up; then one that only stays.
  for (int t = 205; t >= 200; t--) all.look(t, box(0.5, 0.5));
  for (int t = 110; t >= 100; t--) all.look(t, box(0.5, 0.9 - 0.08 * (t - 100)));
  for (int t = 10; t >= 0; t--)
    if (t != 5) all.look(t, box(0.08 * t, 0.5));
  const auto hits = all.end().hits;
  expect(hits.size() == 3, "three hits; a pause of one second is none");
  if (hits.size() != 3) return;
  expect(hits[0].start == 200 && hits[0].end == 206 && !hits[0].direction,
         "a person who stays has no direction");
  expect(hits[1].direction && *hits[1].direction == 0, "up is 0 degrees");
  expect(hits[2].start == 0 && hits[2].end == 11 && hits[2].direction && *hits[2].direction == 90,
         "to the right is 90 degrees");
  MotionSearch left(left_half, 100);
  for (int t = 10; t >= 0; t--) left.look(t, box(0.08 * t, 0.5));
  const auto found = left.end().hits;
  expect(found.size() == 1 && found[0].end < 8 && found[0].direction == 90, "as long as it is in the region");
  expect(found.size() == 1 && found[0].share > 0 && found[0].share < 0.05, "the share of the region");
  MotionSearch few(whole, 2);
  int looked = 0;
  for (int t = 100; t > 0; t -= 10) {
    looked++;
    if (!few.look(t, box(0.5, 0.5))) break;
  }
  const auto some = few.end();
  expect(some.hits.size() == 2 && some.more && some.hits[0].start == 100 && looked == 4,
         "at most as many as asked for, the newest, and no look at older ones");
}

// Something in the same cells, all the time.
MotionMinute stays(const MovingCells &cells) {
  MotionMinute m;
  m.fill(cells);
  return m;
}

// Somebody who walks through the picture within the minute, at this height.
MotionMinute walks(double y) {
  MotionMinute m{};
  for (std::size_t i = 0; i < m.size(); i++) m[i] = box(static_cast<double>(i) / 60, y, 0.04, 0.2);
  return m;
}

MotionMinute both(MotionMinute a, const MotionMinute &b) {
  for (std::size_t i = 0; i < a.size(); i++) a[i] |= b[i];
  return a;
}

void episodes() {
  const MovingCells flag = box(0.4, 0.1), below = box(0.4, 0.25);
  const MinuteEpisodes of_flag(stays(flag));
  expect(of_flag.stayed == flag && !of_flag.went.any(), "a flag stays");
  const MinuteEpisodes of_walk(walks(0.5));
  expect(!of_walk.stayed.any() && of_walk.went.count() >= 32, "who walks goes");
  // The flag began before the walk came near: each is known though they touch.
  const MinuteEpisodes together(both(stays(flag), walks(0.22)));
  expect(together.stayed == flag && (together.went & below).any() && !(together.went & flag).any(),
         "who walks past a flag is no part of it");
  MotionMinute now_and_then{};
  for (std::size_t i = 0; i < 60; i += 10) now_and_then[i] = flag;
  expect(MinuteEpisodes(now_and_then).stayed == flag, "a flag that moves now and then");
  MotionMinute paused = walks(0.5);
  for (std::size_t i = 5; i < 60; i += 3) paused[i] = paused[i + 1 < 60 ? i + 1 : i] = {};
  expect(!MinuteEpisodes(paused).stayed.any(), "who is not seen for two seconds goes on");
  expect(!MinuteEpisodes(MotionMinute{}).went.any(), "nothing");
  MovingCells all;
  all.row.fill(~0u);
  const MinuteEpisodes of_all(stays(all));
  expect(of_all.went == all && !of_all.stayed.any(), "what is as large as the picture does not stay");
  expect(all.grown() == all && MovingCells{}.grown() == MovingCells{}, "nothing grows beyond the border");
  MovingCells corner;
  corner.set({0.99, 0.99, 0, 0});
  expect(corner.grown().count() == 4 && corner.bounds().x == 31 && corner.bounds().y == 17, "a corner");
}

// A day of minutes, most of them nothing.
struct Day {
  static constexpr std::int64_t end = noon / 60;
  RestlessParts seen{end};
  // In `minutes` of each hour, from the `first` hour before the end to the `last` one.
  Day &with(const MotionMinute &m, int first = 0, int last = 23, int minutes = 6) {
    for (int hour = first; hour <= last; hour++)
      for (int i = 0; i < minutes; i++) seen.look(end - 1 - hour * 60 - i * 60 / minutes, m);
    return *this;
  }
  std::vector<RestlessPart> parts(const MovingCells &known = {}) const { return seen.parts(known); }
};

void restless_parts() {
  const MovingCells flag = box(0.4, 0.1);
  const auto found = Day().with(stays(flag)).parts();
  expect(found.size() == 1 && found[0].hours == 24, "a flag is found");
  if (found.size() == 1) {
    MovingCells there;
    const Rect &b = found[0].box;
    there.set({b.x + 0.001, b.y + 0.001, b.width - 0.002, b.height - 0.002});
    expect(there == flag, "where it is");
  }
  expect(Day().with(both(stays(flag), walks(0.6))).parts().size() == 1, "with people elsewhere");
  expect(Day().with(walks(0.5), 0, 23, 60).parts().empty(), "a road is none, also with cars in each minute");
  expect(Day().with(stays(flag), 0, 15).parts().empty(), "a shop window that moves for 16 hours is none");
  expect(Day().with(stays(flag), 0, 23, 2).parts().empty(), "two minutes of an hour are too few");
  expect(Day().with(stays(flag)).with(walks(0.1), 0, 23, 4).parts().empty(),
         "a door through which people go is none");
  MovingCells tree;
  tree.set({0.1, 0.1, 0.5, 0.5});
  expect(Day().with(stays(tree)).parts().empty(), "a third of the picture is none");
  MovingCells all;
  all.row.fill(~0u);
  expect(Day().with(stays(all), 0, 23, 60).parts().empty(), "noise in all of the picture is none");

  // The camera is away, or turned.
  expect(Day().with(stays(flag), 4, 23).parts().size() == 1, "offline for the last four hours");
  expect(Day().with(stays(flag), 5, 23).parts().empty(), "for five: it has to be seen for longer");
  expect(Day().with(stays(flag), 3, 23).with(walks(0.6), 0, 2).parts().empty(),
         "a camera that was turned away three hours ago");
  expect(Day().with(stays(flag), 2, 23).with(walks(0.6), 0, 1).parts().size() == 1, "calm for two hours");

  // A clock that jumped: what is not of the last 24 hours does not count, in the future neither.
  Day jumped;
  for (int i = 0; i < 24 * 60; i++) {
    jumped.seen.look(Day::end + i, stays(flag));
    jumped.seen.look(Day::end - 48 * 60 + i, stays(flag));
  }
  jumped.seen.look(std::numeric_limits<std::int64_t>::max(), stays(flag));
  jumped.seen.look(std::numeric_limits<std::int64_t>::min(), stays(flag));
  expect(jumped.parts().empty(), "another day");

  // What people have decided.
  Day day;
  day.with(stays(flag));
  expect(day.parts(flag).empty(), "masked, or left as it is");
  expect(day.parts(box(0.45, 0.1, 0.01, 0.01)).size() == 1, "a cell of nine has a mask");
  expect(day.parts(box(0.8, 0.8)).size() == 1, "a mask elsewhere");
  const MovingCells more = box(0.4, 0.1, 0.08, 0.1);
  expect(Day().with(stays(more)).parts(flag).empty(), "it does not come back because it is a cell larger");
  expect(Day().with(stays(flag)).with(stays(box(0.8, 0.8))).parts(flag).size() == 1,
         "another one is proposed");
}

void restless_history(const std::string &folder) {
  const std::string path = fresh(folder, "restless");
  const MovingCells flag = box(0.4, 0.1);
  {
    MotionHistory h(path, quiet);
    for (int hour = 0; hour < 24; hour++)
      for (int minute = 0; minute < 6; minute++)
        h.add("door", {{noon - 3600 * hour - 60 * (1 + minute), flag}});
    h.store();
  }
  const MotionHistory h(path, quiet); // another program
  expect(h.restless("door", noon + 30, {}).size() == 1, "after a start");
  expect(h.restless("door", noon + 30, flag).empty(), "masked");
  expect(h.restless("gate", noon + 30, {}).empty(), "another camera");
  expect(h.restless("door", noon + 86400, {}).empty(), "a day later");
  expect(h.restless("door", noon - 86400, {}).empty(), "a clock that was set back by a day");
  expect(refusal([&] { (void)h.restless("door", 1e300, {}); }) == Error::Kind::bad_setting, "no time");
  {
    Sqlite db(path);
    Statement(db, "UPDATE motion_minutes SET cells=x'0102030405060708' WHERE minute%6<>0").run();
  }
  expect(h.restless("door", noon + 30, {}).empty(), "damaged rows count for nothing");
}

void history(const std::string &folder) {
  const std::string path = fresh(folder, "history");
  {
    MotionHistory h(path, quiet);
    h.add("door", {{noon + 1, box(0.1, 0.5)}, {noon + 2, box(0.2, 0.5)}, {noon + 59, box(0.8, 0.5)}});
    h.store();
    h.add("door", {{noon + 2, box(0.9, 0.5)}, {noon + 60, box(0.8, 0.5)}}); // the same minute goes on
    h.add("yard", {{noon + 1, box(0.5, 0.5)}});
    h.store();
    h.store(); // nothing
  }
  MotionHistory h(path, quiet); // another program
  const auto hits = h.search("door", whole, noon, noon + 100).hits;
  expect(hits.size() == 2 && hits[0].start == noon + 59 && hits[0].end == noon + 61 &&
             hits[1].start == noon + 1 && hits[1].end == noon + 3,
         "what was stored, over the border of two minutes");
  expect(h.search("door", right_half, noon, noon + 3).hits.size() == 1 &&
             h.search("door", right_half, noon, noon + 2).hits.empty(),
         "what came later joined its second; 'to' is where it ends");
  expect(h.search("gate", whole, noon, noon + 100).hits.empty(), "another camera");
  const auto levels = h.levels("door", noon, noon + 61, 1);
  expect(levels.size() == 61 && levels[0] == 0 && levels[1] > 0 && levels[2] >= levels[1] && levels[3] == 0 &&
             levels[59] > 0 && levels[60] > 0,
         "levels by the second");
  const auto coarse = h.levels("door", noon - 60, noon + 60, 60);
  expect(coarse.size() == 2 && coarse[0] == 0 && coarse[1] == levels[2], "levels by the minute: the largest");
  expect(h.levels("door", noon + 0.5, noon + 1.2, 0.25) == std::vector<std::uint8_t>({0, 0, levels[1]}),
         "steps of less than a second");
  using Kind = Error::Kind;
  expect(refusal([&] { h.levels("door", noon, noon + 1e9, 1); }) == Kind::bad_setting, "too many levels");
  expect(refusal([&] { h.levels("door", noon, noon + 1, 0); }) == Kind::bad_setting, "a step of nothing");
  expect(refusal([&] { h.search("door", whole, noon, noon); }) == Kind::bad_setting, "no time");
  expect(refusal([&] { h.search("door", whole, noon, noon + 32 * 86400.); }) == Kind::bad_setting,
         "too long");
  expect(refusal([&] { h.search("door", {{0, 0}, {1, 1}}, noon, noon + 1); }) == Kind::bad_setting, "a line");
  expect(refusal([&] { h.search("door", whole, -1e300, noon); }) == Kind::bad_setting, "no times");
  // Retention, by the camera.
  h.forget(noon + 86400 + 61, [](const std::string &camera) { return camera == "door" ? 1. : 0.; });
  expect(h.search("door", whole, noon, noon + 100).hits.size() == 1, "the minute that is a day old has gone");
  expect(h.search("yard", whole, noon, noon + 100).hits.size() == 1, "no days: no limit");
}

void damage(const std::string &folder) {
  const std::string path = fresh(folder, "damage");
  {
    MotionHistory h(path, quiet);
    for (int i = 0; i < 3; i++) h.add("door", {{noon + 60 * i, box(0.1, 0.5)}});
    h.store();
    Sqlite db(path);
    Statement(db, "UPDATE motion_minutes SET cells=x'0102030405060708' WHERE minute=?")
        .bind(noon / 60 + 1)
        .run();
    Statement(db, "INSERT INTO motion_minutes VALUES('door', ?, 'no blob')").bind(noon / 60 + 5).run();
    expect(h.search("door", whole, noon, noon + 600).hits.size() == 2, "damaged rows are left out");
    h.add("door", {{noon + 61, box(0.1, 0.5)}});
    h.store();
    expect(h.search("door", whole, noon, noon + 600).hits.size() == 3, "and written again");
  }
  // The file itself: zeros from its second page on, which a reader or the writer finds.
  {
    std::fstream f(path, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(4096);
    const std::string zeros(static_cast<std::size_t>(fs::file_size(path)) - 4096, '\0');
    f.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  }
  std::string said;
  MotionHistory h(path, [&](const std::string &what) { said += what + "\n"; });
  expect(refusal([&] { h.search("door", whole, noon, noon + 600); }) == Error::Kind::io,
         "a damaged page is an error");
  h.add("door", {{noon, box(0.1, 0.5)}});
  h.store();
  expect(h.search("door", whole, noon, noon + 600).hits.size() == 1, "it goes on with a new file: " + said);
  expect(said.find("damaged") != said.npos, "and says so");
  std::ofstream(path + "-none", std::ios::binary)
      << "no database at all, but longer than a header of SQLite is";
  MotionHistory other(path + "-none", quiet);
  other.add("door", {{noon, box(0.1, 0.5)}});
  other.store();
  expect(other.search("door", whole, noon, noon + 600).hits.size() == 1, "a file that is no database");
}

// kill -9: all that store() has returned from is there.
void killed(const std::string &folder) {
  const std::string path = fresh(folder, "killed");
  int ready[2];
  if (pipe(ready)) return expect(false, "no pipe");
  const pid_t child = fork();
  if (child == 0) {
    MotionHistory h(path, quiet);
    for (std::int64_t i = 0;; i++) {
      h.add("door", {{noon + 10 * i, box(0.1, 0.5)}});
      h.store();
      if (write(ready[1], &i, sizeof i) != sizeof i) _exit(1);
    }
  }
  close(ready[1]);
  std::int64_t stored = -1;
  for (int i = 0; i < 20; i++)
    if (read(ready[0], &stored, sizeof stored) != sizeof stored) break;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (std::int64_t more; read(ready[0], &more, sizeof more) == sizeof more;) stored = more;
  close(ready[0]);
  const MotionHistory h(path, quiet);
  const auto hits = h.search("door", whole, noon, noon + 86400).hits;
  expect(stored >= 19 && static_cast<std::int64_t>(hits.size()) >= stored + 1,
         "stored " + std::to_string(stored + 1) + ", found " + std::to_string(hits.size()));
}

// A full disk, by a limit of the database's size: what was not stored waits, and the oldest goes first.
void full(const std::string &folder) {
  const std::string path = fresh(folder, "full");
  MotionHistory h(path, quiet);
  {
    Sqlite other(path); // holds the file for longer than the writer waits
    Transaction held(other);
    h.add("door", {{noon, box(0.1, 0.5)}});
    expect(refusal([&] { h.store(); }) == Error::Kind::write, "it cannot be stored");
  }
  h.store();
  expect(h.search("door", whole, noon, noon + 60).hits.size() == 1, "what waited is stored");
}

// Thirty days of a busy camera: somebody walks, or two do, in half of all seconds.
void month(const std::string &folder) {
  const std::string path = fresh(folder, "month");
  constexpr int minutes = 30 * 24 * 60;
  std::mt19937 random(1);
  std::int64_t bytes = 0, moving = 0;
  {
    const MotionHistory made(path, quiet);
    Sqlite db(path);
    Transaction all(db);
    for (int i = 0; i < minutes; i++) {
      MotionMinute m{};
      for (std::size_t s = random() % 30; s < 60; s++, moving++) {
        m[s] = box(static_cast<double>(s) / 60, 0.1 + 0.1 * (i % 7));
        if (i % 2) m[s] |= box(1 - static_cast<double>(s) / 60, 0.7, 0.1, 0.2);
      }
      const auto row = encode(m);
      bytes += static_cast<std::int64_t>(row.size());
      Statement(db, "INSERT INTO motion_minutes VALUES('door', ?, ?)")
          .bind(noon / 60 + i)
          .bind(std::span<const std::uint8_t>(row))
          .run();
    }
    all.commit();
  }
  const MotionHistory h(path, quiet, std::chrono::minutes(1));
  const double end = static_cast<double>(noon) + 60. * minutes;
  // Of the processor: the machine may be busy with other tests.
  const auto timed = [](const auto &f) {
    const std::clock_t begun = std::clock();
    f();
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  };
  const std::vector<Point> gate{{0.45, 0.65}, {0.55, 0.65}, {0.5, 0.95}};
  std::size_t hits = 0, most = 0;
  // A region in which nothing moves is the longest search: all rows are read.
  const double nothing = timed([&] {
    hits = h.search("door", {{0, 0}, {0.1, 0}, {0.1, 0.04}}, noon, end).hits.size();
  });
  const double gates = timed([&] { most = h.search("door", gate, noon, end).hits.size(); });
  const double levels =
      timed([&] { expect(h.levels("door", noon, end, 3600).size() == 720, "a level an hour"); });
  const double restless = timed([&] { expect(h.restless("door", end, {}).empty(), "who walks is no flag"); });
  std::printf("restless parts of a day: %.3f s\n", restless);
  expect(restless < 5, "a day takes too long");
  std::printf("30 days of a busy camera: %.1f MB, %.1f bytes a moving second; search of all rows %.2f s, of "
              "the newest "
              "1000 hits %.2f s, levels %.2f s of processor time\n",
              static_cast<double>(bytes) / 1e6, static_cast<double>(bytes) / static_cast<double>(moving),
              nothing, gates, levels);
  expect(hits == 0 && most == MotionHistory::most_hits, "nothing, and as many as there may be");
  // A second at most; a slower processor, or the sanitizers, may take longer.
  expect(nothing < 5 && levels < 5, "30 days take too long");
  expect(bytes < 10 * moving, "more than ten bytes a moving second");
}

} // namespace

int main(int, char **argv) {
  const std::vector<vigil::test::Case> cases = {
      {"cells", cells},
      {"minutes", minutes},
      {"searches", searches},
      {"episodes", episodes},
      {"restless parts", restless_parts},
      {"restless history", [&] { restless_history(argv[1]); }},
      {"history", [&] { history(argv[1]); }},
      {"damage", [&] { damage(argv[1]); }},
      {"killed", [&] { killed(argv[1]); }},
      {"full", [&] { full(argv[1]); }},
      {"month", [&] { month(argv[1]); }},
  };
  return vigil::test::run_cases("monitor motion history", cases);
}
