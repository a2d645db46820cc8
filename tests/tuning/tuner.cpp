// SPDX-License-Identifier: LGPL-2.1-or-later
// The tuner on candidates that only count and pretend: what it chooses, what it remembers, and what disturbs
// it.
#include "common/tuning/tuner.h"

#include "common/opencl/cache.h"
#include "tests/unit.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace vigil::tuning {
namespace {

using test::expect;

namespace fs = std::filesystem;
using Outcome = Row::Outcome;

struct Counts {
  int built = 0, checked = 0, timed = 0;
};

const Key key{"a device", "1.0", "test", "0123", "rgba", "1..4"};

double clock_ms = 0; // of the tests that limit a search
double now() {
  return clock_ms / 1000;
}

// A variant that takes `ms`, builds for `build_ms` and is wrong when it says so.
Candidate variant(Counts &n, const char *name, double ms, int build_ms = 0, const char *wrong = "") {
  return {name,
          [&n, build_ms] {
            n.built++;
            clock_ms += build_ms;
          },
          [&n, wrong] {
            n.checked++;
            return std::string(wrong);
          },
          [&n, ms] {
            n.timed++;
            return ms;
          }};
}

// A cache directory of its own for each test.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "vigil-tuner-XXXXXX").string();
    path = mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
  }
  ~Folder() {
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_all, ignored);
    fs::remove_all(path, ignored);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &e : fs::recursive_directory_iterator(path))
      if (e.is_regular_file()) found.push_back(e.path());
    return found;
  }
};

void test_choice() {
  Folder folder;
  Counts n;
  const Candidate all[] = {variant(n, "standard", 2),
                           variant(n, "wrong", 0.5, 0, "pixel 3 differs"),
                           variant(n, "fast one", 1),
                           {"broken", [] { throw std::runtime_error("does not\ncompile"); }, {}, {}}};
  const Result r = choose(key, all, Mode::automatic);
  expect(r.searched && !r.stored && r.choice == 2, "the fastest correct variant is chosen");
  expect(r.rows.size() == 4 && r.rows[0].outcome == Outcome::measured && r.rows[0].ms == 2,
         "the default is measured");
  expect(r.rows[1].outcome == Outcome::wrong && r.rows[1].why == "pixel 3 differs",
         "a wrong variant says what differs");
  expect(r.rows[3].outcome == Outcome::failed && r.rows[3].why == "does not\ncompile",
         "a broken variant says why");

  n = {};
  const Result again = choose(key, all, Mode::automatic);
  expect(again.stored && !again.searched && again.choice == 2, "the second start takes what was stored");
  expect(n.built == 0 && n.checked == 0 && n.timed == 0, "the second start neither builds nor measures");
  expect(again.rows.size() == 4 && again.rows[2].ms == 1 && again.rows[3].why == "does not compile",
         "the table is stored");

  n = {};
  expect(choose(key, all, Mode::off).choice == 0 && n.built == 0, "off: the default without a build");
  expect(choose(key, all, Mode::exhaustive).searched && n.built > 0,
         "exhaustive is not content with a quick search");
  n = {};
  expect(choose(key, all, Mode::exhaustive).stored && n.built == 0, "an exhaustive search is remembered");
  expect(choose(key, all, Mode::automatic).stored && n.built == 0, "and is good enough for auto");
  expect(choose(key, all, Mode::automatic, {.again = true}).searched, "a search on demand");

  Key other = key;
  for (std::string Key::*part :
       {&Key::device, &Key::driver, &Key::kernel, &Key::source, &Key::format, &Key::size}) {
    other = key;
    other.*part += "2";
    expect(choose(other, all, Mode::automatic).searched, "each part of the key counts");
  }
  n = {};
  expect(choose(key, {all, 1}, Mode::automatic).choice == 0 && n.built == 0, "one variant is no choice");
  const Candidate fewer[] = {all[0], all[2]};
  expect(choose(key, fewer, Mode::automatic).searched, "other variants are searched again");
}

void test_noise() {
  Folder folder;
  Counts n;
  const Candidate all[] = {variant(n, "standard", 1), variant(n, "hardly faster", 0.99)};
  expect(choose(key, all, Mode::automatic).choice == 0, "1 % is no reason to leave the default");
  // One that was fast only while it was measured alone.
  int calls = 0;
  Candidate lucky = variant(n, "lucky", 0);
  lucky.time = [&] { return ++calls <= 5 ? 0.5 : 1.5; };
  const Candidate disturbed[] = {all[0], lucky};
  expect(choose(key, disturbed, Mode::automatic, {.again = true}).choice == 0,
         "the two are compared side by side");
}

void test_deadline() {
  Folder folder;
  Counts n;
  std::vector<Candidate> slow;
  const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (const char *name : names) slow.push_back(variant(n, name, 1, 100));
  const Result r = choose(key, slow, Mode::automatic, {.seconds = 0.35, .now = now});
  expect(std::abs(r.seconds - 0.3) < 1e-9, "a quick search ends in time");
  expect(n.built == 3, "it builds what fits into its time");
  expect(r.rows.back().outcome == Outcome::not_tried, "and says what it left out");
  expect(choose(key, slow, Mode::automatic).stored, "also an incomplete search is remembered");
  n = {};
  choose(key, slow, Mode::exhaustive, {.seconds = 0.35, .now = now});
  expect(n.built == 8, "an exhaustive one goes on to the end");
}

void write(const fs::path &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

void test_corruption() {
  Folder folder;
  Counts n;
  const Candidate all[] = {variant(n, "standard", 2), variant(n, "fast", 1)};
  choose(key, all, Mode::automatic);
  const auto files = folder.files();
  expect(files.size() == 1, "one file a key");
  std::ifstream in(files[0], std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t cut = 0; cut <= good.size(); cut += 7) {
    std::string bad = good.substr(0, cut);
    if (cut == 0) bad = "something else";
    if (cut + 7 > good.size()) bad = good + "x";
    write(files[0], bad);
    const Result r = choose(key, all, Mode::automatic);
    expect(r.searched && choose(key, all, Mode::automatic).stored,
           "a damaged file is ignored and written again");
  }
  for (std::size_t i = 0; i < good.size(); i += 3) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ 0x15);
    write(files[0], bad);
    expect(choose(key, all, Mode::automatic).searched, "a flipped byte is found");
  }
  // Another key's file under this key's name.
  Key other = key;
  other.device = "another device";
  choose(other, all, Mode::automatic);
  for (const fs::path &f : folder.files())
    if (f != files[0]) fs::copy_file(f, files[0], fs::copy_options::overwrite_existing);
  expect(choose(key, all, Mode::automatic).searched, "a foreign file is ignored");
  // Whole, but senseless: written by the cache itself.
  for (const char *content :
       {"", "search quick\n", "search quick\nchoice nobody\nrow measured 1 standard\nrow measured 1 fast\n",
        "search quick\nchoice fast\nrow measured 1 standard\nrow wrong 1 fast\n",
        "search quick\nchoice fast\nrow measured nan standard\nrow measured 1 fast\n",
        "search quick\nchoice fast\nrow measured -1 standard\nrow measured 1 fast\n"}) {
    FileCache(cache_directory("tuning")).write(key.text(), "tuning", content);
    expect(choose(key, all, Mode::automatic).searched, "a senseless content is ignored");
  }
}

void test_read_only() {
  Folder folder;
  std::vector<std::string> said;
  set_cache_log([&](const std::string &s) { said.push_back(s); });
  // A file where the directory should be: this stops root too, unlike permissions.
  write(folder.path / "vigil", "no directory");
  Counts n;
  const Candidate all[] = {variant(n, "standard", 2), variant(n, "fast", 1)};
  for (int i = 0; i < 3; i++)
    expect(choose(key, all, Mode::automatic).choice == 1, "without a cache each start searches and finds");
  expect(said.size() == 1, "that nothing can be kept is said once");
  set_cache_log({});
}

void test_processes() {
  Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 10; i++) {
    const pid_t pid = fork();
    if (pid == 0) {
      Counts n;
      const Candidate all[] = {variant(n, "standard", 2), variant(n, "fast", 1, 5)};
      bool good = true;
      for (int k = 0; k < 20; k++)
        good = good && choose(key, all, Mode::automatic, {.again = k % 2 == 0}).choice == 1;
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  bool good = true;
  for (const pid_t pid : children) {
    int status = 0;
    good = good && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  expect(good, "ten processes at once all get the fastest variant");
  Counts n;
  const Candidate all[] = {variant(n, "standard", 2), variant(n, "fast", 1)};
  expect(choose(key, all, Mode::automatic).stored && n.built == 0, "and leave a whole file");
  expect(folder.files().size() == 1, "and nothing else");
}

} // namespace
} // namespace vigil::tuning

int main() {
  using namespace vigil::tuning;
  const std::vector<vigil::test::Case> cases = {
      {"processes", test_processes}, {"choice", test_choice},         {"noise", test_noise},
      {"deadline", test_deadline},   {"corruption", test_corruption}, {"read only", test_read_only},
  };
  return vigil::test::run_cases("tuning tuner", cases);
}
