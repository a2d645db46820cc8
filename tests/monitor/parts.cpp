// SPDX-License-Identifier: LGPL-2.1-or-later
// The other parts of vigil-monitor that know no GStreamer: who may do what, the live stream, tiles, times,
// MQTT's words. Usage: test-monitor-parts FOLDER
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/activity.h"
#include "tools/vigil-monitor/camera/backoff.h"
#include "tools/vigil-monitor/camera/damage_gate.h"
#include "tools/vigil-monitor/camera/key_gate.h"
#include "tools/vigil-monitor/camera/tiles.h"
#include "tools/vigil-monitor/camera/utc.h"
#include "tools/vigil-monitor/http/access.h"
#include "tools/vigil-monitor/http/audit.h"
#include "tools/vigil-monitor/http/auth.h"
#include "tools/vigil-monitor/http/hub.h"
#include "tools/vigil-monitor/http/latest.h"
#include "tools/vigil-monitor/http/streams.h"
#include "tools/vigil-monitor/notify/notice.h"
#include "tools/vigil-monitor/notify/topics.h"
#include "tools/vigil-monitor/printable.h"
#include "tools/vigil-monitor/process.h"
#include "tools/vigil-monitor/store/event_store.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <latch>
#include <malloc.h>
#include <memory>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <thread>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::failures;

namespace {

Bytes bytes(const char *s) {
  return std::make_shared<const std::string>(s);
}

void sites() {
  Request r;
  const auto wrong = [&](const char *host, const char *origin, const char *method = "GET") {
    r.method = method;
    r.headers = {{"host", host}};
    if (*origin) r.headers["origin"] = origin;
    return !wrong_site(r, {"cam.example", "Door.Example"}).empty();
  };
  expect(!wrong("127.0.0.1:8090", "") && !wrong("localhost", "") && !wrong("[::1]:8090", "") &&
             !wrong("cam.example:1", ""),
         "our names");
  expect(!wrong("LOCALHOST:8090", "") && !wrong("CAM.example", "http://cam.example") &&
             !wrong("door.example", "http://door.example"),
         "capitals are the same, here and in the configuration");
  expect(wrong("evil.example", "") && wrong("", ""), "a name that was made to point here");
  expect(!wrong("127.0.0.1:8090", "http://127.0.0.1:8090", "PUT"), "our own page");
  expect(wrong("127.0.0.1:8090", "http://evil.example", "PUT") && wrong("127.0.0.1:8090", "null", "GET"),
         "another site's page");
  r = {};
  r.method = "POST";
  r.headers = {{"host", "127.0.0.1"}, {"sec-fetch-site", "cross-site"}};
  expect(!wrong_site(r, {}).empty(), "a form of another site");
}

void own_site() {
  Request r;
  r.method = "GET";
  const auto wrong = [&](const char *path, const char *site, const char *mode, const char *dest) {
    r.path = path;
    r.headers = {
        {"host", "127.0.0.1"}, {"sec-fetch-site", site}, {"sec-fetch-mode", mode}, {"sec-fetch-dest", dest}};
    return !wrong_site(r, {}).empty();
  };
  for (const char *site : {"cross-site", "same-site"}) {
    expect(wrong("/api/cameras", site, "no-cors", "image") &&
               wrong("/api/cameras", site, "navigate", "iframe") && wrong("/metrics", site, "cors", "empty"),
           std::string("a picture, a frame or a script of another page: ") + site);
    expect(!wrong("/api/events/x/clip.mp4", site, "navigate", "document") &&
               !wrong("/", site, "no-cors", "image"),
           "a link leads here");
  }
  expect(!wrong("/api/cameras", "same-origin", "cors", "empty") &&
             !wrong("/api/cameras", "none", "navigate", "document"),
         "our own page");
}

void tokens(const std::string &folder) {
  const std::string file = folder + "/token";
  std::filesystem::remove(file);
  Tokens made(file);
  struct stat info {};
  expect(!stat(file.c_str(), &info) && (info.st_mode & 0777) == 0600,
         "the file is made, for its owner alone");
  std::ifstream in(file);
  std::string word, admin, view;
  in >> word >> admin >> word >> view;
  const Tokens again(file);
  const auto role = [](const Tokens &t, const std::string &text) {
    const auto found = t.find(text);
    return found ? found->role : Role::none;
  };
  expect(role(again, admin) == Role::admin && role(again, view) == Role::view, "the tokens in it");
  expect(role(again, "") == Role::none && role(again, admin + "x") == Role::none &&
             role(again, admin.substr(1)) == Role::none,
         "no others");
  const auto set_aside = [&] {
    return std::ranges::count_if(std::filesystem::directory_iterator(folder), [](const auto &f) {
      return f.path().filename().string().starts_with("token.damaged-");
    });
  };
  const auto before = set_aside();
  for (const std::string &damaged : {std::string(), std::string(76, '\0'), std::string("\n")}) {
    std::ofstream(file, std::ios::binary) << damaged;
    const std::string said = move_damaged_tokens_aside(file);
    expect(said.find("is empty") != said.npos && !std::filesystem::exists(file), "it holds nothing: " + said);
  }
  std::filesystem::create_directory(file);
  expect(move_damaged_tokens_aside(file).find("is a folder") != std::string::npos, "a folder in its place");
  expect(set_aside() == before + 4, "each that is set aside stays, also within one second");
  expect(move_damaged_tokens_aside(file).empty(), "none is there");
  const Tokens anew(file);
  expect(role(anew, admin) == Role::none && !move_damaged_tokens_aside(file).size() && !anew.none(),
         "new tokens, and they stay");
  expect(role(Tokens(""), "") == Role::none, "without a file no token is right, the empty one neither");
  const auto refused = [](const std::string &path) {
    try {
      Tokens read(path);
      return false;
    } catch (const Error &) {
      return true;
    }
  };
  chmod(file.c_str(), 0644);
  expect(refused(file), "a file that others can read");
  const std::string other = folder + "/token-by-hand";
  const auto write = [&](const std::string &text) {
    std::ofstream(other) << text;
    chmod(other.c_str(), 0600);
    return other;
  };
  for (const char *token :
       {"0123456789;abcdef", "0123456789,abcdef", "0123456789\"abcdef", "0123456789ä0123456"})
    expect(refused(write(std::string("admin ") + token + "\n")),
           std::string("a token that no header can hold: ") + token);
  expect(!refused(write("admin 0123456789+/=._-~\n")), "other signs");
  expect(refused(write("admin 0123456789abcdef\nview 0123456789abcdef\n")), "one token for two roles");
  expect(refused(write("view 0123456789abcdef\n")) && refused(write("")), "no token of an administrator");
  expect(refused(write("admin 0123456789abcdef a/b\n")), "a name that is none");
  const Tokens several(write("# people\nadmin 0123456789abcdef anna\n\nadmin fedcba9876543210 bob\nview "
                             "00112233445566778899 wall\n"));
  expect(several.find("fedcba9876543210")->name == "bob" &&
             several.find("00112233445566778899")->name == "wall",
         "several tokens, each with a name");
  write("admin 0123456789abcdef anna\nadmin\n");
  bool kept = false;
  try {
    several.read();
  } catch (const Error &) {
    kept = several.find("fedcba9876543210").has_value();
  }
  expect(kept, "a mistake in the file leaves the tokens as they were");
}

double at_utc(int year, int month, int day, int hour, int minute) {
  std::tm t{};
  t.tm_year = year - 1900;
  t.tm_mon = month - 1;
  t.tm_mday = day;
  t.tm_hour = hour;
  t.tm_min = minute;
  return static_cast<double>(timegm(&t));
}

void notices() {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  const auto night = parse_quiet_hours("22:00-06:00"), day = parse_quiet_hours("06:00-22:00");
  const auto quiet = [](const QuietHours &q, double time) { return is_quiet(q, time); };
  expect(quiet(night, at_utc(2026, 1, 10, 21, 0)) && !quiet(night, at_utc(2026, 1, 10, 20, 59)) &&
             quiet(night, at_utc(2026, 1, 10, 4, 59)) && !quiet(night, at_utc(2026, 1, 10, 5, 0)),
         "22:00 to 06:00, in winter");
  expect(quiet(night, at_utc(2026, 7, 10, 20, 0)) && !quiet(night, at_utc(2026, 7, 10, 19, 59)) &&
             quiet(night, at_utc(2026, 7, 10, 3, 59)) && !quiet(night, at_utc(2026, 7, 10, 4, 0)),
         "22:00 to 06:00, in summer");
  // The night of 29 March 2026 has seven hours of these, that of 25 October nine.
  int minutes_of_march = 0, minutes_of_october = 0;
  for (int m = 0; m < 24 * 60; m++) {
    minutes_of_march += quiet(night, at_utc(2026, 3, 28, 12, 0) + 60 * m);
    minutes_of_october += quiet(night, at_utc(2026, 10, 24, 12, 0) + 60 * m);
  }
  expect(minutes_of_march == 7 * 60 && minutes_of_october == 9 * 60, "nights in which the clock is changed");
  for (int m = 0; m < 24 * 60; m++) {
    const double t = at_utc(2026, 3, 28, 12, 0) + 60 * m;
    if (quiet(night, t) == quiet(day, t)) expect(false, "each minute is either");
  }
  expect(!is_quiet(std::nullopt, 0), "no quiet hours");
  for (const char *wrong : {"", "22-06", "22:00", "22:00-22:00", "24:00-06:00", "22:60-06:00", "-1:00-06:00",
                            "22:00-06:00x", "22:00 -06:00"}) {
    bool refused = false;
    try {
      parse_quiet_hours(wrong);
    } catch (const Error &) {
      refused = true;
    }
    expect(refused, std::string("no hours: ") + wrong);
  }
  setenv("TZ", "UTC", 1);
  tzset();

  Event e;
  e.id = "20260110T210000000-gate-0001";
  e.camera = "gate";
  e.label = "motion";
  e.start_time = at_utc(2026, 1, 10, 21, 0);
  NotifyConfig rule;
  expect(becomes_wanted(rule, std::nullopt, e) && !becomes_wanted(rule, e, e), "each event once");
  rule.cameras = {"door"};
  expect(!becomes_wanted(rule, std::nullopt, e), "of another camera");
  rule.cameras = {"door", "gate"};
  rule.zones = {"steps"};
  Event later = e;
  later.zones = {"grass", "steps"};
  expect(!becomes_wanted(rule, std::nullopt, e) && becomes_wanted(rule, e, later) &&
             !becomes_wanted(rule, later, later),
         "when it enters the zone");
  rule.labels = {"person"};
  expect(!becomes_wanted(rule, e, later), "of another label");
  Event named = later;
  named.labels = {{"person", 0.8, EventLabel::By::shape}, {"cat", 0.3, EventLabel::By::examples}};
  const auto as_named = [](const std::string &camera) { return camera; };
  expect(becomes_wanted(rule, later, named) && !becomes_wanted(rule, named, named), "when it gets the label");
  expect(notice_of({named}, as_named).title == "person? at gate", "a guess is shown as one");
  rule.labels = {"cat"};
  expect(!becomes_wanted(rule, later, named), "a label with a low score is none");
  named.labels = {{"cat", 1, EventLabel::By::person}, {"person", 0, EventLabel::By::person}};
  expect(becomes_wanted(rule, later, named) && notice_of({named}, as_named).title == "cat at gate",
         "a person's word");
  rule.labels = {"person"};
  expect(!becomes_wanted(rule, later, named), "what it is not");

  expect(notice_of({e}, as_named).title == "motion at gate" &&
             notice_of({e}, as_named).text == "2026-01-10 21:00:00 motion at gate",
         "one event");
  std::vector<Event> many(12, e);
  many.back().camera = "door";
  const Notice n = notice_of(many, as_named);
  expect(n.title == "12 events at gate, door" && std::count(n.text.begin(), n.text.end(), '\n') == 10 &&
             n.text.ends_with("\nand 2 more"),
         "many: " + n.title + "\n" + n.text);
  const auto titles = [](const std::string &camera) { return camera == "gate" ? "Vordertür 門" : camera; };
  const Notice titled = notice_of(many, titles);
  expect(titled.title == "12 events at Vordertür 門, door" &&
             titled.text.starts_with("2026-01-10 21:00:00 motion at Vordertür 門\n"),
         "cameras are called by their titles: " + titled.title);
  const auto long_title = [](const std::string &) {
    std::string out;
    for (int i = 0; i < 150; i++) out += "ü";
    return out;
  };
  expect(is_visible(notice_of(many, long_title).title, 300), "what is cut stays UTF-8");
}

void access(const std::string &folder) {
  const std::string file = folder + "/token-access";
  std::ofstream(file) << "admin 0123456789abcdef anna\nview fedcba9876543210\n";
  chmod(file.c_str(), 0600);
  Tokens tokens(file);
  const std::string database = folder + "/access.db";
  for (const char *end : {"", "-wal", "-shm"}) std::filesystem::remove(database + end);
  EventStore tables(database);
  UserStore store(database);
  Users users(store);
  const auto no_log = [](const std::string &) {};
  Sessions sessions(store, tokens, no_log, Utc::system_seconds());
  Access local(tokens, users, sessions, Role::admin, 8090, false),
      none(tokens, users, sessions, Role::none, 8090, false),
      tls(tokens, users, sessions, Role::none, 8090, true);
  Request r;
  expect(local.visitor(r).role == Role::none, "from elsewhere");
  r.loopback = true;
  expect(local.visitor(r).role == Role::admin && none.visitor(r).role == Role::none,
         "from this machine, where that was asked for");
  for (const char *name :
       {"x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via",
        "cf-connecting-ip", "fly-connecting-ip", "x-client-ip", "true-client-ip", "x-forwarded-server",
        "x-forwarded-port", "x-envoy-external-address", "x-request-id", "x-original-forwarded-for",
        "x-cluster-client-ip"})
    for (const char *value : {"something", ""}) {
      r.headers = {{name, value}};
      expect(local.visitor(r).role == Role::none, std::string("a proxy that says so by ") + name);
    }
  r = {};
  r.headers["authorization"] = "Bearer 0123456789abcdef";
  expect(none.visitor(r).role == Role::admin && none.visitor(r).name == "anna", "by header");
  r.headers["authorization"] = "bearer 0123456789abcdef";
  expect(none.visitor(r).role == Role::admin, "by header, the scheme in small letters");
  r.headers["authorization"] = "Bearer x";
  expect(none.visitor(r).wrong && none.visitor(r).role == Role::none, "a wrong one");
  for (const char *empty : {"Bearer ", "Bearer"}) { // which libmicrohttpd 1.0 makes of the first
    r.headers["authorization"] = empty;
    expect(none.visitor(r).wrong && none.visitor(r).role == Role::none,
           std::string("an empty one: ") + empty);
  }
  r = {};
  r.headers["cookie"] = "a=b; vigil_session_8090=fedcba9876543210";
  expect(none.visitor(r).role == Role::none && none.visitor(r).old_session, "the token is no session");
  r.loopback = true;
  expect(local.visitor(r).role == Role::none && local.visitor(r).old_session && local.is_local(r),
         "a dead session makes nobody local");
  r.loopback = false;
  const auto in = none.sign_in("fedcba9876543210", r), safe = tls.sign_in("fedcba9876543210", r);
  expect(in && in->set_cookie.find("fedcba9876543210") == std::string::npos && !none.sign_in("wrong", r),
         "the cookie does not hold the token");
  expect(in->set_cookie.starts_with("vigil_session_8090=") &&
             in->set_cookie.find("Secure") == std::string::npos &&
             in->set_cookie.find("HttpOnly; SameSite=Strict; Max-Age=2592000") != std::string::npos,
         "the cookie: " + in->set_cookie);
  expect(safe->set_cookie.starts_with("__Host-vigil_session_8090=") && safe->set_cookie.ends_with("; Secure"),
         "by TLS: " + safe->set_cookie);
  r.headers["cookie"] = "a=b; " + in->set_cookie.substr(0, in->set_cookie.find(';'));
  expect(none.visitor(r).role == Role::view && !none.visitor(r).session.empty(), "by cookie");
  expect(tls.visitor(r).role == Role::none, "a server by TLS takes no cookie that plain HTTP may have set");
  Request other = r;
  none.sign_out(r);
  expect(none.visitor(other).role == Role::none, "signed out, on the server as well");
  const auto again = none.sign_in("fedcba9876543210", r), anna = none.sign_in("0123456789abcdef", r);
  std::ofstream(file) << "admin 0123456789abcdef anna\nview another-token-of-theirs\n";
  std::vector<std::string> told_ended;
  none.on_end = [&](const std::string &session) { told_ended.push_back(session); };
  none.use(tokens.read());
  expect(told_ended.size() == 2, "what is being sent to sessions whose token is gone ends");
  other.headers["cookie"] = again->set_cookie.substr(0, again->set_cookie.find(';'));
  expect(none.visitor(other).role == Role::none, "a session ends with its token");
  other.headers["cookie"] = anna->set_cookie.substr(0, anna->set_cookie.find(';'));
  expect(none.visitor(other).role == Role::admin, "those of others go on");
  const Visitor at_first = none.visitor(other);
  expect(none.is_current(at_first, other), "nothing has changed");
  Sessions read_again(store, tokens, no_log, Utc::system_seconds());
  Access later(tokens, users, read_again, Role::none, 8090, false);
  expect(later.visitor(other).name == "anna", "a session outlives the program");
  expect(none.end_session(at_first.session) && !none.is_current(at_first, other), "a session that was ended");
  expect(later.visitor(other).role == Role::admin, "another program's memory");
  Sessions third(store, tokens, no_log, Utc::system_seconds());
  const auto left = third.all(Utc::system_seconds());
  expect(std::none_of(left.begin(), left.end(), [&](const auto &s) { return s.id == at_first.session; }),
         "an ended session does not come back");
  Sessions much_later(store, tokens, no_log, Utc::system_seconds() + Sessions::longest + 1);
  expect(much_later.all(Utc::system_seconds()).empty(), "sessions that are over");

  Failures slow(600);
  for (int i = 0; i < 10; i++) slow.count("anna", 100 + i);
  expect(slow.too_many("anna", 700) && !slow.too_many("anna", 701.5) && !slow.too_many("bob", 110) &&
             slow.total() == 10,
         "ten wrong passwords of a name, within ten minutes; to ask counts nothing");
  {
    Turns turns;
    std::atomic<int> have = 0, most_at_once = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 40; i++)
      threads.emplace_back([&, i] {
        const Turns::Turn turn(turns, std::to_string(i % 8));
        if (!turn) return;
        most_at_once = std::max(most_at_once.load(), ++have);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        have--;
      });
    for (auto &t : threads) t.join();
    expect(most_at_once == 1, "one looks at a password at a time");
    auto first = std::make_unique<Turns::Turn>(turns, "a");
    std::atomic<int> none_left = 0;
    threads.clear();
    for (int i = 0; i < 3; i++)
      threads.emplace_back([&] {
        const Turns::Turn next(turns, "a");
        if (!next) none_left++;
      });
    for (int i = 0; i < 1000 && none_left < 2; i++)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expect(none_left == 2, "of one address one has the turn and one waits");
    first.reset();
    for (auto &t : threads) t.join();
  }

  Failures failures;
  int refused = 0, announced = 0;
  for (int i = 0; i < 15; i++) {
    const auto v = failures.count("1.2.3.4", 100 + i);
    refused += v.too_many;
    announced += v.announce;
  }
  expect(refused == 5 && announced == 1 && failures.total() == 15, "ten wrong tokens a minute, and one line");
  expect(!failures.count("1.2.3.5", 115).too_many, "others are not meant");
  expect(!failures.count("1.2.3.4", 200).too_many, "a minute later");
  for (int i = 0; i < 50; i++) failures.count("5.6.7.8", 300, "old cookie");
  expect(!failures.count("5.6.7.8", 301, "old cookie").too_many && !failures.count("5.6.7.8", 301).too_many,
         "a browser that repeats its old cookie does not guess");
  for (int i = 0; i < 20000; i++) failures.count(std::to_string(i), 400 + i / 1000.);
  expect(failures.total() > 20000, "many addresses");

  Streams streams;
  std::vector<std::shared_ptr<void>> open;
  for (int i = 0; i < 9; i++) open.push_back(streams.take("a", Streams::most_of_one));
  expect(open[7] && !open[8] && streams.take("b", Streams::most_of_one), "eight streams of one address");
  open.clear();
  expect(streams.take("a", Streams::most_of_one) != nullptr, "and again when they are closed");
}

void audit(const std::string &folder) {
  const std::string file = folder + "/audit.jsonl";
  for (const auto &f : std::filesystem::directory_iterator(folder))
    if (f.path().string().starts_with(file)) std::filesystem::remove_all(f.path());
  std::string said;
  AuditLog log(
      file, [&](const std::string &text) { said = text; }, 2000);
  log.add({{"what", "first"}});
  struct stat info {};
  expect(!stat(file.c_str(), &info) && (info.st_mode & 0777) == 0600, "for its owner alone");
  std::ofstream(file, std::ios::app) << "{\"half a li"; // a power cut
  log.add({{"what", "second\nline"}});
  const auto two = log.last(10);
  expect(two.size() == 2 && two[0]["what"] == "second\nline" && two[1]["what"] == "first",
         "what is whole: " + two.dump());
  for (int i = 0; i < 400; i++) log.add({{"what", "number"}, {"i", i}});
  int files = 0;
  for (const auto &f : std::filesystem::directory_iterator(folder))
    if (f.path().string().starts_with(file)) files++, expect(f.file_size() <= 2000, "each file's size");
  expect(files == 6 && log.last(3)[2]["i"] == 397, "old files are numbered, and the oldest goes");
  // Folders in the places of old files do not keep it from beginning a new one.
  for (const char *end : {".1", ".2", ".5"}) {
    std::filesystem::remove(file + end);
    std::filesystem::create_directories(file + end + "/somebody's");
  }
  for (int i = 0; i < 400; i++) log.add({{"what", "number"}, {"i", i}});
  int aside = 0;
  for (const auto &f : std::filesystem::directory_iterator(folder))
    if (f.is_directory() && f.path().string().starts_with(file))
      aside += f.path().string().find(".damaged-") != std::string::npos && !std::filesystem::is_empty(f);
    else if (f.path().string().starts_with(file))
      expect(f.file_size() <= 2000, "each file's size, after folders were in their places");
  expect(aside == 3 && said.find(" is a folder ") != said.npos && log.last(3)[2]["i"] == 397,
         "folders are set aside, and said: " + said);
  AuditLog nowhere(folder + "/none/audit.jsonl", [&](const std::string &text) { said = text; });
  nowhere.add({{"what", "lost"}});
  expect(said.find("/none/audit.jsonl") != said.npos, "a disk that refuses has a line in the log: " + said);
}

void latest() {
  std::atomic<bool> stuck = false;
  std::atomic<int> n = 0;
  Latest figure([&] {
    while (stuck) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return nlohmann::json(++n);
  });
  constexpr std::chrono::seconds long_enough(20);
  expect(figure.get(long_enough) == 1 && figure.get(long_enough) == 2, "as new as the question");
  stuck = true;
  expect(figure.get(std::chrono::milliseconds(10)) == 2, "what was found last, when it takes too long");
  stuck = false;
}

void ranges() {
  const auto is = [](const char *header, std::uint64_t from, std::uint64_t length, bool partial) {
    const auto r = parse_range(header, 1000);
    return r && r->from == from && r->length == length && r->partial == partial;
  };
  expect(is("", 0, 1000, false) && is("bytes=0-99", 0, 100, true) && is("bytes=900-", 900, 100, true) &&
             is("bytes=-10", 990, 10, true),
         "ranges");
  expect(is("bytes=0-5000", 0, 1000, true) && is("bytes=-5000", 0, 1000, true), "longer than the file");
  expect(is("bytes=5-2", 0, 1000, false) && is("lines=1-2", 0, 1000, false) &&
             is("bytes=1-2,5-6", 0, 1000, false) && is("bytes=a-", 0, 1000, false),
         "not understood: the whole");
  expect(!parse_range("bytes=1000-", 1000) && !parse_range("bytes=-0", 1000) && !parse_range("bytes=0-", 0),
         "beyond the end");
}

void live() {
  const std::string head = record_head('J', "door", View::mask, true, 0x01020304, 1.5);
  const std::string expected{'J', 4, 2, 1,    1,          2,    3,   4,   0,   0,
                             0,   0, 0, 0x16, char(0xe3), 0x60, 'd', 'o', 'o', 'r'};
  expect(head == expected, "the layout of a record");
  int demands = 0;
  Hub hub([&] { demands++; });
  auto slow = hub.join({{}, View::plain, true, 0}, {{"kind", "hello"}}, 1);
  auto door = hub.join({{"door"}, View::mask, true, 720}, {{"kind", "hello"}}, 1);
  expect(hub.demand("door").views == 5 && hub.demand("door").height == 720 && hub.demand("yard").views == 1,
         "demand");
  for (int i = 0; i < 100; i++) hub.picture("yard", View::plain, false, i, bytes("jpeg"));
  hub.text("yard", 5, {{"kind", "event"}});
  hub.text("door", 5, {{"kind", "event"}});
  hub.text("yard", 5, {{"kind", "camera"}, {"camera", {{"state", "new"}}}});
  hub.text("yard", 5, {{"kind", "removed"}, {"name", "yard"}});
  const auto read = [](Hub::Viewer &v) {
    std::string all;
    bool ended = false;
    while (const Bytes b = v.queue.next(std::chrono::milliseconds(0), ended)) all += *b;
    return all;
  };
  const auto count = [](const std::string &in, const std::string &what) {
    int n = 0;
    for (std::size_t at = in.find(what); at != in.npos; at = in.find(what, at + 1)) n++;
    return n;
  };
  const std::string all = read(*slow), one = read(*door);
  expect(count(all, "jpeg") == 1 && count(all, "event") == 2 && hub.dropped() == 99,
         "a slow viewer loses pictures, not events");
  expect(count(one, "jpeg") == 0 && count(one, "event") == 1, "only what was asked for");
  expect(count(one, "\"new\"") == 1 && count(one, "\"removed\"") == 1, "each viewer knows of all cameras");
  for (int i = 0; i < 100; i++)
    hub.text("yard", i,
             {{"kind", "camera"}, {"camera", {{"name", "yard"}, {"long", std::string(300'000, 'x')}}}});
  const std::string state = read(*slow);
  expect(count(state, "\"yard\"") == 1 && state.size() < 400'000,
         "of a camera's states the newest waits alone");
  ViewerQueue large;
  const auto megabyte = std::make_shared<const std::string>(std::string(1 << 20, 'j'));
  for (int i = 0; i < 100; i++) large.picture("cam" + std::to_string(i), View::plain, false, i, megabyte);
  expect(large.dropped() == 92,
         "8 MiB of pictures wait at most: " + std::to_string(large.dropped()) + " dropped");
  bool closed = false;
  for (int i = 0; i < 10; i++) large.text("", i, megabyte);
  large.next(std::chrono::milliseconds(0), closed);
  expect(closed, "who lets 8 MiB of text wait is closed");
  for (int i = 0; i < 5000; i++) hub.text("", i, {{"kind", "event"}});
  bool ended = false;
  slow->queue.next(std::chrono::milliseconds(0), ended);
  expect(ended, "who never reads is closed");
  door.reset();
  expect(hub.viewers() == 1 && demands == 3, "leaving is noticed");
  hub.close();
  expect(!hub.join({}, {}, 0), "closed");
}

void tiles() {
  TilePlan plan(5);
  plan.demand(1);
  int made = 0;
  constexpr std::int64_t ms = 1'000'000;
  for (int i = 0; i < 150; i++)
    made += plan.frame(i * 1000 * ms / 15, static_cast<std::uint64_t>(i)).has_value();
  expect(made >= 49 && made <= 51, "5 of 15 frames a second: " + std::to_string(made) + " in 10 s");
  TilePlan fewer(5); // every second frame is analysed
  fewer.once(View::background);
  expect(!fewer.frame(0, 0, false), "a frame that is not analysed has no background");
  expect(fewer.frame(100'000'000, 1, true) == View::background, "the next one has it");
  fewer.once(View::plain);
  expect(fewer.frame(200'000'000, 2, false) == View::plain, "a plain picture is any frame's");

  TilePlan idle(5);
  expect(!idle.frame(0, 1), "nobody watches");
  idle.once(View::mask);
  expect(idle.frame(1, 2) == View::mask && !idle.frame(2, 3), "one picture");
  expect(idle.planned(2) == View::mask && !idle.planned(3), "which frame it was");
  TilePlan both(5);
  both.demand(0b101);
  int plain = 0, mask = 0;
  for (int i = 0; i < 150; i++) {
    const auto v = both.frame(i * 1000 * ms / 15, static_cast<std::uint64_t>(i));
    plain += v == View::plain;
    mask += v == View::mask;
  }
  expect(plain >= 49 && mask >= 49, "two views take turns");
  TilePlan again(5);
  again.once(View::mask);
  again.frame(0, 7);
  again.frame(1, 8);
  again.once(View::plain);
  expect(again.frame(2, 7) == View::plain && again.planned(7) == View::plain, "what was decided last");
  again.frame(3, 7);
  expect(!again.planned(7), "a frame that is not shown has no view of an earlier one of its time");
  again.once(View::mask);
  again.frame(4, 9);
  expect(again.planned(9) == View::mask, "a frame of this pipeline");
  again.forget();
  expect(!again.planned(9), "and none of the one before");
}

void gates() {
  KeyGate gate;
  expect(!gate.passes(false, false, 0) && !gate.passes(false, false, 10), "nothing before a key frame");
  expect(gate.passes(true, false, 10.1) && gate.passes(false, false, 10.2) && gate.dropped() == 2,
         "from the key frame on");
  expect(!gate.passes(false, true, 20) && !gate.passes(true, true, 21) && !gate.passes(false, false, 22),
         "behind: nothing, and then nothing before a key frame");
  expect(gate.passes(true, false, 23) && !gate.gave_up() && gate.dropped() == 5, "again from a key frame on");
  KeyGate never;
  expect(!never.passes(false, false, 0) && !never.passes(false, false, KeyGate::patience), "still waiting");
  expect(never.passes(false, false, KeyGate::patience + 0.1) && never.gave_up(),
         "a stream without key frames");
  expect(never.passes(false, false, 12) && never.dropped() == 2, "which goes on");

  using Verdict = DamageGate::Verdict;
  DamageGate damage;
  expect(damage.judge(true, false, 0) == Verdict::drop && damage.judge(false, false, 1) == Verdict::pass,
         "damaged pictures before the first whole one");
  expect(damage.judge(true, false, 2) == Verdict::pass && damage.judge(true, false, 12) == Verdict::pass,
         "later ones keep their mark");
  expect(damage.judge(true, false, 14) == Verdict::take_as_whole, "all of them damaged for long");
  expect(damage.judge(false, false, 15) == Verdict::pass && damage.dropped() == 1, "whole again");
  DamageGate refreshed;
  expect(refreshed.judge(true, true, 0) == Verdict::take_as_whole,
         "a stream that is taken without a key frame");
}

void times() {
  double system = 1000, monotonic = 5;
  Utc utc([&] { return system; }, [&] { return monotonic; });
  system += 3600 + 10; // somebody sets the clock
  monotonic += 10;
  expect(utc.now() == 1010, "time goes on as it did");
  expect(utc.re_anchor() == 3600 && utc.now() == 4610 && utc.re_anchor() == 0, "reported once");
  expect(utc.steady(4610) == 15 && utc.steady(4600) == 5, "times on the monotonic clock");
  system -= 0.7; // less than a step
  double last = utc.now(), back = 0;
  int reported = 0, seconds = 0;
  for (; seconds < 200 && std::abs(utc.now() - system) > 1e-6; seconds++) {
    reported += utc.re_anchor() != 0;
    back = std::max(back, last - utc.now());
    system++, monotonic++;
    last = utc.now();
  }
  expect(reported == 0 && back < 0.011 && seconds < 80,
         "a little is slewed in: back by " + std::to_string(back) + " in " + std::to_string(seconds) + " s");
  // A thread that has to wait between two readings of clocks.
  double clock = 0;
  int readings = 0;
  const auto late = [&] { return clock += readings++ % 4 == 1 ? 0.7 : 1e-5; };
  const Utc busy([&] { return late() + 1000; }, late);
  const double now = busy.now();
  expect(std::abs(now - clock - 1000) < 1e-3, "the offset of a thread that had to wait");
  Backoff b;
  std::ostringstream waits;
  for (int i = 0; i < 7; i++) waits << b.next() << ' ';
  b.ran(3);
  waits << b.next() << ' ';
  b.ran(60);
  waits << b.next();
  expect(waits.str() == "1 2 4 8 16 30 30 30 1", "back-off: " + waits.str());
  Activity a;
  a.end_second(100);
  for (int i = 0; i < 10; i++) a.frame(100 + i / 10., {{0.5, 0.5, 0.1, 0.1}}, 0.01);
  const auto s = a.end_second(101);
  expect(s.sample.fps == 10 && s.sample.boxes == 1 && s.boxes.size() == 1, "a second");
  const auto heat = a.take_heat();
  expect(heat.size() == Activity::columns * Activity::rows && heat[9 * 32 + 17] > 0.8f && heat[0] == 0 &&
             a.take_heat().empty(),
         "heat");
  Activity full;
  expect(full.samples().empty() && !full.mean_fps(), "no second yet");
  constexpr int more = static_cast<int>(Activity::kept_samples) + 7;
  for (int i = 1; i <= more; i++) {
    full.frame(i, {}, 0);
    full.end_second(i);
    if (i == 2) expect(full.samples().size() == 2 && full.samples()[0].time == 1, "the first seconds");
  }
  const auto kept = full.samples();
  expect(kept.size() == Activity::kept_samples && kept.front().time == 8 && kept.back().time == more &&
             full.mean_fps() == 1,
         "the last ten minutes");
}

void mqtt() {
  const auto c = parse_command("vigil", "vigil/door/recordings/set", "ON");
  expect(c && c->camera == "door" && c->name == "recordings" && c->on, "a command");
  for (const auto &[topic, payload] : {std::pair{"vigil/door/recordings/set", "on"},
                                       {"vigil/door/recordings", "ON"},
                                       {"other/door/motion/set", "ON"},
                                       {"vigil/door/reboot/set", "ON"},
                                       {"vigil/set", "ON"},
                                       {"vigil/\x1b[2J/motion/set", "ON"},
                                       {"vigil", ""}})
    expect(!parse_command("vigil", topic, payload), std::string("no command: ") + topic + " " + payload);
  const nlohmann::json camera = {
      {"name", "door"},
      {"state", "online"},
      {"motion", true},
      {"trouble", {{"blurred", 1.5e9}}},
      {"record_enabled", false},
      {"motion_enabled", true},
      {"zones", {{"steps", {}}}},
      {"lines", {{"gate", {}}}},
      {"classes", {{"run now", true}, {"fight", false}, {"a/b", true}, {"motion", true}, {"moved", true}}},
      {"labels", {{"post van", 2}, {"a/b", 1}, {"a%2Fb", 0}, {"路", 0}, {"径", 0}}}};
  const auto states = camera_states("v", camera);
  // A class whose name would be two levels, or one of our own topics, has no topic.
  expect(states.size() == 20 && states[8] == Topic{"v/door/fight", "OFF"} &&
             states[9] == Topic{"v/door/run now", "ON"} && states[5] == Topic{"v/door/covered", "OFF"} &&
             states[6] == Topic{"v/door/blurred", "ON"} && states[7] == Topic{"v/door/moved", "OFF"} &&
             states[0] == Topic{"v/door/available", "online"} && states[1] == Topic{"v/door/motion", "ON"} &&
             states[3] == Topic{"v/door/recordings/state", "OFF"},
         "states");
  const auto has = [](const std::vector<Topic> &all, const Topic &t) {
    return std::find(all.begin(), all.end(), t) != all.end();
  };
  // A label can hold the characters of a topic's levels and wildcards, and has a level of its own.
  const auto level = [](const std::string &label) {
    return record_states("v", {{"kind", "label_count"}, {"camera", "c"}, {"label", label}, {"count", 0}})
        .at(0)
        .topic;
  };
  expect(level("a, b/c#+") == "v/c/labels/a, b%2Fc%23%2B/count" && level("50%") == "v/c/labels/50%/count" &&
             level("50%2F") == "v/c/labels/50%252F/count" && level("%25") == "v/c/labels/%2525/count",
         "labels as levels of topics");
  std::set<std::string> levels;
  const std::vector<std::string> names = {"a/b", "a%2Fb", "a%252Fb", "a%25/b", "%",   "%/", "%%2F", "#",
                                          "%23", "+",     "%2B",     "%+",     "%2+", "%2", "%25",  "%2525"};
  for (const std::string &name : names) {
    const std::string topic = level(name);
    levels.insert(topic);
    expect(topic.find_first_of("#+") == std::string::npos && std::count(topic.begin(), topic.end(), '/') == 4,
           name + " is one level: " + topic);
  }
  expect(levels.size() == names.size(), "two labels never have one topic");
  expect(has(states, {"v/door/labels/post van/count", "2"}) &&
             has(states, {"v/door/labels/post van/motion", "ON"}) &&
             has(states, {"v/door/labels/a%2Fb/count", "1"}) &&
             has(states, {"v/door/labels/a%252Fb/count", "0"}) &&
             has(states, {"v/door/labels/路/count", "0"}) && has(states, {"v/door/labels/路/motion", "OFF"}),
         "states of labels");
  const auto gone =
      record_states("v", {{"kind", "label_count"}, {"camera", "door"}, {"label", "post van"}, {"count", 0}});
  expect(gone.size() == 2 && has(gone, {"v/door/labels/post van/count", "0"}) &&
             has(gone, {"v/door/labels/post van/motion", "OFF"}),
         "a label that is gone");
  const auto crossed = record_states(
      "v", {{"kind", "line"},
            {"camera", "door"},
            {"line", "gate"},
            {"in", 3},
            {"out", 1},
            {"labels", {{"person", {{"in", 2}, {"out", 0}}}, {"a/b", {{"in", 1}, {"out", 1}}}}}});
  expect(crossed.size() == 6 && has(crossed, {"v/door/gate/in", "3"}) &&
             has(crossed, {"v/door/gate/labels/person/in", "2"}) &&
             has(crossed, {"v/door/gate/labels/a%2Fb/out", "1"}),
         "crossings by label");
  std::set<std::string> topics;
  bool good = true;
  int sensors = 0;
  for (const Topic &t : discovery("v", "attic", "attic", camera)) {
    const auto j = nlohmann::json::parse(t.payload, nullptr, false);
    good = good && t.topic.starts_with("homeassistant/") && t.topic.ends_with("/config") &&
           j.contains("unique_id") && j.contains("device");
    sensors++;
    topics.insert(t.topic);
  }
  // Two labels of which nothing is left as an identifier have sensors of their own.
  expect(good && topics.size() == 23 && sensors == 23, "discovery: " + std::to_string(sensors));
  // Neither have a label and a zone of the same words one sensor.
  nlohmann::json alike = camera;
  alike["zones"] = {{"label_person", {}}, {"label_person_objects", {}}};
  alike["labels"] = {{"person", 1}};
  std::set<std::string> ids;
  const auto of_both = discovery("v", "attic", "attic", alike);
  for (const Topic &t : of_both) ids.insert(nlohmann::json::parse(t.payload).at("unique_id"));
  std::erase_if(ids, [](const std::string &id) { return id.find("label_person") == std::string::npos; });
  expect(ids.size() == 6, "sensors of two zones and a label: " + std::to_string(ids.size()));
  int switches = 0, removed = 0;
  for (const Topic &t : discovery("v", "attic", "attic", camera, false)) {
    switches += t.topic.starts_with("homeassistant/switch/");
    removed += t.payload.empty();
    good = good && t.payload.empty() == t.topic.starts_with("homeassistant/switch/");
  }
  expect(good && switches == 2 && removed == 2,
         "without commands no switches, and those of before are removed");
  // A camera that moves from one shard to another: the new one's messages take the place of the old one's.
  nlohmann::json titled = camera;
  titled["title"] = "Haustür";
  const auto first = discovery("v", "attic", "attic", camera),
             renamed = discovery("v", "attic", "attic", titled);
  expect(first.size() == renamed.size(), "a title takes no sensor away");
  for (std::size_t i = 0; i < first.size(); i++) {
    auto was = nlohmann::json::parse(first[i].payload), is = nlohmann::json::parse(renamed[i].payload);
    expect(is["device"]["name"] == "Vigil Haustür" && was["device"]["name"] == "Vigil door",
           "the friendly name");
    is["device"]["name"] = was["device"]["name"];
    expect(is == was && first[i].topic == renamed[i].topic, "topics and identifiers stay: " + first[i].topic);
  }
  const auto before = discovery("site/7", "rack-1", "site/7", camera),
             after = discovery("site/7", "rack-2", "site/7", camera);
  bool same_topics = before.size() == after.size();
  for (std::size_t i = 0; same_topics && i < before.size(); i++) {
    const auto a = nlohmann::json::parse(before[i].payload), b = nlohmann::json::parse(after[i].payload);
    same_topics = before[i].topic == after[i].topic && a["unique_id"] == b["unique_id"] &&
                  a["device"] == b["device"] && a["availability"] != b["availability"] &&
                  before[i].topic.find("site/7") == std::string::npos;
  }
  expect(same_topics, "discovery of a camera that moved to another shard");
  Event e;
  e.id = "x";
  const auto m = nlohmann::json::parse(event_message("new", std::nullopt, e));
  expect(m["type"] == "new" && m["after"]["id"] == "x", "event");
}

// A thread frees nearly all of its memory; what it keeps lies between, so that none of it is at an end.
void memory() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::vector<std::string> kept;
  std::thread([&] {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < 20'000; i++) {
      pieces.emplace_back(1000 + i % 5000, 'x');
      if (i % 100 == 0) kept.emplace_back(100, 'x');
    }
  }).join();
  const auto before = process_state().memory_bytes;
  give_back_memory();
  const auto given = (before - process_state().memory_bytes) / 1'000'000;
  expect(given > 40, "of 70 MB that were freed it gives back " + std::to_string(given));
#endif
}

// As many threads at once as a few cameras have, each of which asks for memory.
void arenas() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::vector<std::thread> threads;
  std::latch all(20);
  for (int i = 0; i < 20; i++)
    threads.emplace_back([&all] {
      const std::string taken(2000, 'x');
      all.arrive_and_wait();
    });
  for (std::thread &t : threads) t.join();
  char *text = nullptr;
  std::size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  malloc_info(0, out);
  fclose(out);
  const std::string info(text, size);
  free(text); // of open_memstream()
  int found = 0;
  for (std::size_t at = info.find("<heap nr"); at != std::string::npos; at = info.find("<heap nr", at + 1))
    found++;
  expect(found > 0 && found <= 2, "20 threads share " + std::to_string(found) + " arenas, two at most");
#endif
}

} // namespace

int main(int, char **argv) {
  share_arenas();
  const std::string folder = std::string(argv[1]) + "/monitor-parts";
  std::filesystem::create_directories(folder);
  const std::vector<vigil::test::Case> cases = {
      {"sites", sites},
      {"own site", own_site},
      {"tokens", [&] { tokens(folder); }},
      {"access", [&] { access(folder); }},
      {"notices", notices},
      {"audit", [&] { audit(folder); }},
      {"latest", latest},
      {"ranges", ranges},
      {"live", live},
      {"tiles", tiles},
      {"gates", gates},
      {"times", times},
      {"mqtt", mqtt},
      {"arenas", arenas},
      {"memory", memory},
  };
  return vigil::test::run_cases("monitor parts", cases);
}
