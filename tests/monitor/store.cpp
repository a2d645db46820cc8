// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's memory: the database of events, retention, and what a killed program leaves. Usage:
// test-monitor-store FOLDER
#include "common/error.h"
#include "common/file.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/utc.h"
#include "tools/vigil-monitor/export/export_folder.h"
#include "tools/vigil-monitor/http/audit.h"
#include "tools/vigil-monitor/recording/cold_mover.h"
#include "tools/vigil-monitor/recording/mp4_reader.h"
#include "tools/vigil-monitor/recording/mp4_writer.h"
#include "tools/vigil-monitor/recording/range.h"
#include "tools/vigil-monitor/recording/recovery.h"
#include "tools/vigil-monitor/store/administrators.h"
#include "tools/vigil-monitor/store/clock_trust.h"
#include "tools/vigil-monitor/store/event_log.h"
#include "tools/vigil-monitor/store/mp4.h"
#include "tools/vigil-monitor/store/outage.h"
#include "tools/vigil-monitor/store/overrides_file.h"
#include "tools/vigil-monitor/store/retention.h"
#include "tools/vigil-monitor/store/storage.h"
#include "tools/vigil-monitor/store/user_store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;
namespace fs = std::filesystem;

// The program's own functions of the C library: what was done to files, and a stream that is refused.
namespace disk_calls {
bool noted = false, no_streams = false;
std::vector<std::string> all;
std::string name_of(int descriptor) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error).string();
}
template <class F>
F *next(F *, const char *name) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}
} // namespace disk_calls
extern "C" {
int fsync(int descriptor) {
  if (disk_calls::noted) disk_calls::all.push_back("sync " + disk_calls::name_of(descriptor));
  return disk_calls::next(fsync, "fsync")(descriptor);
}
int rename(const char *from, const char *to) noexcept {
  if (disk_calls::noted) disk_calls::all.push_back(std::string("rename to ") + to);
  return disk_calls::next(rename, "rename")(from, to);
}
FILE *fdopen(int descriptor, const char *mode) noexcept {
  if (!disk_calls::no_streams) return disk_calls::next(fdopen, "fdopen")(descriptor, mode);
  errno = ENOMEM;
  return nullptr;
}
}

namespace {

using namespace std::chrono_literals;

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
  const std::string path = fresh(folder, "queries") + "/events.db";
  EventStore s(path);
  const EventReader reader(path);
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
    const EventPage p = reader.find(q);
    for (const Event &e : p.events) order += e.id.substr(1);
    q.cursor = p.next_cursor;
    if (q.cursor.empty()) break;
  }
  expect(order == "9876543210", "pages hold each event once, the newest first: " + order);
  EventQuery zone;
  zone.zone = "way";
  expect(reader.find(zone).events.size() == 4, "by zone");
  EventQuery yard;
  yard.camera = "yard";
  const auto found = reader.find(yard).events;
  expect(found.size() == 1 && found[0].box == Rect{0.1, 0.2, 0.3, 0.4} && found[0].end_time == noon + 4,
         "by camera, with its box");
  EventQuery time;
  time.after = noon + 1;
  time.before = noon + 2;
  expect(reader.find(time).events.size() == 2, "by time: after counts itself, before does not");
  bool refused = false;
  try {
    EventQuery bad;
    bad.cursor = "x' OR 1=1 --";
    reader.find(bad);
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::bad_setting;
  }
  expect(refused, "a forged cursor");
  expect(s.remove("e4") && !s.remove("e4") && !s.get("e4"), "removed once");
  s.put_vector("e1", std::vector<float>{1, 0});
  s.put_vector("e2", std::vector<float>{2, 0.2f});
  s.put_vector("e3", std::vector<float>{0, 1});
  s.put_vector("e5", std::vector<float>{1, 1, 1});
  const auto near = reader.similar("e1", 5);
  expect(near.size() == 2 && near[0].event.id == "e2" && near[1].event.id == "e3",
         "more like this; a vector of another model is left out");
  s.add_heat("door", noon, std::vector<float>{1, 2});
  s.add_heat("door", noon + 1, std::vector<float>{1, 0});
  expect(reader.heat("door", noon - 900, noon + 10)[0] == 2 &&
             reader.heat("door", noon + 7200, noon + 9000)[0] == 0,
         "heat is summed by quarters of an hour");
  {
    Sqlite other(path);
    Transaction held(other);
    other.execute("DELETE FROM heat WHERE camera='nobody'");
    const std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      held.commit();
    });
    s.add_heat("door", noon + 2, std::vector<float>{3, 0});
  }
  expect(reader.heat("door", noon - 900, noon + 10)[0] == 5,
         "a sum waits for the other connection's writing");
  // A day in India begins at half past an hour of UTC.
  const double half = std::floor(noon / 3600) * 3600 + 1800, day = 86400;
  s.add_heat("yard", half - 60, std::vector<float>{5});
  s.add_heat("yard", half + 60, std::vector<float>{7});
  expect(reader.heat("yard", half - day, half)[0] == 5 && reader.heat("yard", half, half + day)[0] == 7,
         "a day that begins within an hour has what happened in it");
  Sqlite(path).execute(vigil::text("INSERT INTO heat(camera, hour, cells) VALUES('lawn', ",
                                   static_cast<std::int64_t>(half / 3600), ", x'0000A040')") // 5, in float
                           .c_str());
  expect(reader.heat("lawn", half - day, half)[0] + reader.heat("lawn", half, half + day)[0] == 5,
         "what an older version counted by the hour counts on one day");
}

// Another program holds the database (a backup), and questions that take long: viewers wait for neither.
void readers(const std::string &folder) {
  const std::string path = fresh(folder, "readers") + "/events.db";
  EventStore s(path);
  for (int i = 0; i < 3000; i++) s.post({"mqtt", {0, "t", "m", false}});
  s.put(event("one", noon));
  const EventReader reader(path);
  Sqlite other(path);
  other.execute("BEGIN IMMEDIATE");
  const double begun = Utc::monotonic_seconds();
  expect(reader.get("one").has_value() && reader.find({}).events.size() == 1,
         "it reads while another writes");
  expect(Utc::monotonic_seconds() - begun < 2, "without waiting for it");
  other.execute("ROLLBACK");
  std::string why;
  try {
    EventReader(path, std::chrono::milliseconds(0)).waiting("mqtt");
  } catch (const Error &e) {
    why = e.kind() == Error::Kind::io ? e.what() : "";
  }
  expect(why.find("did not answer in time") != why.npos, "a question beyond its budget is given up: " + why);
  expect(reader.waiting("mqtt") == 3000, "and its connection goes on");
}

void crossings(const std::string &folder) {
  const std::string path = fresh(folder, "crossings") + "/events.db";
  { // a database of before there were any
    EventStore s(path);
    s.put(event("old", noon));
    Sqlite(path).execute("DROP TABLE crossings");
  }
  EventStore s(path);
  const EventReader reader(path);
  expect(s.get("old").has_value() && reader.crossings("door", 0, 1e10).empty(), "an older database has none");
  const std::int64_t q = 2'000'000;
  const double begin = static_cast<double>(q) * EventStore::quarter;
  s.add_crossings(
      {{{"door", "gate", q}, {1, 0}}, {{"door", "gate", q + 1}, {0, 2}}, {{"yard", "gate", q}, {9, 9}}});
  s.add_crossings({{{"door", "gate", q}, {2, 1}}, {{"door", "way", q}, {1, 0}}});
  const auto all = reader.crossings("door", begin, begin + 2 * EventStore::quarter);
  const auto first = reader.crossings("door", begin + 10, begin + EventStore::quarter);
  expect(all.size() == 3 && all.at({"door", "gate", q}).in == 3 && all.at({"door", "gate", q}).out == 1 &&
             all.at({"door", "gate", q + 1}).out == 2,
         "crossings are summed for each line and quarter of an hour");
  expect(first.size() == 2 && first.count({"door", "way", q}),
         "the quarter that `after` lies in is the first, the last ends at `before`");
  s.add_heat("door", begin, std::vector<float>{1});
  s.forget_counts(begin + EventStore::quarter);
  expect(reader.crossings("door", 0, 1e10).size() == 1 &&
             reader.heat("door", begin - 7200, begin + 7200)[0] == 0,
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
  const EventReader reader(path);
  const auto letters = s.letters("mqtt", 10);
  expect(letters.size() == 3 && letters[0].payload == "2", "bounded: the oldest go");
  s.delivered(letters[0].id);
  expect(s.letters("mqtt", 10).size() == 2 && reader.waiting("webhook") == 1, "delivered");
}

void news(const std::string &folder) {
  const std::string path = fresh(folder, "news") + "/events.db";
  EventStore s(path);
  const EventReader reader(path);
  const std::vector<Posting> both = {{"mqtt", {0, "t", "m", false}}, {"webhook", {0, "", "w", false}}};
  s.put(event("first", noon), both);
  expect(s.get("first") && reader.waiting("mqtt") == 1 && reader.waiting("webhook") == 1,
         "an event and its news");
  // A disk that takes the event and not all of its news.
  Sqlite(path).execute("CREATE TRIGGER full BEFORE INSERT ON outbox WHEN NEW.box='webhook' BEGIN"
                       " SELECT RAISE(ABORT, 'full'); END");
  bool refused = false;
  try {
    s.put(event("second", noon), both);
  } catch (const Error &e) {
    refused = e.kind() == Error::Kind::write;
  }
  expect(refused && !s.get("second") && reader.waiting("mqtt") == 1, "both or neither");
  Sqlite(path).execute("DROP TRIGGER full");
  s.put(event("second", noon), both);
  expect(s.get("second") && reader.waiting("mqtt") == 2, "and again once it works");
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
  expect(!s.change(looked_at, both) && reader.waiting("mqtt") == 2, "news that say that it is not kept");
  looked_at.retained = true;
  expect(s.change(looked_at, both) && reader.waiting("mqtt") == 3, "what is as it was looked at");
  s.remove("kept");
  expect(!s.change(looked_at, both) && !s.get("kept") && reader.waiting("mqtt") == 3,
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
  fs::create_symlink(folder + "/a folder that is away/events.jsonl", file);
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
  expect(!o.worked(0) && o.failed(1) && !o.failed(2), "reported once");
  expect(!o.worked(3) && o.going_on() && !o.failed(4), "what works by turns is the same outage");
  expect(!o.worked(33) && o.worked(34.5) && !o.going_on() && !o.worked(40),
         "over when it has worked for a while");
  expect(o.failed(50), "and another one is reported again");
}

// A database of an older version has no column for the event before; it gets one, and its events have none.
void continued(const std::string &folder) {
  const std::string path = fresh(folder, "continued") + "/events.db";
  { EventStore(path).put(event("old", noon, noon + 1)); }
  Sqlite(path).execute("ALTER TABLE events DROP COLUMN continues");
  EventStore s(path);
  Event next = event("next", noon + 1);
  next.continues = "old";
  s.put(next);
  next.end_time = noon + 2;
  s.put(next); // an update keeps it
  const EventReader reader(path);
  const auto events = reader.find({}).events;
  expect(events.size() == 2 && events[0].continues == "old" && events[1].continues.empty(),
         "continues is stored");
  expect(to_json(s.get("next").value())["continues"] == "old" &&
             to_json(s.get("old").value())["continues"].is_null(),
         "continues is shown");
}

// Databases of formats 1 to 3 become those of this one, and keep what they have.
void older_formats(const std::string &folder) {
  for (int format = 1; format <= 3; format++) {
    const std::string path = fresh(folder, "older") + "/events.db",
                      what = vigil::text(" (format ", format, ")");
    Event e = event("e1", noon, noon + 5);
    e.has_clip = e.retained = true;
    e.clip_start = noon - 1;
    e.clip_bytes = 70;
    Segment segment;
    segment.id = "20260901T100000000-door-0000";
    segment.camera = "door";
    segment.start = micros(noon);
    segment.duration = micros(60);
    segment.bytes = 500;
    StoredUser user;
    user.name = "anna";
    user.role = "admin";
    {
      EventStore(path).put(e);
      RecordingIndex(path).put(segment);
      UserStore(path).add(user);
    }
    Sqlite(path).execute(
        "DROP TRIGGER hold_added; DROP TRIGGER hold_changed; DROP TRIGGER hold_removed; DROP INDEX "
        "events_by_size;"
        "DROP INDEX segments_by_age_of_tier; DROP INDEX segments_still; DROP INDEX segments_moved;"
        "DROP INDEX segments_hot; ALTER TABLE events DROP COLUMN of_recording; ALTER TABLE events DROP COLUMN"
        " clip_end; ALTER TABLE segments DROP COLUMN held; ALTER TABLE segments DROP COLUMN cold;"
        "CREATE INDEX segments_by_tier ON segments(camera, tier, start); PRAGMA user_version=3");
    if (format < 3) Sqlite(path).execute("DROP TABLE users; DROP TABLE sessions; PRAGMA user_version=2");
    if (format < 2) Sqlite(path).execute("DROP TABLE segments; DROP TABLE gaps; PRAGMA user_version=1");
    const EventStore s(path);
    expect(one_integer(Sqlite(path), "PRAGMA user_version") == 4, "its format" + what);
    const auto found = s.get("e1");
    expect(found && to_json(*found) == to_json(e) && !found->of_recording && !found->clip_end,
           "its clip is a file" + what);
    const auto segments = RecordingIndex(path).segments("door", micros(noon), micros(noon + 1), false);
    expect(segments.size() == (format > 1 ? 1 : 0), "its recording" + what);
    expect(segments.empty() || (!segments[0].cold && segments[0].held == Segment::Held::no),
           "in the first folder" + what);
    expect(UserStore(path).users().size() == (format > 2 ? 1 : 0), "its users" + what);
  }
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
  const std::int64_t total = 600; // bytes of all clips
  kept[1].protect = true;
  const auto ids = [](const std::vector<Departure> &d) {
    std::string out;
    for (const auto &x : d) out += x.id;
    return out;
  };
  expect(ids(plan_retention(kept, {noon, 0, 1 << 30, 0, total})) == "a",
         "older than 14 days, but not what is kept");
  expect(ids(plan_retention(kept, {noon, 0, 1 << 30, 0, total, false})).empty() &&
             ids(plan_retention(kept, {noon, 350, 1 << 30, 0, total, false})) == "acd",
         "while the clock is in doubt nothing goes by its age, and space still counts");
  expect(ids(plan_retention(kept, {noon, 350, 1 << 30, 0, total})) == "acd", "until 350 bytes are left");
  expect(ids(plan_retention(kept, {noon, 0, 50, 200, total})) == "ac",
         "until 200 bytes are free; what goes by age counts");
  expect(plan_retention(kept, {noon, 0, 50, 200, total})[1].why.find("less than 200 B") != std::string::npos,
         "says why");
  expect(ids(plan_retention({}, {noon, 1, 0, 1, total})).empty(), "nothing to delete is no endless loop");
  expect(next_departure(kept, {noon, 0, 1 << 30, 0, total}).has_value(), "says what comes next");
  for (const auto &[days, words] : {std::pair{1.0, "(1 day)"}, {2.0, "(2 days)"}, {0.5, "(0.5 days)"}}) {
    std::vector<Kept> one(1);
    one[0].camera = "gate";
    one[0].start = noon;
    one[0].days = days;
    const auto next = next_departure(one, {noon, 0, 1 << 30, 0, total});
    expect(next && next->ends_with(words), "a number and its noun: " + next.value_or("nothing"));
  }
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

// Names as the program gives them: only these are its own files.
Event named(const char *tail, double start, const std::string &camera = "door") {
  Event e = event("", start, start + 5);
  e.camera = camera;
  std::string stamp = utc_timestamp(start);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == '.' || c == 'Z'; });
  e.id = stamp + "-" + camera + "-" + tail;
  return e;
}

void names() {
  const Event e = named("0a1f", noon + 0.25, "back-door");
  const auto read = event_of_id(e.id);
  expect(read && read->camera == "back-door" && std::abs(read->start_time - e.start_time) < 0.002,
         "an id says camera and time");
  const auto made = event_of_id(new_event_id(noon, "door"));
  expect(made && made->camera == "door", "and so does a new one");
  for (const char *other :
       {"", "holiday", "20260231T100000000-door-0000", "20260901T100000000-door-00g0",
        "20260901T100000000-door", "20260901T100000000--0000", "20260901T1000000-door-0000"})
    expect(!event_of_id(other) || *other == '2', std::string("no id: ") + other);
  expect(!event_of_id("20260231T100000000-door-0000"), "no such day");
}

void reconcile(const std::string &folder) {
  const std::string path = fresh(folder, "reconcile");
  const std::string whole = box("ftyp", 16) + box("moov", 100) + box("moof", 20) + box("mdat", 500);
  Event finished = named("0001", noon), lost = named("0002", noon), half = named("0003", noon),
        open = named("0004", noon), empty = named("0005", noon);
  half.end_time.reset();
  open.end_time.reset();
  finished.has_clip = lost.has_clip = empty.has_clip = true;
  {
    Storage s(path, [](const std::string &) {});
    for (const Event &e : {finished, lost, half, open, empty}) s.events().put(e);
  }
  write(path + "/" + clip_path(finished), whole);
  write(path + "/" + clip_path(half) + ".part", whole + "rest");
  write(path + "/" + clip_path(open) + ".part", "nothing");
  write(path + "/" + clip_path(empty), "");
  const Event orphan = named("0006", noon - 86400), kept = named("0007", noon - 200 * 86400.),
              picture = named("0008", noon);
  write(path + "/" + clip_path(orphan), whole);
  write(path + "/" + clip_path(kept), whole);
  write(path + "/" + thumb_path(picture), "x");
  const std::vector<std::string> foreign = {"clips/holiday video 2025.mov",
                                            "clips/exports/case-17.mp4",
                                            "clips/README.txt",
                                            "thumbs/family.jpg",
                                            "clips/door/2026-01-01/" + finished.id + ".mp4",
                                            "clips/door/" + utc_day(noon) + "/copy of the police.mp4",
                                            "recordings/x.mp4"};
  for (const std::string &below : foreign) write(path + "/" + below, "theirs");
  int lines = 0;
  Storage s(path, [&](const std::string &) { lines++; });
  const auto ended = s.reconcile(noon);
  expect(ended.size() == 2 && ended[0].id == half.id && ended[0].has_clip && ended[1].id == open.id &&
             ended[1].end_time.has_value(),
         "it tells which events had no end, and which they are to get");
  expect(s.events().unfinished().size() == 2, "which is stored together with its news");
  expect(s.events().get(finished.id)->has_clip && !s.events().get(lost.id)->has_clip,
         "a row without a clip says so");
  expect(s.events().get(half.id)->has_clip && fs::file_size(s.file(clip_path(half))) == whole.size(),
         "a half-written clip is closed");
  expect(!s.events().get(open.id)->has_clip && !fs::exists(s.file(clip_path(open)) + ".part") &&
             fs::exists(s.file("lost/" + clip_path(open) + ".part")),
         "a clip without a whole fragment is none, and is moved aside");
  expect(!s.events().get(empty.id)->has_clip && fs::exists(s.file("lost/" + clip_path(empty))),
         "an empty clip is none");
  const auto found = s.events().get(orphan.id), old = s.events().get(kept.id),
             seen = s.events().get(picture.id);
  expect(found && found->label == "found" && found->has_clip && !found->retained && found->camera == "door" &&
             found->clip_bytes == std::int64_t(whole.size()),
         "a finished clip without a row becomes an event");
  expect(old && old->retained, "what is older than its camera's days was kept by a person, and stays kept");
  expect(seen && seen->has_snapshot && !seen->has_clip, "and so does a picture");
  for (const std::string &below : foreign)
    expect(fs::exists(path + "/" + below), "a file of others stays: " + below);
  expect(lines >= 4 && !s.reports().all().empty(), "all of it is said");
  s.remove(*s.events().get(finished.id));
  expect(!fs::exists(s.file(clip_path(finished))) && !s.events().get(finished.id),
         "the clip goes with its event");
}

// Each file that the program keeps, damaged: the start succeeds, and nothing that is whole is lost.
void damaged(const std::string &folder) {
  const std::string whole = box("ftyp", 16) + box("moov", 100) + box("moof", 20) + box("mdat", 500);
  const auto cut = [](const std::string &file) { fs::resize_file(file, fs::file_size(file) / 2 + 7); };
  const auto zeroed = [](const std::string &file) {
    const auto size = fs::file_size(file);
    write(file, std::string(size, '\0'));
  };
  const auto emptied = [](const std::string &file) { fs::resize_file(file, 0); };
  const auto garbled = [](const std::string &file) { // in the midst of its pages
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(fs::file_size(file) / 3));
    f << std::string(9000, 'z');
  };
  const std::vector<std::pair<const char *, std::function<void(const std::string &)>>> ways = {
      {"cut", cut}, {"zeroed", zeroed}, {"emptied", emptied}, {"garbled", garbled}};
  for (const auto &[how, damage] : ways) {
    const std::string path = fresh(folder, "damaged");
    std::vector<Event> events;
    {
      Storage s(path, [](const std::string &) {});
      for (int i = 0; i < 200; i++) {
        char tail[8];
        std::snprintf(tail, sizeof tail, "%04x", i);
        Event e = named(tail, noon + 60 * i);
        e.has_clip = true;
        e.zones = {std::string(200, 'z')};
        s.events().put(e);
        write(path + "/" + clip_path(e), whole);
        events.push_back(e);
      }
      Sqlite(path + "/events.db").execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    damage(path + "/events.db");
    Storage s(path, [](const std::string &) {});
    s.reconcile(noon + 86400);
    int there = 0;
    for (const Event &e : events) {
      const auto now = s.events().get(e.id);
      there += now && now->has_clip && fs::exists(s.file(clip_path(e)));
    }
    expect(there == 200, vigil::text("all events are there after the database was ", how, ": ", there));
    expect(!s.reports().all().empty(), std::string("and it is said that it was ") + how);
  }
}

// A folder in the place of each file that the program keeps: it is moved aside with what is in it, which is
// said, and the file is made anew. An unreadable file goes the same way (damage.py, since root reads all).
void barred(const std::string &folder) {
  const std::string path = fresh(folder, "barred");
  Event recorded = event("20260921T145320000-door-0001", noon, noon + 5);
  recorded.of_recording = true;
  const std::vector<std::string> files = {"events.db",        "events.db-wal",    "events.db-shm",
                                          "motion.db",        "motion.db-wal",    "motion.db-shm",
                                          "overrides.json.1", "events.jsonl",     "administrators",
                                          "audit.jsonl",      "exports/link-key", record_path(recorded)};
  bool changes = false;
  const auto use = [&](std::vector<std::string> &said) {
    const auto say = [&](const std::string &what) { said.push_back(what); };
    Storage s(path, say);
    OverridesFile overrides(s);
    overrides.load();
    changes = !changes;
    overrides.save(vigil::text(R"({"cameras": {"door": {"motion": )", changes ? "true" : "false", "}}}"));
    s.put(recorded);
    s.append_line("events.jsonl", "{}");
    s.motion().add("door", {{static_cast<std::int64_t>(noon), {}}});
    s.motion().store();
    UserStore(s.file("events.db")).remember();
    AuditLog(s.file("audit.jsonl"), say).add({{"what", "x"}});
    expect(ExportFolder(s.file("exports"), say).link_key().size() == 64, "a key of links");
    expect(s.events().get(recorded.id).has_value(), "the event is stored");
  };
  std::vector<std::string> said;
  std::size_t moved = 0;
  use(said);
  expect(said.empty(), "nothing is wrong at first");
  for (const std::string &name : files) {
    const std::string file = path + "/" + name;
    fs::remove(file);
    fs::create_directories(file + "/somebody's");
    said.clear();
    try {
      use(said);
    } catch (const Error &e) {
      expect(false, "a folder in the place of " + name + ": " + e.what());
    }
    // SQLite removes its index at the end.
    expect(name.ends_with("-shm") || name.ends_with("-wal") || fs::is_regular_file(file),
           name + " is a file again");
    expect(std::any_of(said.begin(), said.end(),
                       [&](const std::string &what) {
                         return what.find(name) != what.npos && what.find("damaged-") != what.npos;
                       }),
           "it is said that " + name + " was moved aside");
    std::size_t kept = 0;
    for (const auto &f : fs::recursive_directory_iterator(path)) kept += f.path().filename() == "somebody's";
    expect(kept == ++moved, "what was in the folder at " + name + " is there");
  }
  fs::remove(path + "/lock");
  fs::create_directory(path + "/lock");
  const Storage first(path, [](const std::string &) {});
  try {
    const Storage second(path, [](const std::string &) {});
    expect(false, "a second program works with a storage whose lock is a folder");
  } catch (const Error &) {
  }
}

void link_keys(const std::string &folder) {
  const std::string path = fresh(folder, "link-keys");
  std::string said;
  const ExportFolder exports(path, [&](const std::string &what) { said = what; });
  const std::string key = exports.link_key();
  expect(exports.link_key() == key && said.empty(), "the same key again");
  for (const std::string &wrong :
       {std::string(64, '\0'), std::string(), key.substr(0, 31), key.substr(1) + "\n"}) {
    write(path + "/link-key", wrong);
    said.clear();
    const std::string now = exports.link_key();
    expect(now.size() == 64 && now != wrong && now.find('\0') == now.npos &&
               said.find("is no key") != said.npos,
           "a damaged key signs nothing: " + said);
  }
}

void overrides(const std::string &folder) {
  const std::string path = fresh(folder, "overrides");
  const std::string first = R"({"cameras": {"door": {"motion": false}}})",
                    second = R"({"cameras": {"door": {"recordings": false}}})";
  const auto names = [&](std::vector<std::string> &reports) {
    Storage s(path, [](const std::string &) {});
    const auto out = OverridesFile(s).load().names("door");
    reports = s.reports().all();
    return out.empty() ? std::string() : out[0];
  };
  std::vector<std::string> reports;
  expect(names(reports).empty() && reports.empty(), "none at first");
  {
    Storage s(path, [](const std::string &) {});
    OverridesFile file(s);
    file.load();
    file.save(first);
    file.save(second);
  }
  expect(names(reports) == "recordings" && reports.empty(), "the last ones are read");
  for (const std::string &text :
       {std::string(), std::string(100, '\0'), second.substr(0, 20), std::string("[]")}) {
    write(path + "/overrides.json", text);
    expect(names(reports) == "motion" && reports.size() == 2,
           "a damaged file: the one before it is used, and it is said");
    expect(names(reports) == "motion" && reports.empty(), "once");
  }
  write(path + "/overrides.json.1", "");
  expect(names(reports) == "motion" && reports.size() == 1, "the one before is damaged: that is said");
  write(path + "/overrides.json", "");
  expect(names(reports) == "motion" && reports.size() == 2, "it was written anew, and serves now");
  int aside = 0;
  for (const auto &f : fs::directory_iterator(path))
    aside += f.path().filename().string().find("damaged-") != std::string::npos;
  expect(aside >= 1, "a damaged file is moved aside");
  write(path + "/overrides.json", "x");
  write(path + "/overrides.json.1", "y");
  expect(names(reports).empty() && reports.size() == 3, "both damaged: none, and it is said");
  write(path + "/overrides.json.1", first);
  expect(names(reports).empty() && reports.empty(), "a file that a person has removed stays removed");
}

// What was said to be stored survives a power cut: the bytes are on the disk before the name, which is, too.
void on_the_disk(const std::string &folder) {
  const std::string path = fs::canonical(fresh(folder, "on-the-disk")).string();
  Storage s(path, [](const std::string &) {});
  OverridesFile file(s);
  file.load();
  disk_calls::all.clear();
  disk_calls::noted = true;
  file.save(R"({"cameras": {"door": {"motion": false}}})");
  disk_calls::noted = false;
  std::string calls;
  for (const std::string &c : disk_calls::all) calls += c + "\n";
  const auto at = [&](const std::string &what) { return calls.find(what); };
  const auto bytes = at("sync " + path + "/overrides.json."),
             name = at("rename to " + path + "/overrides.json\n"), entry = at("sync " + path + "\n");
  expect(bytes != calls.npos && name != calls.npos && entry != calls.npos && bytes < name && name < entry,
         "bytes, name and folder, in this order:\n" + calls);
}

// There is no memory for a stream: that is an error like any other, and nothing is left open or lying about.
void no_stream(const std::string &folder) {
  const std::string path = fresh(folder, "no-stream");
  const Storage s(path, [](const std::string &) {});
  write(path + "/there", "bytes");
  const auto count = [](const std::string &of) {
    return std::distance(fs::directory_iterator(of), fs::directory_iterator());
  };
  const auto files = count(path), descriptors = count("/proc/self/fd");
  const auto kind_of = [](const std::function<void()> &f) {
    disk_calls::no_streams = true;
    std::optional<Error::Kind> kind;
    try {
      f();
    } catch (const Error &e) {
      kind = e.kind();
    }
    disk_calls::no_streams = false;
    return kind;
  };
  const std::uint8_t byte = 1;
  expect(kind_of([&] { replace_file(path + "/new", {&byte, 1}); }) == Error::Kind::write, "a file to write");
  expect(kind_of([&] { read_text_file(path + "/there", "a file", 100); }) == Error::Kind::io, "one to read");
  expect(count(path) == files && count("/proc/self/fd") == descriptors, "nothing is left");
}

// What retention has to read does not grow with the number of events.
void retention_reads_few(const std::string &folder) {
  const std::string path = fresh(folder, "retention-few");
  Storage s(path, [](const std::string &) {});
  s.events().put(named("0001", noon, "bank"));
  Sqlite(path + "/events.db")
      .execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<50000)"
               " INSERT INTO events(id, camera, label, start, end, zones, score, has_clip, clip_bytes, "
               "has_snapshot,"
               " retained, updated) SELECT 'e'||i, 'bank', 'motion', 1790000000+i, 1790000001+i, "
               "'[\"gate\"]', 0, 1,"
               " 100, 0, 0, 0 FROM n");
  s.retention().set_days({}, 14);
  const auto best_of = [](const std::function<void()> &f) {
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
      const double begun = Utc::monotonic_seconds();
      f();
      best = std::min(best, Utc::monotonic_seconds() - begun);
    }
    return best;
  };
  const double all = best_of([&] { expect(s.events().oldest_first().size() == 50001, "all of them"); }),
               few = best_of([&] {
                 expect(s.retention().retain({noon + 86400, 0, INT64_MAX / 2, 0, 0, true}).empty(), "none");
               });
  expect(few * 10 < all, vigil::text("retention takes ", few * 1e3, " ms, to read all events ", all * 1e3));
}

void clock_trust() {
  constexpr double day = 86400;
  ClockTrust c(noon);
  double mono = 1000;
  expect(c.look(noon + 10, mono), "a start soon after the last one");
  expect(c.look(noon + 70, mono += 60), "time goes on");
  expect(!c.look(noon + 15 * day, mono += 60), "15 days ahead at once is in doubt");
  expect(c.trusted() < noon + day, "and is not kept");
  expect(!c.look(noon + 15 * day + 60, mono += 60), "and stays so");
  expect(c.look(noon + 260, mono += 60), "set back, it is trusted again at once");
  expect(!c.look(noon + 15 * day, mono += 60), "again");
  bool trusted = false;
  double now = noon + 15 * day;
  for (int hour = 0; hour < 23; hour++) trusted = trusted || c.look(now += 3600, mono += 3600);
  expect(!trusted, "23 hours are not enough");
  expect(c.look(now += 3700, mono += 3700),
         "after a day in agreement with the monotonic clock it is trusted");
  ClockTrust after(noon); // started again while the clock is wrong, or after a month off
  expect(!after.look(noon + 30 * day, 5), "a start far after the last trusted time is in doubt");
  ClockTrust fresh_one;
  expect(fresh_one.look(noon, 5), "a new database knows nothing else");
}

// One event whose clip cannot be removed keeps no other one from going.
void retention_goes_on(const std::string &folder) {
  constexpr double day = 86400;
  const std::string path = fresh(folder, "retention-stuck");
  std::vector<std::string> log;
  Storage s(path, [&](const std::string &line) { log.push_back(line); });
  std::vector<Event> events;
  for (int i = 1; i <= 3; i++) {
    char tail[8];
    std::snprintf(tail, sizeof tail, "%04x", i);
    events.push_back(named(tail, noon - (30 - i) * day, i == 3 ? "hall" : "bank"));
    events.back().clip_bytes = 100 * i;
    s.events().put(events.back());
  }
  fs::create_directories(s.file(clip_path(events[0])) + "/not-empty"); // a folder instead of the oldest clip
  s.retention().set_days({}, 14);
  const DiskState disk{noon, 0, INT64_MAX / 2, 0, 0, true};
  const Departed gone = s.retention().retain(disk);
  expect(gone.events.size() == 2 && s.events().get(events[0].id) && !s.events().get(events[1].id) &&
             !s.events().get(events[2].id),
         vigil::text("two of three go, not ", gone.events.size()));
  s.retention().retain(disk);
  const auto said = std::count_if(log.begin(), log.end(), [&](const std::string &l) {
    return l.find("1 event cannot be deleted") != l.npos && l.find(events[0].id) != l.npos;
  });
  expect(said == 1, vigil::text("the log names what stays, once: ", said));
  const auto line = audit_line(gone, noon);
  expect(line["what"] == "retention" &&
             line["details"]["deleted"].dump() ==
                 R"([{"bytes":200,"camera":"bank","events":1,"reason":"age","segments":0},)"
                 R"({"bytes":300,"camera":"hall","events":1,"reason":"age","segments":0}])",
         "the audit log's line: " + line.dump());
  s.events().put(events[1]);
  const Departed for_space =
      s.retention().retain({noon, 250, INT64_MAX / 2, 0, 300, false}); // 300 bytes of 250
  expect(for_space.events.size() == 1 && for_space.events[0].id == events[1].id &&
             for_space.events[0].reason == std::string("max_size"),
         "an event that cannot be removed frees nothing, so the next one goes");
  fs::remove_all(s.file(clip_path(events[0])));
  expect(s.retention().retain(disk).events.size() == 1 && !s.events().get(events[0].id),
         "it goes when it can");
}

// Retention by age, over cameras that are renamed and configurations that lose a line.
void retention(const std::string &folder) {
  constexpr double day = 86400;
  const std::string path = fresh(folder, "retention");
  const auto config = [](const char *name, double days, bool given) {
    std::map<std::string, CameraConfig> out;
    out[name].record.retain_days = days;
    out[name].record.retain_given = given;
    return out;
  };
  const auto left = [&](Storage &s) { return s.events().oldest("", false, 1000).size(); };
  Storage s(path, [](const std::string &) {});
  for (int i = 1; i <= 30; i++) {
    char tail[8];
    std::snprintf(tail, sizeof tail, "%04x", i);
    s.events().put(named(tail, noon - 10 * day * i, "bank"));
  }
  const DiskState disk{noon, 0, INT64_MAX / 2, 0, 0, true};
  s.retention().set_days(config("bank", 365, true), 14);
  s.retention().retain(disk);
  expect(left(s) == 30, "365 days keep 300");
  s.retention().set_days(config("hall", 14, false), 14); // renamed
  s.retention().retain(disk);
  expect(left(s) == 30, "a camera that is gone keeps its days");
  s.retention().set_days(config("bank", 14, false), 14); // the line is missing: the default
  s.retention().retain(disk);
  expect(left(s) == 30, "a default does not shorten");
  DiskState doubtful = disk;
  doubtful.clock_trusted = false;
  s.retention().set_days(config("bank", 100.5, true), 14);
  s.retention().retain(doubtful);
  expect(left(s) == 30, "nothing goes by its age while the clock is in doubt");
  {
    Storage &again = s;
    again.retention().retain(disk);
    expect(left(again) == 10, vigil::text("an explicit number does shorten: ", left(again)));
  }
}

// The continuous recording: its tiers by age, a clock in doubt, a camera that leaves, and want of room,
// which takes the oldest segments before any event.
void recordings(const std::string &folder) {
  constexpr double day = 86400, minute = 60;
  const std::string path = fresh(folder, "recordings");
  std::vector<std::string> log;
  Storage s(path, [&](const std::string &l) { log.push_back(l); });
  const auto lines = [&] {
    return std::count_if(log.begin(), log.end(),
                         [](const std::string &l) { return l.find("'s recording") != l.npos; });
  };
  std::map<std::string, std::string> files; // by name
  const auto segment = [&](const std::string &name, const std::string &camera, double age) {
    Segment one;
    one.camera = camera;
    one.start = micros(noon - age * day);
    one.duration = micros(minute);
    one.bytes = 100;
    one.id = new_segment_id(one.start, camera);
    files[name] = s.file(recording_path(one.id));
    fs::create_directories(fs::path(files[name]).parent_path());
    std::ofstream(files[name]) << std::string(100, 'x');
    s.recordings().put(one);
  };
  const auto left = [&] { // of files; each has its row
    std::string out;
    for (const auto &[name, file] : files)
      if (fs::exists(file)) out += name;
    expect(s.recordings().ids().size() == out.size() &&
               s.recordings().bytes() == std::int64_t{100} * static_cast<std::int64_t>(out.size()),
           "rows and bytes are those of the files: " + out);
    return out;
  };
  const auto expect_left = [&](const std::string &wanted, const std::string &what) {
    const std::string found = left();
    expect(found == wanted, vigil::text(what, ": ", found, ", not ", wanted));
  };
  segment("a", "door", 20); // an event
  segment("b", "door", 10); // an event
  segment("c", "door", 9);  // the camera was covered
  segment("d", "door", 4);
  segment("e", "door", 2);
  segment("f", "door", 1); // an event
  segment("g", "yard", 30);
  const auto moved = [&](const char *tail, double age, const char *label) {
    Event e = named(tail, noon - age * day + minute / 2, "door");
    e.label = label;
    e.end_time = e.start_time + minute;
    e.has_clip = true;
    e.clip_bytes = 50;
    s.events().put(e);
  };
  moved("0001", 20, "motion");
  moved("0002", 10, "person");
  moved("0003", 9, "camera-covered");
  moved("0004", 1, "motion");
  const auto events_left = [&] { return s.events().oldest("", false, 1000).size(); };
  s.recordings().begin_gap({"door", "camera away", micros(noon - 25 * day), micros(noon - 24 * day)});
  s.recordings().begin_gap({"door", "camera away", micros(noon - 8 * day), micros(noon - 7 * day)});
  const auto config = [](double continuous, std::optional<double> motion) {
    std::map<std::string, CameraConfig> out;
    RecordConfig &r = out["door"].record;
    r.retain_days = 365;
    r.retain_given = r.continuous = true;
    r.continuous_days = continuous;
    r.motion_days = motion;
    return out;
  };
  const DiskState disk{noon, 0, INT64_MAX / 2, 0, 900, true};
  s.retention().set_days({}, 365);
  s.retention().retain(disk);
  expect_left("abcdefg", "without configured days nothing goes by its age");
  s.retention().set_days(config(3, 14), 365);
  DiskState ahead = disk;
  ahead.now = noon + 30 * day;
  ahead.clock_trusted = false;
  s.retention().retain(ahead);
  expect_left("abcdefg", "nothing goes by its age while the clock is in doubt");
  const auto next = s.retention().next_departure(disk);
  expect(next && next->find("door's recording of ") != next->npos,
         "says what comes next: " + next.value_or(""));
  s.retention().retain(disk);
  expect_left("befg", "3 days of all, 14 of what overlaps an event, and no limit where none was configured");
  expect(lines() == 2, vigil::text("one line for each reason: ", lines()));
  expect(s.reader().gaps("door", 0, INT64_MAX / 2).size() == 1, "a gap before the oldest segment goes");
  expect(events_left() == 4, "events keep their own days");
  s.retention().set_days({}, 365); // door leaves the configuration
  DiskState later = disk;
  later.now = noon + 1.5 * day;
  s.retention().retain(later);
  expect_left("bfg", "a camera that is gone keeps its days");
  s.retention().set_days(config(30, {}), 365);
  later.now = noon + 10 * day;
  s.retention().retain(later);
  expect_left("bfg", "more days keep more");
  DiskState full = disk;
  full.max_size = 400;
  full.clip_bytes = 500; // three segments and four clips
  s.retention().retain(full);
  expect_left("bf", "the oldest segment goes, whatever its tier");
  expect(events_left() == 4, "before any event");
  DiskState small = disk;
  small.clip_bytes = 400;
  small.free = 50;
  small.min_free = 100;
  s.retention().retain(small);
  expect_left("f", "and until there is room on the disk");
  full.clip_bytes = 300;
  full.max_size = 160;
  const Departed gone = s.retention().retain(full);
  expect_left("", "all of them");
  expect(gone.events.size() == 1 && events_left() == 3, "and then the oldest event, no more");
  expect(gone.segments.size() == 1 &&
             audit_line(gone, noon)["details"]["deleted"].dump() ==
                 R"([{"bytes":150,"camera":"door","events":1,"reason":"max_size","segments":1}])",
         "both are in the audit log's line: " + audit_line(gone, noon).dump());
  // A file that cannot be removed keeps its row, and keeps neither other segments nor the retention of
  // events.
  segment("h", "door", 2);
  segment("i", "door", 0.9);
  segment("j", "door", 0.5);
  const auto stick = [&](const char *name) {
    fs::remove(files[name]);
    fs::create_directories(files[name] + "/inside");
  };
  stick("h");
  full.max_size = 400;
  full.clip_bytes = 450; // three segments and three events with clips
  expect(s.retention().retain(full).empty() && events_left() == 3,
         "no event goes in the place of a segment that stays");
  expect_left("hij", "the first pass finds that it stays");
  expect(s.retention().retain(full).segments.size() == 1 && events_left() == 3,
         "the next pass takes another segment");
  expect_left("hj", "the next one");
  s.retention().set_days(config(0.4, {}), 5);
  const Departed aged = s.retention().retain(disk);
  expect(aged.segments.size() == 1 && aged.events.empty() && events_left() == 3, "and so it is by age");
  expect_left("h", "what cannot be removed stays alone");
  RecordConfig few;
  few.retain_days = 5;
  few.retain_given = true;
  std::map<std::string, CameraConfig> door;
  door["door"].record = few;
  s.retention().set_days(door, 5);
  expect(s.retention().retain(disk).events.size() == 2 && events_left() == 1,
         "events go by their age all the same");
  const auto said = std::count_if(log.begin(), log.end(), [](const std::string &l) {
    return l.find("1 segment of recordings cannot be deleted") != l.npos;
  });
  expect(said == 1, vigil::text("it is logged once: ", said));
  fs::remove_all(files["h"]);
  expect(s.retention().retain(disk).segments.size() == 1, "it goes when it can");
  expect_left("", "all have gone");
}

// Clips that are parts of the recording hold their segments. Nothing is written twice, and nothing goes
// before what needs it.
void held(const std::string &folder) {
  constexpr double day = 86400, minute = 60;
  const std::string path = fresh(folder, "held");
  const std::string init = mp4_init(std::array{Mp4Track{}});
  Storage s(path, [](const std::string &) {});
  std::map<std::string, Segment> all;
  const auto segment = [&](const std::string &name, double age) {
    Segment one;
    one.camera = "door";
    one.start = micros(noon - age * day);
    one.duration = micros(minute);
    one.id = new_segment_id(one.start, one.camera);
    const std::string header = init + mp4_clock(one.start);
    one.header = static_cast<std::int64_t>(header.size());
    one.stream = stream_of(init);
    one.codecs = "avc1.42c01e";
    for (int i = 0; i < 60; i++) one.fragments.push_back({i * a_second, 10, true});
    one.bytes = one.header + 600;
    const std::string file = s.file(recording_path(one.id));
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file) << header << std::string(600, 'x');
    s.recordings().put(one);
    all[name] = one;
  };
  const auto left = [&] {
    std::string out;
    for (const auto &[name, one] : all)
      if (fs::exists(s.file(recording_path(one.id)))) out += name;
    expect(s.recordings().ids().size() == out.size(), "rows are those of the files: " + out);
    return out;
  };
  const auto expect_left = [&](const std::string &wanted, const std::string &what) {
    const std::string found = left();
    expect(found == wanted, vigil::text(what, ": ", found, ", not ", wanted));
  };
  // An event whose clip is from the midst of a segment to the midst of what follows.
  const auto event = [&](const char *tail, const std::string &in, double from, double to) {
    Event e = named(tail, seconds(all.at(in).start) + from + 5, "door");
    e.end_time = e.start_time + to - from - 10;
    e.has_clip = e.of_recording = true;
    e.clip_start = seconds(all.at(in).start) + from;
    e.clip_end = *e.clip_start + to - from;
    e.clip_bytes = 300;
    s.events().put(e);
    return e;
  };
  const auto held_of = [&](const std::string &name) {
    const auto found = s.recordings().segments("door", all[name].start + 1, all[name].start + 2, false);
    return found.empty() ? -1 : static_cast<int>(found[0].held);
  };
  segment("a", 20);
  segment("b", 20 - minute / day); // touches a
  segment("c", 10);
  segment("d", 9);
  segment("e", 8);
  const Event over_both = event("0001", "a", 50, 70), in_d = event("0002", "d", 10, 30);
  expect(held_of("a") == 1 && held_of("b") == 1 && held_of("c") == 0 && held_of("d") == 1, "clips hold");
  {
    Event half = in_d; // as it is said again and again
    half.score = 1;
    s.events().put(half);
    expect(held_of("d") == 1, "and go on holding");
  }
  s.events().set_retained(over_both.id, true);
  expect(held_of("a") == 2 && held_of("b") == 2, "a kept one holds without a limit");
  std::map<std::string, CameraConfig> config;
  RecordConfig &r = config["door"].record;
  r.retain_given = r.continuous = true;
  r.retain_days = 14;
  r.continuous_days = 3;
  s.retention().set_days(config, 14);
  DiskState disk{noon, 0, INT64_MAX / 2, 0, 0, true};
  s.retention().retain(disk);
  expect_left("abd", "what holds a clip stays");
  expect(s.reader().clip_bytes() == 0, "its bytes are the recording's");
  disk.now = noon + 6 * day;
  s.retention().retain(disk);
  expect(!s.events().get(in_d.id), "an event goes when its days are over");
  expect_left("ab", "and with it what held its clip");
  disk.now = noon + 400 * day;
  s.retention().retain(disk);
  expect_left("ab", "what is kept stays");
  s.events().set_retained(over_both.id, false);
  expect(held_of("a") == 1, "until it is kept no more");
  s.retention().retain(disk);
  expect_left("", "then both go");
  // Want of room: all that had no motion, then what had, then events, the oldest first, with what they hold.
  all.clear();
  segment("f", 7);
  segment("g", 6);
  segment("h", 5);
  segment("i", 4);
  const Event oldest = event("0003", "f", 10, 30), kept = event("0004", "i", 10, 30);
  s.events().set_retained(kept.id, true);
  Event seen = named("0005", seconds(all["g"].start) + 5, "door"); // with a file of its own
  seen.end_time = seen.start_time + 10;
  s.events().put(seen);
  config["door"].record.continuous_days = 0;
  config["door"].record.retain_days = 0;
  s.retention().set_days(config, 0);
  DiskState full{noon, 0, 1000, 1001, 0, true};
  s.retention().retain(full);
  expect_left("fgi", "what had no motion goes first");
  s.retention().retain(full);
  expect_left("fi", "then what had");
  expect(s.events().get(oldest.id).has_value(), "before any event");
  s.retention().retain(full);
  expect(!s.events().get(oldest.id), "then the oldest event");
  expect_left("i", "and with it what held its clip");
  s.retention().retain(full);
  s.retention().retain(full);
  expect_left("i", "what is kept stays, whatever the room");
  // A file that somebody has removed: the event says so.
  expect(s.events().get(kept.id)->has_clip, "it has a clip");
  fs::remove(s.file(recording_path(all["i"].id)));
  s.recordings().remove({all["i"].id});
  expect(!s.events().get(kept.id)->has_clip, "and none when its recording is gone");
  // The limit holds until the next pass, also where events hold all that is recorded.
  all.clear();
  segment("j", 3);
  segment("k", 2);
  segment("l", 1);
  const Event in_j = event("0006", "j", 10, 30), in_k = event("0007", "k", 10, 30);
  event("0008", "l", 10, 30);
  const std::int64_t size = s.recordings().bytes();
  DiskState limited{noon, size, INT64_MAX / 2, 0, size, true};
  expect(s.retention().retain(limited).empty(), "what fits stays");
  limited.growth = 1;
  const Departed made = s.retention().retain(limited);
  expect(made.events.size() == 1 && made.events[0].id == in_j.id && made.segments.size() == 1,
         "the oldest event goes, and what held it, in one pass");
  expect_left("kl", "no more than that");
  expect(made.segments.size() == 1 && made.segments[0].why.ends_with(" come each minute"),
         "why, though the limit is not exceeded: " + (made.segments.empty() ? "" : made.segments[0].why));
  limited.clip_bytes = s.recordings().bytes();
  expect(s.retention().retain(limited).empty() && s.events().get(in_k.id), "then there is room");
  limited.max_size = 1;
  s.retention().retain(limited);
  expect_left("", "all of them, in one pass");
  // A program that was killed while events went on, or before it had said that their clips were there.
  all.clear();
  segment("j", 1);
  Event open = named("0006", seconds(all["j"].start) + 20, "door"), ended = open, nowhere = open;
  ended.id = named("0007", open.start_time, "door").id;
  nowhere = named("0008", open.start_time + day, "door");
  open.of_recording = ended.of_recording = nowhere.of_recording = true;
  open.end_time.reset();
  ended.end_time = open.start_time + 10;
  nowhere.end_time = nowhere.start_time + 10;
  open.clip_start = ended.clip_start = open.start_time - 5;
  nowhere.clip_start = nowhere.start_time - 5;
  for (const Event &e : {open, ended, nowhere}) s.events().put(e);
  const auto unfinished = s.reconcile(noon);
  s.recordings_compared();
  const auto of_ended = s.events().get(ended.id), of_none = s.events().get(nowhere.id);
  expect(unfinished.size() == 1 && unfinished[0].id == open.id && unfinished[0].has_clip &&
             unfinished[0].clip_end && unfinished[0].end_time,
         "one that went on gets its clip with its end");
  expect(of_ended->has_clip && of_ended->clip_start == open.start_time - 5 &&
             of_ended->clip_end == open.start_time + 15,
         "one that had ended gets it");
  expect(!of_none->has_clip && !of_none->of_recording, "where nothing was recorded there is none");
}

// An event whose clip is a part of the recording has a record: it outlives the loss of its row, and goes with
// its event.
void records(const std::string &folder) {
  const std::string path = fresh(folder, "records");
  const std::string init = mp4_init(std::array{Mp4Track{}});
  const auto a_segment = [&](double at) { // of a minute
    Segment one;
    one.camera = "door";
    one.start = micros(at);
    one.duration = micros(60);
    one.id = new_segment_id(one.start, one.camera);
    const std::string header = init + mp4_clock(one.start);
    std::string bytes = header;
    for (unsigned i = 0; i < 60; i++) {
      const std::size_t before = bytes.size();
      const Mp4Run run{1, ticks(i * a_second), {{6, ticks(a_second), 0, true}}};
      bytes += mp4_fragment_head(i + 1, std::span(&run, 1)) + "sample";
      one.fragments.push_back({i * a_second, static_cast<std::uint32_t>(bytes.size() - before), true});
    }
    one.header = static_cast<std::int64_t>(header.size());
    one.stream = stream_of(init);
    one.bytes = static_cast<std::int64_t>(bytes.size());
    write(path + "/" + recording_path(one.id), bytes);
    return one;
  };
  const auto part = [](const char *tail, double at) {
    Event e = named(tail, at + 0.123456);
    e.label = "person";
    e.zones = {"steps"};
    e.box = Rect{0.1, 0.2, 0.3, 0.4};
    e.score = 0.7;
    e.continues = "20260901T100000000-door-0000";
    e.has_clip = e.of_recording = true;
    e.clip_start = e.start_time - 1;
    e.clip_end = *e.end_time + 1;
    e.clip_bytes = 300;
    return e;
  };
  const auto same = [](const std::optional<Event> &a, const Event &b, const std::string &what) {
    expect(a && event_record(*a) == event_record(b), what + (a ? ": " + event_record(*a) : ": gone"));
  };
  std::vector<std::string> log;
  const auto say = [&](const std::string &l) { log.push_back(l); };
  const auto lose = [&](const char *of_log, const char *bytes) {
    for (const char *end : {"", "-wal", "-shm"}) fs::remove(path + "/events.db" + end);
    if (*bytes) write(path + "/events.db" + of_log, bytes);
  };
  Segment recorded = a_segment(noon);
  Event first = part("0001", noon + 10), kept = part("0002", noon + 20), gone = part("0003", noon + 30),
        moving = part("0004", noon + 40), nowhere = part("0005", noon + 4000);
  moving.end_time.reset();
  const auto record = [&](const Event &e) { return path + "/" + record_path(e); };
  {
    Storage s(path, say);
    s.recordings().put(recorded);
    for (const Event &e : {first, kept, gone, moving, nowhere}) s.put(e);
    expect(fs::exists(record(first)) && !fs::exists(record(moving)), "an event that has ended has one");
    s.remove(gone);
    expect(!fs::exists(record(gone)), "one that was deleted has none");
    expect(s.set_retained(kept.id, true)->retained && !s.set_retained(gone.id, true), "a person keeps one");
    kept.retained = true;
    same(read_event_record(record(kept), kept.id), kept, "its record says so");
    first.score = 0.9;
    expect(s.change(first, {}) && !s.change(gone, {}) && !fs::exists(record(gone)), "changes");
    Event file = first; // what is no part of the recording has none
    file.of_recording = false;
    expect(s.change(file, {}) && !fs::exists(record(first)) && s.change(first, {}), "a file of its own");
  }
  const std::vector<std::pair<const char *, const char *>> losses = {
      {"", ""}, {"", "no database"}, {"-wal", "no log"}};
  for (const auto &[of, bytes] : losses) {
    lose(of, bytes);
    Storage s(path, say);
    s.reconcile(noon);
    same(s.events().get(first.id), first, "all of it comes back");
    same(s.events().get(kept.id), kept, "one that is kept, too");
    expect(!s.events().get(gone.id), "what was deleted does not");
    expect(s.events().get(nowhere.id)->has_clip, "its clip is believed");
    expect(RecordingRecovery(s.recordings(), path, say).compare(), "the index is made again");
    s.recordings_compared();
    expect(s.events().get(first.id)->has_clip && !s.events().get(nowhere.id)->has_clip, "until it is known");
    const auto held = s.recordings().segments("door", micros(noon + 20), micros(noon + 21), false);
    expect(held.size() == 1 && held[0].held == Segment::Held::kept, "the recording is held again");
    expect(!fs::exists(record(nowhere)), "without a clip there is no record");
    s.put(nowhere);
  }
  // Damaged ones, with their rows and without.
  const auto hurt = [&](const std::string &file, int way) {
    const auto size = fs::file_size(file);
    if (way == 2)
      fs::resize_file(file, size / 2);
    else
      std::ofstream(file, std::ios::binary) << std::string(way == 1 ? size : 0, '\0');
  };
  for (int way = 0; way < 3; way++)
    for (const bool row : {true, false}) {
      const std::string what = vigil::text(" (", way, ", ", row ? "with" : "without", " its row)");
      {
        Storage s(path, say);
        s.put(first);
        s.recordings().put(recorded);
        if (!row) s.events().remove(first.id);
      }
      hurt(record(first), way);
      Storage s(path, say);
      s.reconcile(noon);
      s.recordings_compared();
      const auto e = s.events().get(first.id);
      if (row) {
        same(e, first, "the row stays" + what);
        // One of zeros is found when it is needed.
        if (way != 1) same(read_event_record(record(first), first.id), first, "it is written again" + what);
      } else {
        expect(e && e->label == "found" && e->has_clip && e->of_recording && e->clip_bytes > 0,
               "the name alone says that there was an event" + what);
      }
      expect((row && way == 1) ||
                 (fs::exists(path + "/lost/" + record_path(first)) && !s.reports().all().empty()),
             "it is set aside, and said" + what);
      fs::remove_all(path + "/lost");
      s.events().remove(first.id);
    }
  for (const std::string &bad :
       {std::string("[]"), std::string("{}"), event_record(kept), "{\"id\": \"" + first.id + "\"}"})
    expect(!event_of_record(bad, first.id), "no record of this event: " + bad);
  Event years = first;
  years.clip_end = noon + 1e9;
  expect(!event_of_record(event_record(years), years.id), "a clip of years");
  same(event_of_record(event_record(first), first.id), first, "there and back");
  Event called = first;
  called.labels = {{"dog", 1, EventLabel::By::person}};
  called.has_vector = true;
  expect(event_record(called) == event_record(first), "labels and vectors are elsewhere");
  // A program that was killed between record and row.
  {
    Storage s(path, say);
    Event open = first;
    open.end_time.reset();
    open.has_clip = false;
    s.put(open);
    Event more = kept;
    more.score = 0.95;
    write(record(first), event_record(first));
    write(record(kept), event_record(more));
    write(record(moving) + ".12-3", "half");
  }
  Storage s(path, say);
  const auto ended = s.reconcile(noon);
  const auto at = std::find_if(ended.begin(), ended.end(), [&](const Event &e) { return e.id == first.id; });
  expect(at != ended.end() && at->end_time == first.end_time && at->has_clip, "the end that it has said");
  expect(s.events().get(kept.id)->score == 0.95, "a record is never older than its row");
  expect(!fs::exists(record(moving) + ".12-3"), "a half-written one goes");
}

// That there were administrators outlasts their database.
void administrators(const std::string &folder) {
  const std::string path = fresh(folder, "administrators");
  fs::create_directories(path);
  const std::string database = path + "/events.db";
  expect(!may_have_administrators(database), "a new folder has none");
  const auto forget = [&] { // as a person may, or a disk
    for (const char *end : {"", "-wal", "-shm"}) fs::remove(database + end);
  };
  const auto user = [](const char *name, const char *role) {
    StoredUser u;
    u.name = name;
    u.role = role;
    u.password = "x";
    return u;
  };
  {
    const EventStore events(database);
    UserStore users(database);
    users.remember();
    expect(!may_have_administrators(database) && remembered_administrators(database) == false,
           "none is noted");
    users.add(user("vera", "viewer"));
    expect(!may_have_administrators(database), "a viewer is none");
    users.add(user("anna", "admin"));
    expect(may_have_administrators(database) && lost_administrators(database).empty(), "one is");
  }
  write(database, "damaged");
  expect(may_have_administrators(database), "of a damaged database");
  forget();
  expect(may_have_administrators(database), "of one that is gone");
  for (int start = 0; start < 2; start++) {
    std::vector<std::string> log;
    const Storage s(path, [&](const std::string &l) { log.push_back(l); });
    UserStore(database).remember();
    expect(may_have_administrators(database) &&
               lost_administrators(database).find("--add-user NAME --role admin") != std::string::npos,
           "also at the next start, which says what to do");
  }
  {
    UserStore users(database);
    users.add(user("vera", "viewer"));
    users.remove(users.users().at(0).id);
    expect(may_have_administrators(database), "a viewer who goes changes nothing");
    users.add(user("otto", "admin"));
    expect(lost_administrators(database).empty(), "a new one is the end of it");
    StoredUser otto = users.users().at(0);
    users.remove(otto.id);
    expect(!may_have_administrators(database), "the last one was taken away by somebody");
    users.add(user("otto", "admin"));
    otto = users.users().at(0);
    otto.role = "viewer";
    users.change(otto);
    expect(!may_have_administrators(database), "or became something else");
  }
  // A database of before that cannot be read, and no note yet: it may have had some.
  fs::remove(path + "/administrators");
  forget();
  write(database, std::string(8192, 'x'));
  {
    const Storage s(path, [](const std::string &) {});
    UserStore(database).remember();
  }
  expect(may_have_administrators(database) && !lost_administrators(database).empty(), "nobody knows");
}

// The second folder: what moves when, what a killed program leaves, a folder that is away, full or another.
void cold(const std::string &folder) {
  constexpr double day = 86400, minute = 60;
  const std::string path = fresh(folder, "cold-storage"), second = fresh(folder, "cold-second");
  fs::create_directories(second);
  std::vector<std::string> log;
  std::mutex lock;
  const auto say = [&](const std::string &l) {
    const std::lock_guard guard(lock);
    log.push_back(l);
  };
  const auto said = [&](const std::string &words) {
    const std::lock_guard guard(lock);
    return std::count_if(log.begin(), log.end(), [&](const auto &l) { return l.find(words) != l.npos; });
  };
  const auto there = std::make_shared<ColdFolder>(second, say);
  Storage s(path, say, there);
  std::map<std::string, Segment> all;
  const auto segment = [&](const std::string &name, double age) {
    Segment one;
    one.camera = "door";
    one.start = micros(noon - age * day);
    one.duration = micros(minute);
    one.id = new_segment_id(one.start, one.camera);
    const std::string init = mp4_init(std::array{Mp4Track{}}), header = init + mp4_clock(one.start);
    one.stream = stream_of(init);
    one.header = static_cast<std::int64_t>(header.size());
    std::string bytes = header;
    for (unsigned i = 0; i < 60; i++) {
      const std::size_t before = bytes.size();
      const Mp4Run run{1, ticks(i * a_second), {{6, ticks(a_second), 0, true}}};
      bytes += mp4_fragment_head(i + 1, std::span(&run, 1)) + "sample";
      one.fragments.push_back({i * a_second, static_cast<std::uint32_t>(bytes.size() - before), true});
    }
    one.bytes = static_cast<std::int64_t>(bytes.size());
    const std::string file = s.places().hot(one.id);
    fs::create_directories(fs::path(file).parent_path());
    write(file, bytes);
    s.recordings().put(one);
    all[name] = one;
  };
  const auto cold_file = [&](const std::string &name) { return second + "/" + recording_path(all[name].id); };
  const auto now = [&](const std::string &name) { // the row of it
    const auto found = s.recordings().segments("door", all[name].start + 1, all[name].start + 2, true);
    return found.empty() ? Segment{} : found[0];
  };
  const auto until = [&](const char *what, const std::function<bool()> &f) {
    for (int i = 0; i < 600 && !f(); i++) std::this_thread::sleep_for(50ms);
    expect(f(), what);
  };
  const auto is_cold = [&](const std::string &name) { // wholly
    return now(name).cold && fs::exists(cold_file(name)) && !fs::exists(s.places().hot(all[name].id));
  };
  const auto served = [&](const std::string &name) {
    auto range = RecordingRange::make({now(name)}, all[name].start, all[name].end(),
                                      [&](const Segment &one) { return s.places().file(one); });
    if (!range) return std::size_t{0};
    const auto shared = std::make_shared<const RecordingRange>(std::move(*range));
    std::size_t n = 0;
    for (RecordingRange::Reader r(shared, 0, shared->size()); const auto b = r.next();) n += b->size();
    return n == shared->size() ? n : 0;
  };
  segment("a", 5);
  segment("b", 4);
  segment("c", 0.5);
  // As a killed program leaves them: half of a copy, a copy whose row does not say so, a row that says so and
  // both files.
  fs::create_directories(fs::path(cold_file("a")).parent_path());
  write(cold_file("a") + ".part", "half");
  segment("d", 3);
  fs::create_directories(fs::path(cold_file("d")).parent_path());
  fs::copy_file(s.places().hot(all["d"].id), cold_file("d"));
  segment("e", 2);
  fs::create_directories(fs::path(cold_file("e")).parent_path());
  fs::copy_file(s.places().hot(all["e"].id), cold_file("e"));
  s.recordings().set_cold(all["e"].id, true);
  write(second + "/recordings/holiday.mp4", "theirs");
  const std::int64_t total = s.recordings().bytes();
  RecordingRecovery(s.recordings(), path, say).compare();
  expect(!now("e").cold, "the first folder has it still");
  expect(s.recordings().cold_bytes() == 0 && s.recordings().ids().size() == 5, "and no row is lost");
  write(second + "/.vigil-monitor-cold", "as after the first start");
  std::vector<Departure> deleted;
  const auto mover =
      std::make_shared<ColdMover>(s.recordings(), s.places(), path, say, [&](std::vector<Departure> gone) {
        const std::lock_guard guard(lock);
        deleted.insert(deleted.end(), gone.begin(), gone.end());
      });
  mover->start();
  ColdMover::Wish wish;
  wish.now = noon;
  wish.limits.path = second;
  wish.limits.min_free = 0;
  wish.limits.days = 1;
  const std::size_t whole = served("a");
  auto before = RecordingRange::make({now("b")}, all["b"].start, all["b"].end(),
                                     [&](const Segment &one) { return s.places().file(one); });
  mover->ask(wish);
  until("what is older than a day moves",
        [&] { return is_cold("a") && is_cold("b") && is_cold("d") && is_cold("e") && !now("c").cold; });
  expect(fs::exists(second + "/recordings/holiday.mp4") && !fs::exists(cold_file("a") + ".part"),
         "no halves, and a foreign file stays");
  expect(s.recordings().bytes() == total && s.recordings().cold_bytes() == total - all["c"].bytes,
         "bytes of both");
  expect(served("a") == whole && whole > 0, "it is served from there");
  const auto moved = std::make_shared<const RecordingRange>(std::move(*before));
  std::size_t n = 0;
  for (RecordingRange::Reader r(moved, 0, moved->size()); const auto b = r.next();) n += b->size();
  expect(n == moved->size(), "also to one that began before it moved");
  // The first folder has no room: what is younger moves, too.
  wish.hot_excess = 1;
  mover->ask(wish);
  until("for want of room", [&] { return is_cold("c"); });
  wish.hot_excess = 0;
  // It goes away: said once; ranges there fail with words, rows stay, and nothing is taken for deleted.
  fs::rename(second, second + "-away");
  fs::create_directories(second); // as the place of a disk that is not mounted
  until("it is said", [&] { return said("is not mounted, or is another one") == 1; });
  try {
    served("a");
    expect(false, "it cannot be served");
  } catch (const Error &e) {
    expect(e.kind() == Error::Kind::io && std::string(e.what()).find("second folder") != std::string::npos,
           e.what());
  }
  segment("f", 6);
  std::map<std::string, CameraConfig> config;
  RecordConfig &r = config["door"].record;
  r.retain_given = r.continuous = true;
  r.continuous_days = 4.5;
  s.retention().set_days(config, 14);
  wish.now = noon;
  mover->ask(wish);
  std::this_thread::sleep_for(300ms);
  RecordingRecovery(s.recordings(), path, say).compare();
  expect(s.recordings().ids().size() == 6 && !now("f").cold && served("f") == whole,
         "meanwhile nothing is lost");
  fs::remove_all(second);
  fs::rename(second + "-away", second);
  until("it comes back", [&] { return said("works again") == 1; });
  wish.limits.max_size = 1; // full
  segment("g", 3.5);
  mover->ask(wish);
  until("a full one is said", [&] { return said("is full") == 1; });
  until("days hold there, too", [&] { return now("a").id.empty() && !fs::exists(cold_file("a")); });
  expect(!now("f").id.empty() && now("b").id.empty(), "one that is too large gives up its oldest");
  expect(said("'s recording, which began") >= 1, "what is deleted is logged");
  wish.limits.max_size = 0;
  mover->ask(wish);
  until("and moves again", [&] { return is_cold("g") && said("takes recordings again") == 1; });
  expect(mover->stop(10s), "it ends");
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
  Storage s(fresh(folder, "full"), [](const std::string &) {});
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
  const std::vector<vigil::test::Case> cases = {
      {"queries", [&] { queries(folder); }},
      {"readers", [&] { readers(folder); }},
      {"crossings", [&] { crossings(folder); }},
      {"outbox", [&] { outbox(folder); }},
      {"news", [&] { news(folder); }},
      {"event log", [&] { event_log(folder); }},
      {"outage", outage},
      {"continued", [&] { continued(folder); }},
      {"older formats", [&] { older_formats(folder); }},
      {"newer version", [&] { newer_version(folder); }},
      {"plan", plan},
      {"half written", [&] { half_written(folder); }},
      {"names", names},
      {"reconcile", [&] { reconcile(folder); }},
      {"damaged", [&] { damaged(folder); }},
      {"barred", [&] { barred(folder); }},
      {"link keys", [&] { link_keys(folder); }},
      {"overrides", [&] { overrides(folder); }},
      {"on the disk", [&] { on_the_disk(folder); }},
      {"no stream", [&] { no_stream(folder); }},
      {"retention reads few", [&] { retention_reads_few(folder); }},
      {"clock trust", clock_trust},
      {"retention", [&] { retention(folder); }},
      {"retention goes on", [&] { retention_goes_on(folder); }},
      {"recordings", [&] { recordings(folder); }},
      {"held", [&] { held(folder); }},
      {"records", [&] { records(folder); }},
      {"administrators", [&] { administrators(folder); }},
      {"cold", [&] { cold(folder); }},
      {"one program alone", [&] { one_program_alone(folder); }},
      {"full", [&] { full(folder); }},
      {"read only", [&] { read_only(folder); }},
  };
  return vigil::test::run_cases("monitor store", cases);
}
