// SPDX-License-Identifier: LGPL-2.1-or-later
// What happens before the first kernel runs: the choice of a device, and the cache of programs when it is
// damaged, foreign, used by ten programs at once, or not writable. Exit status: 0 passed, 1 failed, 77
// skipped (no OpenCL device).
#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/program.h"
#include "common/opencl/program_lock.h"
#include "tests/unit.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace vigil;
namespace fs = std::filesystem;
using test::expect;

std::string refusal(const std::vector<ClCandidate> &all, const std::string &selector) {
  try {
    choose(all, selector);
    return {};
  } catch (const Error &e) {
    return e.kind() == Error::Kind::no_device ? e.what() : "of another kind";
  }
}
bool has(const std::string &s, const char *part) {
  return s.find(part) != std::string::npos;
}

void test_choice() {
  const ClCandidate cpu{nullptr, nullptr, CL_DEVICE_TYPE_CPU, "pthread-EPYC", "Portable Computing Language",
                        ""};
  const ClCandidate gpu{nullptr, nullptr, CL_DEVICE_TYPE_GPU, "NVIDIA H200", "NVIDIA CUDA", ""};
  const ClCandidate other{nullptr, nullptr, CL_DEVICE_TYPE_GPU, "Radeon", "rusticl", ""};
  const ClCandidate card{nullptr, nullptr, CL_DEVICE_TYPE_ACCELERATOR, "Card", "Cards", ""};
  ClCandidate old = other;
  old.unusable = "has OpenCL 1.1, OpenCL 1.2 is needed";
  expect(choose({cpu, card, gpu, other}, "") == 2, "the first GPU is taken");
  expect(choose({cpu, card}, "") == 1, "without a GPU the accelerator is taken");
  expect(choose({cpu}, "") == 0, "without either the CPU is taken");
  expect(choose({old, gpu}, "") == 1, "a device that is too old is passed over");
  expect(choose({cpu, gpu, other}, "2") == 2, "a number means a device of the list");
  expect(choose({cpu, gpu, other}, "radeON") == 2, "a part of a name is found in upper and lower case");
  expect(choose({cpu, gpu, other}, "portable") == 0, "a part of the platform's name is found");
  expect(has(refusal({}, ""), "pocl-opencl-icd"), "without a platform the error names the package");
  expect(has(refusal({}, "0"), "pocl-opencl-icd"), "the same with a selector");
  const std::string none = refusal({cpu, gpu}, "Arc");
  expect(has(none, "Arc") && has(none, "0: pthread-EPYC") && has(none, "1: NVIDIA H200 (GPU, NVIDIA CUDA)"),
         "a name that fits nothing: the error lists what there is");
  expect(has(refusal({cpu, gpu}, "2"), "1: NVIDIA H200"), "a number beyond the list: the same");
  expect(has(refusal({cpu, gpu}, "99999999999999999999"), "1: NVIDIA H200"),
         "a number of many digits: the same");
  expect(has(refusal({old}, "Radeon"), "OpenCL 1.2 is needed"), "a device that is too old says so");
}

void put(const fs::path &path, const std::string &s) {
  std::ofstream(path, std::ios::binary) << s;
}

// One holder at a time for each program; not permanently, and not beyond the holder's end.
void test_lock(const fs::path &base) {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  const std::string path = base / "made" / "programs.lock";
  {
    const ProgramLock first(path, "a program");
    expect(first.held(), "a program's lock is given");
    const auto start = clock::now();
    const ProgramLock second(path, "a program", 200ms);
    const auto waited = clock::now() - start;
    expect(!second.held() && waited >= 200ms && waited < 20s,
           "a second holder waits, and goes on without it");
    expect(ProgramLock(path, "another program", 0ms).held(), "another program's lock is free meanwhile");
  }
  expect(ProgramLock(path, "a program", 0ms).held(), "it is free after its holder");
  int ready[2] = {};
  if (pipe(ready) != 0) fail(Error::Kind::io, "no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const ProgramLock lock(path, "a program");
    if (!lock.held() || write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ready[1]);
  char byte = 0;
  const bool holds = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  expect(holds && !ProgramLock(path, "a program", 0ms).held(), "another process holds it");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  expect(ProgramLock(path, "a program", 0ms).held(), "it is free when that process was killed");
  put(base / "file", "");
  expect(!ProgramLock(base / "file" / "programs.lock", "a program").held(),
         "where no file can be made nothing is waited for");
}

constexpr const char *source = "kernel void five(global int *p) { p[0] = 5; }";

// Builds the program and runs it; true when the result is right.
bool works(ClDevice &device, bool *from_cache = nullptr) {
  const ClProgram program(device, "five.cl", source, "");
  if (from_cache) *from_cache = program.from_cache();
  DeviceBuffer memory(device, sizeof(int));
  ClQueue queue(device);
  int result = 0;
  program.kernel("five").launch(queue, {1, 1}, {1, 1}, device.range_of(memory.as()).memory);
  device.download(&result, memory.as(), sizeof result, queue);
  queue.wait();
  return result == 5;
}

std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return std::move(all).str();
}
std::vector<fs::path> files_in(const fs::path &folder) {
  std::vector<fs::path> all;
  for (const auto &f : fs::directory_iterator(folder)) all.push_back(f.path());
  return all;
}

void test_cache(ClDevice &device, const fs::path &folder) {
  bool cached = true;
  expect(works(device, &cached) && !cached, "the first start compiles");
  expect(works(device, &cached) && cached, "the second start takes the binary");
  const auto files = files_in(folder);
  expect(files.size() == 1, "one file is kept");
  if (files.size() != 1) return;
  const std::string good = contents(files[0]);
  std::string flipped = good, foreign = good;
  flipped[good.size() - good.size() / 4] ^= 0x10;
  const auto at = foreign.find(device.driver_version());
  if (at != std::string::npos) foreign[at] ^= 1;
  const struct {
    const char *what;
    std::string bytes;
  } damages[] = {
      {"an empty file", ""},
      {"a file cut in half", good.substr(0, good.size() / 2)},
      {"a file with a flipped bit", flipped},
      {"another driver's file", foreign},
      {"a file that goes on", good + "x"},
      {"a file of something else", std::string(5000, '\n')},
      {"a header with huge sizes", "vigil cache 1\n18446744073709551615 18446744073709551615 0\nabc"}};
  for (const auto &d : damages) {
    put(files[0], d.bytes);
    expect(works(device, &cached) && !cached, text(d.what, " is ignored"));
    expect(works(device, &cached) && cached, text(d.what, " is rewritten"));
  }
  // A whole envelope around bytes that the driver cannot take.
  const FileCache cache(folder.string());
  cache.write(ClProgram(device, "five.cl", source, "").key(), "clbin", "not a program");
  expect(works(device, &cached) && !cached, "a binary that the driver refuses is ignored");
  expect(works(device, &cached) && cached, "a binary that the driver refuses is rewritten");
}

constexpr int compiled = 3; // exit status of --once where the program was not in the cache

// Each in a process of its own, all with the same empty cache.
void test_ten_starts(const fs::path &folder) {
  for (const auto &f : files_in(folder)) fs::remove(f);
  std::vector<pid_t> children;
  for (int i = 0; i < 10; i++) {
    const pid_t child = fork();
    if (child == 0) {
      char self[] = "/proc/self/exe", once[] = "--once", *args[] = {self, once, nullptr};
      execv(self, args);
      _exit(9);
    }
    children.push_back(child);
  }
  int good = 0, compilations = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    const bool compiles = WIFEXITED(status) && WEXITSTATUS(status) == compiled;
    const bool works = compiles || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (!works)
      std::printf("     one start ended %s %d\n", WIFSIGNALED(status) ? "by signal" : "with status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    good += works;
    compilations += compiles;
  }
  expect(good == 10, text("ten starts at once: ", good, " work"));
  expect(compilations == 1, text("one of them compiles, the others wait for it: ", compilations));
  const auto files = files_in(folder);
  expect(files.size() == 1 && files[0].extension() == ".clbin",
         "they leave one file and nothing half written");
}

void test_unwritable(ClDevice &device, const fs::path &base) {
  // A file where a directory should be stops root too, whom permissions do not.
  const fs::path blocked = base / "blocked";
  put(blocked, "");
  setenv("XDG_CACHE_HOME", blocked.c_str(), 1);
  std::vector<std::string> said;
  set_cache_log([&](const std::string &s) { said.push_back(s); });
  expect(works(device) && works(device), "a cache that cannot be written costs no result");
  expect(said.size() == 1 && has(said[0], blocked.c_str()), "and is reported once, with the directory");
  if (geteuid() != 0) {
    const fs::path locked = base / "locked";
    fs::create_directories(locked / "vigil" / "opencl");
    fs::permissions(locked / "vigil" / "opencl", fs::perms::owner_read | fs::perms::owner_exec);
    setenv("XDG_CACHE_HOME", locked.c_str(), 1);
    expect(works(device) && works(device), "a read-only cache costs no result");
    expect(said.size() == 2, "and is reported once");
    fs::permissions(locked / "vigil" / "opencl", fs::perms::owner_all);
  } else
    std::printf("     (running as root: a directory without write permission is not tried)\n");
  set_cache_log({});
}

// A compiler that ends the process that it runs in is played by a script in the place of vigil-cl-build.
void test_compiler_that_breaks_down(ClDevice &device, const fs::path &base) {
  const fs::path cache = base / "fresh", script = base / "breaks-down";
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  put(script, "#!/bin/sh\necho 'LLVM ERROR: played' >&2\nkill -ABRT $$\n");
  fs::permissions(script, fs::perms::owner_all);
  setenv("VIGIL_CL_BUILD", script.c_str(), 1);
  std::string said;
  try {
    works(device);
  } catch (const Error &e) {
    said = e.what();
  }
  expect(has(said, "broke down") && has(said, "LLVM ERROR: played") && has(said, "five.cl") &&
             has(said, "device"),
         text("a compiler that ends its process is an error: ", said));
  if (const char *helper = std::getenv("VIGIL_REAL_CL_BUILD")) {
    setenv("VIGIL_CL_BUILD", helper, 1);
    bool cached = false;
    expect(works(device, &cached) && cached, "what the helper compiled is taken");
    setenv("VIGIL_CL_BUILD", script.c_str(), 1);
    const ClProgram other(device, "five.cl", source, "-D OTHER");
    expect(!other.from_cache(), "a source is tried once for a device and driver");
  }
  setenv("VIGIL_CL_BUILD", "/nowhere/vigil-cl-build", 1);
  const ClProgram without(device, "six.cl", "kernel void six(global int *p) { p[0] = 6; }", "");
  expect(static_cast<bool>(without), "without a helper it is compiled here");
  setenv("VIGIL_CL_BUILD", "", 1);
}

int run(bool once) {
  char name[] = "/tmp/vigil-opencl-XXXXXX";
  std::unique_ptr<ClDevice> device;
  try {
    device = open_cl();
  } catch (const Error &e) {
    std::printf("SKIPPED: %s\n", e.what());
  }
  if (once) {
    bool from_cache = false;
    return !device ? test::skipped : !works(*device, &from_cache) ? 1 : from_cache ? 0 : compiled;
  }
  if (!mkdtemp(name)) fail(Error::Kind::io, "no temporary directory");
  const fs::path base = name;
  std::vector<test::Case> cases = {{"choice", test_choice}, {"lock", [&] { test_lock(base); }}};
  fs::path folder;
  if (device)
    cases.insert(cases.end(),
                 {{"cache",
                   [&] {
                     setenv("XDG_CACHE_HOME", base.c_str(), 1);
                     folder = cache_directory("opencl");
                     test_cache(*device, folder);
                   }},
                  {"ten starts", [&] { test_ten_starts(folder); }},
                  {"unwritable", [&] { test_unwritable(*device, base); }},
                  {"compiler that breaks down", [&] { test_compiler_that_breaks_down(*device, base); }}});
  const int status = test::run_cases("opencl start", cases);
  fs::remove_all(base);
  return status == 0 && !device ? test::skipped : status;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc == 2 && std::string_view(argv[1]) == "--once");
  } catch (const std::exception &e) {
    std::fprintf(stderr, "opencl-start: %s\n", e.what());
    return 1;
  }
}
