// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-monitor's threads ask of each other, and how they end. Usage: test-monitor-threads FOLDER
#include "tests/unit.h"
#include "tools/vigil-monitor/call_on_loop.h"
#include "tools/vigil-monitor/deleted_events.h"
#include "tools/vigil-monitor/notify/webhook.h"
#include "tools/vigil-monitor/reaper.h"
#include "tools/vigil-monitor/worker.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

using namespace std::chrono_literals;

// A main loop whose turns the test gives.
struct Loop {
  std::vector<std::function<void()>> tasks;
  auto post() {
    return [this](std::function<void()> f) { tasks.push_back(std::move(f)); };
  }
};

bool is_busy(const std::function<void()> &f) {
  try {
    f();
  } catch (const std::runtime_error &e) {
    return std::string(e.what()).find("busy") != std::string::npos;
  }
  return false;
}

void questions() {
  Loop loop;
  int runs = 0;
  expect(is_busy([&] {
           ask(
               loop.post(), [&] { return ++runs; }, 5ms);
         }),
         "nobody answers: the program is busy");
  expect(loop.tasks.size() == 1, "the question was put");
  for (const auto &task : loop.tasks) task();
  expect(runs == 0, "who does not wait any more is not answered: what the question refers to may be gone");

  const auto at_once = [](const std::function<void()> &f) { f(); };
  expect(ask(
             at_once, [] { return 7; }, 5ms) == 7,
         "an answer");
  std::string said;
  try {
    ask(
        at_once, []() -> int { throw std::invalid_argument("of the question"); }, 5ms);
  } catch (const std::invalid_argument &e) {
    said = e.what();
  }
  expect(said == "of the question", "what the question throws reaches who asked");

  std::thread other;
  int answer = 0;
  const auto slowly = [&](std::function<void()> f) { other = std::thread(std::move(f)); };
  ask(
      slowly,
      [&answer] {
        std::this_thread::sleep_for(3s);
        answer = 3;
      },
      1s); // a busy machine begins it within this time
  expect(answer == 3, "what has begun is waited for");
  other.join();
}

// The end comes while the thread that sends falls asleep for an hour, or shortly before.
void ends(const std::string &folder) {
  const std::string path = folder + "/events.db";
  std::filesystem::remove(path);
  EventStore store(path);
  constexpr int times = 4000;
#ifdef __SANITIZE_THREAD__
  constexpr unsigned seconds = 2500; // a thread takes some ten times as long to begin and end
#else
  constexpr unsigned seconds = 250;
#endif
  alarm(seconds); // ends a test that hangs
  for (int i = 0; i < times; i++) {
    Webhook w("http://127.0.0.1:1/", store, [](const std::string &) {});
    std::this_thread::sleep_for(std::chrono::microseconds(i % 200));
  }
  alarm(0);
  expect(true, "a webhook ends at once");
}

// What a task owns, a pipeline say, ends on the task's thread, however soon that ends.
void reaping() {
  Reaper reaper;
  const auto here = std::this_thread::get_id();
  std::atomic<int> ended = 0, ended_here = 0;
  constexpr int times = 20'000;
  for (int i = 0; i < times; i++) {
    std::shared_ptr<int> owned(new int(i), [&](const int *p) {
      delete p;
      ended++;
      if (std::this_thread::get_id() == here) ended_here++;
    });
    reaper.add([p = std::move(owned)]() mutable { p.reset(); });
    std::shared_ptr<int> left(new int(i), [&](const int *p) {
      delete p;
      ended++;
      if (std::this_thread::get_id() == here) ended_here++;
    });
    reaper.add([p = std::move(left)] {});
    while (reaper.running() > 100) std::this_thread::yield();
  }
  expect(reaper.wait(60s) && ended == 2 * times, "all have ended: " + std::to_string(ended));
  expect(ended_here == 0,
         "none of them here: " + std::to_string(ended_here) + " of " + std::to_string(ended));
}

// A queue that is full takes what is needed, in order, and refuses the rest.
void full_queue() {
  std::vector<int> done;
  std::latch blocked(1), begun(1);
  Worker worker(2, [](const std::string &) {});
  worker.add([&] {
    begun.count_down();
    blocked.wait();
  });
  begun.wait();
  expect(worker.add([&] { done.push_back(1); }) && worker.add([&] { done.push_back(2); }), "it is taken");
  expect(!worker.add([&] { done.push_back(0); }), "a full queue");
  expect(worker.add_needed([&] { done.push_back(3); }) && worker.add_needed([&] { done.push_back(4); }),
         "what is needed");
  int taken = 0;
  while (taken < 1000 && worker.add_needed([] {})) taken++;
  expect(taken == 46, "not without an end: " + std::to_string(taken));
  blocked.count_down();
  worker.stop();
  expect(done == std::vector<int>{1, 2, 3, 4}, "in order");
  expect(!worker.add_needed([] {}), "one that has ended takes nothing");

  DeletedEvents deleted;
  deleted.add("a");
  deleted.add("a");
  for (std::size_t i = 1; i < DeletedEvents::most; i++) deleted.add(std::to_string(i));
  expect(deleted.has("a") && !deleted.has("b"), "what was deleted");
  deleted.add("b");
  expect(!deleted.has("a") && deleted.has("1") && deleted.has("b"), "the last of them are remembered");
}

} // namespace

int main(int, char **argv) {
  const std::string folder = std::string(argv[1]) + "/monitor-threads";
  std::filesystem::create_directories(folder);
  const std::vector<vigil::test::Case> cases = {
      {"questions", questions},
      {"reaping", reaping},
      {"full queue", full_queue},
      {"ends", [&] { ends(folder); }},
  };
  return vigil::test::run_cases("monitor threads", cases);
}
