// SPDX-License-Identifier: LGPL-2.1-or-later
// Borders to foreign code: exceptions on their way into C, words of devices on their way into the log, and
// messages to the service manager.
#include "common/error.h"
#include "common/guarded.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/ending_thread.h"
#include "tools/vigil-monitor/last_resort.h"
#include "tools/vigil-monitor/printable.h"
#include "tools/vigil-monitor/service_manager.h"
#include "tools/vigil-monitor/worker.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

using namespace std::chrono_literals;

std::mutex lock;
std::vector<std::string> said;
void note(const std::string &line) {
  const std::lock_guard held(lock);
  said.push_back(line);
}

int kind_of(int what, void *) {
  if (what == 1) fail(Error::Kind::io, "of ours");
  if (what == 2) return nlohmann::json::parse("no JSON").get<int>();
  if (what == 3) throw std::filesystem::filesystem_error("a folder", std::error_code());
  if (what == 4) throw 7;
  return 5;
}
void throwing(void *) {
  throw std::runtime_error("once more");
}

// As C calls it.
extern "C" using Callback = int(int, void *);
int call(Callback *f, int what) {
  return f(what, nullptr);
}

void callbacks() {
  log_at_borders(note);
  expect(call(guarded<kind_of, -1>, 0) == 5, "what it returns");
  for (int what = 1; what <= 4; what++)
    expect(call(guarded<kind_of, -1>, what) == -1, "what it returns when it throws " + std::to_string(what));
  expect(call(guarded<kind_of>, 1) == 0, "zero without another value");
  expect(said.size() == 1 && said[0].starts_with("kind_of: of ours"),
         "one line, with its name: " + said.at(0));
  guarded<throwing>(nullptr);
  expect(said.size() == 2 && said[1].starts_with("throwing: once more"),
         "another place has a line of its own");
  expect(!guard("here", [] { throw std::bad_alloc(); }) && guard("here", [] {}),
         "guard() says whether it threw");
}

void threads() {
  {
    EndingThread t;
    t.begin("a thread", [] { throw 7; });
    expect(t.ends_within(30s), "a thread whose function throws ends");
  }
  std::latch free(1);
  EndingThread t;
  t.begin("another", [&] { free.wait(); });
  expect(!t.ends_within(20ms), "the wait for a thread that hangs has a limit");
  free.count_down();
  expect(t.ends_within(30s), "and ends later");

  std::atomic<int> done = 0;
  Worker w(8, note);
  w.add([] { throw 7; });
  w.add([&] { done++; });
  w.stop();
  expect(done == 1, "a worker goes on after a task that throws no std::exception");

  std::atomic<int> acted = 0;
  {
    const LastResort in_time(60s, [&] { acted++; });
  }
  expect(acted == 0, "nothing is done to what ends in time");
  std::latch late(1);
  const LastResort too_late(10ms, [&] {
    acted++;
    late.count_down();
  });
  late.wait();
  expect(acted == 1, "something takes too long");
}

void words() {
  const auto same = [](std::string_view in, const std::string &out) {
    expect(printable(in) == out, "'" + printable(in) + "', expected '" + out + "'");
  };
  same("a street, in Köln: 東京", "a street, in Köln: 東京");
  same("\x1b]0;owned\x07\x1b[2J", "\\x1b]0;owned\\x07\\x1b[2J");
  same(std::string_view("a\0b", 3), "a\\x00b");
  same("\x7f", "\\x7f");
  same("C1: \xc2\x9b"
       "31m",
       "C1: \\x9b31m"); // in UTF-8
  same("a byte: \x9b"
       "31m",
       "a byte: \\x9b31m");
  same("one\r\ntwo\tthree", "one  two three");
  same("\u202egpj.exe", "\\u202egpj.exe");
  same("cut \xe6\x9d", "cut \\xe6\\x9d");
  same("overlong \xc0\xaf, a surrogate \xed\xa0\x80", "overlong \\xc0\\xaf, a surrogate \\xed\\xa0\\x80");
  const std::string many(3000, 'x');
  expect(printable(many, most_said) == std::string(most_said, 'x') + "...", "200 characters are the most");
  std::string letters;
  for (int i = 0; i < 300; i++) letters += "ö";
  expect(printable(letters, most_said).size() == 2 * most_said + 3, "characters, not bytes");
  std::string all;
  for (int i = 0; i < 256; i++) all += static_cast<char>(i);
  expect(nlohmann::json(printable(all)).dump().size() > 256, "any bytes become JSON");
}

void service() {
  notify_service_manager("READY=1"); // without a service manager
  expect(!watchdog_period(), "no watchdog");
  const std::string name = "vigil-test-borders-" + std::to_string(getpid());
  const int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{}; // of an abstract socket: its name begins with a zero
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const std::size_t size = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  expect(!bind(s, reinterpret_cast<const sockaddr *>(&address), static_cast<socklen_t>(size)), "a socket");
  setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  notify_service_manager("READY=1");
  char got[64] = {};
  expect(recv(s, got, sizeof got - 1, MSG_DONTWAIT) == 7 && std::string(got) == "READY=1", got);
  setenv("WATCHDOG_USEC", "60000000", 1);
  expect(watchdog_period() == 20s, "three times within the limit");
  setenv("WATCHDOG_PID", "1", 1);
  expect(!watchdog_period(), "of another process");
  unsetenv("WATCHDOG_PID");
  setenv("WATCHDOG_USEC", "soon", 1);
  expect(!watchdog_period(), "no number");
  close(s);
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"callbacks", callbacks},
      {"threads", threads},
      {"words", words},
      {"service", service},
  };
  return vigil::test::run_cases("monitor borders", cases);
}
