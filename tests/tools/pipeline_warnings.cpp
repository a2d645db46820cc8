// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines of several threads, as those of vigil-scan. What they warn of at the same time is said, each text
// once. Elements that come while others are looked for are found. Work is done on the threads that there are.
#include "tests/unit.h"
#include "tools/base/iterate.h"
#include "tools/base/pipeline.h"
#include "tools/base/side_by_side.h"

#include <atomic>
#include <barrier>
#include <cstdio>
#include <gst/gst.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace vigil;
using test::expect;

namespace {

constexpr int rounds = 5, threads = 8, texts = 6000, shared = 3000;

// The first `shared` texts of a round are the same in all threads. All begin alike, so that to compare them
// takes long.
std::string text_of(int round, int thread, int i) {
  return std::string(500, '.') + (i < shared ? "of all " : "of " + std::to_string(thread) + " ") +
         std::to_string(round) + " " + std::to_string(i);
}

void warn_and_work_off(int round, int thread, std::barrier<> &together) {
  tools::Pipeline pipeline;
  for (int i = 0; i < texts; i++) {
    const std::string words = text_of(round, thread, i);
    GError *error = g_error_new(GST_CORE_ERROR, GST_CORE_ERROR_FAILED, "%s", words.c_str());
    gst_element_post_message(pipeline.element(),
                             gst_message_new_warning(GST_OBJECT(pipeline.element()), error, nullptr));
    g_error_free(error);
  }
  together.arrive_and_wait();
  pipeline.work_off_messages();
}

void each_warning_is_said_once() {
  std::FILE *said = std::tmpfile();
  expect(said != nullptr, "there is a place for what is said");
  if (!said) return;
  const int before = dup(STDERR_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  for (int round = 0; round < rounds; round++) {
    std::barrier together(threads);
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++) all.emplace_back([&, i] { warn_and_work_off(round, i, together); });
    for (std::thread &t : all) t.join();
  }
  dup2(before, STDERR_FILENO);

  std::rewind(said);
  std::map<std::string, int> times;
  char line[2000];
  while (std::fgets(line, sizeof line, said)) {
    const std::string words = line;
    if (const auto at = words.find("of "); at != std::string::npos) times[words.substr(at)]++;
  }
  std::fclose(said);
  bool once = true;
  for (const auto &[words, n] : times) once = once && n == 1;
  expect(times.size() == rounds * (shared + threads * (texts - shared)), "each warning is said");
  expect(once, "each is said once");
}

void a_bin_that_changes() {
  const tools::Pipeline pipeline;
  pipeline.add(tools::make_element("identity"));
  GstIterator *all = gst_bin_iterate_elements(pipeline.bin());
  pipeline.add(tools::make_element("identity"));
  expect(tools::all_of<GstElement>(all).size() == 2, "an element that comes meanwhile is found, too");
}

// More threads than the system gives: there is no room for their stacks.
void fewer_threads() {
  constexpr int tasks = 1000, many = 100;
  std::atomic<int> next = 0, done = 0;
  const auto work = [&] {
    while (next++ < tasks) done++;
  };
  tools::side_by_side(3, work);
  expect(done == tasks, "all tasks are done");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which need all addresses
  next = done = 0;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit none = before;
  none.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_AS, &none);
  tools::side_by_side(many, work); // some have the stacks of threads that ended
  setrlimit(RLIMIT_AS, &before);
  expect(done == tasks, "and with fewer threads they are, too");
#endif
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return test::run_cases("pipeline warnings", {{"each warning is said once", each_warning_is_said_once},
                                               {"a bin that changes", a_bin_that_changes},
                                               {"fewer threads", fewer_threads}});
}
