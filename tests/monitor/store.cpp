// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's memory: the database of events, retention, and what a killed program leaves. Usage:
// test-monitor-store FOLDER
#include "common/error.h"
#include "tests/expect.h"
#include "tools/vigil-monitor/store/event_log.h"
#include "tools/vigil-monitor/store/mp4.h"
#include "tools/vigil-monitor/store/outage.h"
#include "tools/vigil-monitor/store/retention.h"
#include "tools/vigil-monitor/store/storage.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::failures;
namespace fs = std::filesystem;

namespace {

constexpr double noon = 1'790'000'000; // some day in 2026

Event event(const std::string &id, double start, std::optional<double> end = std::nullopt) {
  Event e;
  e.id = id;
  e.camera = "door";
  e.label = "motion";
  e.start_time = start;
  e.end_time = end;
  return e;
}

void write(const std::string &path, const std::string &bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string fresh(const std::string &folder, const char *name) {
  const std::string path = folder + "/" + name;
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

void queries(const std::string &folder) {
  EventStore s(fresh(folder, "queries") + "/events.db");
  for (int i = 0; i < 10; i++) {
    Event e = event("e" + std::to_string(i), noon + i / 2,
                    noon + i); // two at each time: the cursor must tell them apart
    if (i % 3 == 0) e.zones = {"steps", "way"};
    if (i == 4) e.camera = "yard", e.box = Rect{0.1, 0.2, 0.3, 0.4};
    s.put(e);
  }
  EventQuery q;
  q.limit = 3;
  std::string order;
  for (int pages = 0; pages < 10; pages++) {
    const EventPage p = s.find(q);
    for (const Event &e : p.events) order += e.id.substr(1);
    q.cursor = p.next_cursor;
    if (q.cursor.empty()) break;
  }
  expect(order == "9876543210", "pages hold each event once, the newest first: " + order);
  EventQuery zone;
  zone.zone = "way";
  expect(s.find(zone).events.size() == 4, "by zone");
  EventQuery yard;
  yard.camera = "yard";
  const auto found = s.find(yard).events;
  expect(found.size() == 1 && found[0].box == Rect{0.1, 0.2, 0.3, 0.4} && found[0].end_time == noon + 4,
         "by camera, with its box");
  EventQuery time;
  time.after = noon + 1;
  time.before = noon + 2;
  expect(s.find(time).events.size() == 2, "by time: after counts itself, before does not");
  bool refused = false;
  try {
    EventQuery bad;
    bad.cursor = "x' OR 1=1 --";
    s.find(bad);
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::bad_setting;
  }
  expect(refused, "a forged cursor");
  expect(s.remove("e4") && !s.remove("e4") && !s.get("e4"), "removed once");
  s.put_vector("e1", std::vector<float>{1, 0});
  s.put_vector("e2", std::vector<float>{2, 0.2f});
  s.put_vector("e3", std::vector<float>{0, 1});
  s.put_vector("e5", std::vector<float>{1, 1, 1});
  const auto near = s.similar("e1", 5);
  expect(near.size() == 2 && near[0].event.id == "e2" && near[1].event.id == "e3",
         "more like this; a vector of another model is left out");
  s.add_heat("door", noon, std::vector<float>{1, 2});
  s.add_heat("door", noon + 1, std::vector<float>{1, 0});
  expect(s.heat("door", noon - 10, noon + 10)[0] == 2 && s.heat("door", noon + 7200, noon + 9000)[0] == 0,
         "heat is summed by the hour");
  const double hour = std::floor(noon / 3600) * 3600;
  expect(s.heat("door", hour - 3600, hour)[0] == 0,
         "the hour that begins at the end of what is asked for is no part of it");
}

void crossings(const std::string &folder) {
  const std::string path = fresh(folder, "crossings") + "/events.db";
  { // a database of before there were any
    EventStore s(path);
    s.put(event("old", noon));
    Sqlite(path).execute("DROP TABLE crossings");
  }
  EventStore s(path);
  expect(s.get("old").has_value() && s.crossings("door", 0, 1e10).empty(), "an older database has none");
  const std::int64_t q = 2'000'000;
  const double begin = static_cast<double>(q) * EventStore::quarter;
  s.add_crossings(
      {{{"door", "gate", q}, {1, 0}}, {{"door", "gate", q + 1}, {0, 2}}, {{"yard", "gate", q}, {9, 9}}});
  s.add_crossings({{{"door", "gate", q}, {2, 1}}, {{"door", "way", q}, {1, 0}}});
  const auto all = s.crossings("door", begin, begin + 2 * EventStore::quarter);
  const auto first = s.crossings("door", begin + 10, begin + EventStore::quarter);
  expect(all.size() == 3 && all.at({"door", "gate", q}).in == 3 && all.at({"door", "gate", q}).out == 1 &&
             all.at({"door", "gate", q + 1}).out == 2,
         "crossings are summed for each line and quarter of an hour");
  expect(first.size() == 2 && first.count({"door", "way", q}),
         "the quarter that `after` lies in is the first, the last ends at `before`");
  s.add_heat("door", begin, std::vector<float>{1});
  s.forget_counts(begin + EventStore::quarter);
  expect(s.crossings("door", 0, 1e10).size() == 1 && s.heat("door", begin - 7200, begin + 7200)[0] == 0,
         "old counts are forgotten");
}

void outbox(const std::string &folder) {
  const std::string path = fresh(folder, "outbox") + "/events.db";
  {
    EventStore s(path);
    for (int i = 0; i < 5; i++) {
      s.post({"mqtt", {0, "t", std::to_string(i), false}}, 3);
      if (i == 2) s.post({"webhook", {0, "", "w", false}}); // what waits elsewhere takes no place
    }
  }
  EventStore s(path); // it survives
  const auto letters = s.letters("mqtt", 10);
  expect(letters.size() == 3 && letters[0].payload == "2", "bounded: the oldest go");
  s.delivered(letters[0].id);
  expect(s.letters("mqtt", 10).size() == 2 && s.waiting("webhook") == 1, "delivered");
}

void news(const std::string &folder) {
  const std::string path = fresh(folder, "news") + "/events.db";
  EventStore s(path);
  const std::vector<Posting> both = {{"mqtt", {0, "t", "m", false}}, {"webhook", {0, "", "w", false}}};
  s.put(event("first", noon), both);
  expect(s.get("first") && s.waiting("mqtt") == 1 && s.waiting("webhook") == 1, "an event and its news");
  // A disk that takes the event and not all of its news.
  Sqlite(path).execute("CREATE TRIGGER full BEFORE INSERT ON outbox WHEN NEW.box='webhook' BEGIN"
                       " SELECT RAISE(ABORT, 'full'); END");
  bool refused = false;
  try {
    s.put(event("second", noon), both);
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::write;
  }
  expect(refused && !s.get("second") && s.waiting("mqtt") == 1, "both or neither");
  Sqlite(path).execute("DROP TRIGGER full");
  s.put(event("second", noon), both);
  expect(s.get("second") && s.waiting("mqtt") == 2, "and again once it works");
  // A person keeps an event while its camera writes it: neither takes back what the other wrote.
  s.put(event("kept", noon));
  const Event before = *s.get("kept");
  expect(s.set_retained("kept", true) && !s.set_retained("nothing", true), "kept");
  Event ended = before;
  ended.end_time = noon + 5;
  s.put(ended);
  expect(s.get("kept")->retained, "what the camera writes does not take it back");
  expect(s.set_retained("kept", false) && s.get("kept")->end_time, "nor is the end taken back");
  // Between the look at an event and the change of it people may do the same: then nothing is stored.
  Event looked_at = *s.get("kept");
  s.set_retained("kept", true);
  expect(!s.change(looked_at, both) && s.waiting("mqtt") == 2, "news that say that it is not kept");
  looked_at.retained = true;
  expect(s.change(looked_at, both) && s.waiting("mqtt") == 3, "what is as it was looked at");
  s.remove("kept");
  expect(!s.change(looked_at, both) && !s.get("kept") && s.waiting("mqtt") == 3,
         "a deleted event comes back");
}

std::string text_of(const std::string &path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

void event_log(const std::string &folder) {
  const std::string path = fresh(folder, "log");
  const std::string file = path + "/events.jsonl";
  const Event first = event("first", noon, noon + 1), second = event("second", noon, noon + 2);
  const std::string line1 = to_json(first).dump() + "\n", line2 = to_json(second).dump() + "\n";
  const auto killed_after_storing = [&](const Event &e) {
    Storage s(path, [](const std::string &) {});
    EventLog log(s);
    s.events().put(e, {log.line(e)});
  };
  const auto started_again = [&] {
    Storage s(path, [](const std::string &) {});
    return EventLog(s).write_waiting();
  };
  killed_after_storing(first);
  expect(!fs::exists(file) && started_again() && text_of(file) == line1,
         "the line of a stored event is written at the next start: " + text_of(file));
  expect(!started_again() && text_of(file) == line1, "once");
  killed_after_storing(second);
  write(file, line1 + line2); // and after the line was written, too
  expect(started_again() && text_of(file) == line1 + line2, "no line is there twice: " + text_of(file));
  killed_after_storing(second);
  write(file, line1 + line2.substr(0, 20)); // while it was written
  expect(started_again() && text_of(file) == line1 + line2, "half of a line becomes whole: " + text_of(file));
  killed_after_storing(second);
  write(file, "another program's");
  expect(started_again() && text_of(file) == "another program's\n" + line2,
         "a line stands by itself: " + text_of(file));
  fs::remove(file);
  fs::create_directory(file);
  killed_after_storing(first);
  bool refused = false;
  try {
    started_again();
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::write;
  }
  fs::remove(file);
  expect(refused && started_again() && text_of(file) == line1, "what cannot be written waits");
}

void outage() {
  Outage o;
  expect(!o.worked(0) && o.failed(1) && !o.failed(2), "told once");
  expect(!o.worked(3) && o.going_on() && !o.failed(4), "what works by turns is the same outage");
  expect(!o.worked(33) && o.worked(34.5) && !o.going_on() && !o.worked(40),
         "over when it has worked for a while");
  expect(o.failed(50), "and another one is told again");
}

void newer_version(const std::string &folder) {
  const std::string path = fresh(folder, "newer") + "/events.db";
  { EventStore s(path); }
  Sqlite(path).execute("PRAGMA user_version=99");
  std::string what;
  try {
    EventStore s(path);
  } catch (const Error &e) {
    what = e.what();
  }
  expect(what.find("made by a newer version") != std::string::npos, "newer database: " + what);
}

void plan() {
  constexpr double day = 86400;
  std::vector<Kept> kept;
  for (int i = 0; i < 6; i++)
    kept.push_back(
        {std::string(1, static_cast<char>('a' + i)), "door", noon - (20 - 3 * i) * day, 100, false, 14});
  // ages 20, 17, 14, 11, 8, 5 days
  kept[1].protect = true;
  const auto ids = [](const std::vector<Departure> &d) {
    std::string out;
    for (const auto &x : d) out += x.id;
    return out;
  };
  expect(ids(plan_retention(kept, {noon, 0, 1 << 30, 0})) == "a", "older than 14 days, but not what is kept");
  expect(ids(plan_retention(kept, {noon, 350, 1 << 30, 0})) == "acd", "until 350 bytes are left");
  expect(ids(plan_retention(kept, {noon, 0, 50, 200})) == "ac",
         "until 200 bytes are free; what goes by age counts");
  expect(plan_retention(kept, {noon, 0, 50, 200})[1].why.find("less than 200 B") != std::string::npos,
         "says why");
  expect(ids(plan_retention({}, {noon, 1, 0, 1})).empty(), "nothing to delete is no endless loop");
  expect(next_departure(kept, {noon, 0, 1 << 30, 0}).has_value(), "says what comes next");
}

std::string box(const std::string &type, std::size_t payload) {
  std::string out;
  const std::size_t n = payload + 8;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out + type + std::string(payload, 'x');
}

void half_written(const std::string &folder) {
  const std::string path = fresh(folder, "mp4") + "/clip";
  const std::string head = box("ftyp", 16) + box("moov", 100), fragment = box("moof", 20) + box("mdat", 500);
  const auto closed = [&](const std::string &bytes) {
    write(path, bytes);
    return close_half_written(path);
  };
  expect(closed(head + fragment + fragment + box("moof", 20) + box("mdat", 500).substr(0, 99)),
         "a fragment is half written");
  expect(fs::file_size(path) == (head + fragment + fragment).size(), "it is cut off");
  expect(!closed(head + box("moof", 20)) && !closed("") && !closed("abc") && !closed(head),
         "no whole fragment");
  expect(!closed(fragment), "fragments without a head");
}

void reconcile(const std::string &folder) {
  const std::string path = fresh(folder, "reconcile");
  const std::string whole = box("ftyp", 16) + box("moov", 100) + box("moof", 20) + box("mdat", 500);
  Event finished = event("finished", noon, noon + 5), lost = event("lost", noon, noon + 5),
        half = event("half", noon), open = event("open", noon);
  finished.has_clip = lost.has_clip = true;
  {
    Storage s(path, [](const std::string &) {});
    for (const Event &e : {finished, lost, half, open}) s.events().put(e);
  }
  write(path + "/" + clip_path(finished), whole);
  write(path + "/" + clip_path(half) + ".part", whole + "rest");
  write(path + "/clips/door/2026-01-01/orphan.mp4", whole);
  write(path + "/thumbs/door/2026-01-01/orphan.jpg", "x");
  write(path + "/" + clip_path(open) + ".part", "nothing");
  int lines = 0;
  Storage s(path, [&](const std::string &) { lines++; });
  const auto ended = s.reconcile();
  expect(ended.size() == 2 && ended[0].id == "half" && ended[0].has_clip && ended[1].id == "open" &&
             ended[1].end_time.has_value(),
         "it tells which events had no end, and which they are to get");
  expect(s.events().unfinished().size() == 2, "which is stored together with what is told of it");
  expect(s.events().get("finished")->has_clip && !s.events().get("lost")->has_clip,
         "a row without a clip says so");
  expect(s.events().get("half")->has_clip && fs::file_size(s.file(clip_path(half))) == whole.size(),
         "a half-written clip is closed");
  expect(!s.events().get("open")->has_clip, "a clip without a whole fragment is none");
  expect(!fs::exists(path + "/clips/door/2026-01-01/orphan.mp4") &&
             !fs::exists(path + "/thumbs/door/2026-01-01/orphan.jpg"),
         "files without a row go");
  expect(!fs::exists(s.file(clip_path(open)) + ".part"), "no half-written clip is left");
  expect(lines >= 4, "all of it is said");
  s.remove(*s.events().get("finished"));
  expect(!fs::exists(s.file(clip_path(finished))), "the clip goes with its event");
}

// What a second program would take for the leavings of one that was killed.
void one_program_alone(const std::string &folder) {
  const std::string path = fresh(folder, "alone");
  const auto said = [&] {
    try {
      Storage s(path, [](const std::string &) {});
      return std::string();
    } catch (const Error &e) {
      return std::string(e.what());
    }
  };
  {
    const Storage first(path, [](const std::string &) {});
    const std::string why = said();
    expect(why.starts_with("another vigil-monitor") && why.find(path) != why.npos,
           "a second one on the same folder is refused: " + why);
  }
  expect(said().empty(), "once the first has ended it may");
}

void full(const std::string &folder) {
  const Storage s(fresh(folder, "full"), [](const std::string &) {});
  s.append_line("events.jsonl", "{}");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 10; // room for half of the line
  setrlimit(RLIMIT_FSIZE, &small);
  bool refused = false;
  try {
    s.append_line("events.jsonl", R"({"id": "a line that does not fit"})");
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::write;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  s.append_line("events.jsonl", "{}");
  std::ifstream in(s.file("events.jsonl"));
  std::stringstream all;
  all << in.rdbuf();
  expect(refused && all.str() == "{}\n{}\n",
         "a line that the disk does not take leaves no half: " + all.str());
}

void read_only(const std::string &folder) {
  std::string what;
  const std::string path = fresh(folder, "blocked");
  write(path + "/clips", "a file where a folder should be");
  try {
    Storage s(path, [](const std::string &) {});
  } catch (const Error &e) {
    what = e.what();
  }
  expect(what.find("cannot make the folder") != std::string::npos, "a storage that cannot be made: " + what);
  const std::string database = fresh(folder, "read-only") + "/events.db";
  EventStore s(database);
  Sqlite(database).execute("PRAGMA query_only=0");
  // A full disk, as SQLite tells it: the file may not grow.
  bool refused = false;
  try {
    Sqlite db(database);
    db.execute("PRAGMA max_page_count=1; CREATE TABLE big(x); INSERT INTO big VALUES(zeroblob(1000000));");
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::write;
  }
  expect(refused, "a full disk is an error with a kind");
  s.put(event("after", noon));
  expect(s.get("after").has_value(), "and works again afterwards");
}

} // namespace

int main(int, char **argv) {
  const std::string folder = std::string(argv[1]) + "/monitor-store";
  queries(folder);
  crossings(folder);
  outbox(folder);
  news(folder);
  event_log(folder);
  outage();
  newer_version(folder);
  plan();
  half_written(folder);
  reconcile(folder);
  one_program_alone(folder);
  full(folder);
  read_only(folder);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
