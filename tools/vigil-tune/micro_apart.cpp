// SPDX-License-Identifier: LGPL-2.1-or-later
#include "micro_apart.h"

#include "common/error.h"
#include "common/opencl/helper.h"
#include "tools/base/json.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/prctl.h>
#include <unistd.h>

namespace vigil::tune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double longest = 1800; // seconds, for all groups: a busy processor takes minutes

class TemporaryFile {
 public:
  TemporaryFile() : path_(fs::temp_directory_path() / "vigil-tune-XXXXXX") {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0)
      fail(Error::Kind::write, "no temporary file ", path_, " can be made: ", std::strerror(errno),
           "; name a folder that can be written in the environment variable TMPDIR");
    close(descriptor);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

// What a process left when it ended.
struct Part {
  std::vector<Measurement> found;
  std::optional<std::size_t> group; // that it began last
  bool done = false;
};

Part read_part(const std::string &path) {
  Part p;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const json j = json::parse(line, nullptr, false);
    if (!j.is_object()) break; // a line that was cut short
    if (j.contains("begins")) p.group = j["begins"].get<std::size_t>();
    p.done = j.contains("done");
    if (!j.contains("name")) continue;
    Measurement m{j["group"], j["name"], 0, "", j.value("missing", "")};
    if (m.missing.empty()) {
      m.unit = j["unit"];
      m.value = j["value"].is_null() ? std::numeric_limits<double>::quiet_NaN() : j["value"].get<double>();
    }
    p.found.push_back(m);
  }
  return p;
}

// How a process ended that was not done.
std::string end_of(const HelperResult &r) {
  std::string s = r.timed_out     ? text("the process that measures did not end within ", longest, " seconds")
                  : r.signal != 0 ? text("the driver ended the process that measures (signal ", r.signal,
                                         ", ", strsignal(r.signal), ")")
                                  : text("the process that measures ended (status ", r.status, ")");
  std::string words = r.words;
  std::replace(words.begin(), words.end(), '\n', ' ');
  words.erase(words.find_last_not_of(' ') + 1);
  return words.empty() ? s : s + ". Its last words: " + words;
}

} // namespace

std::vector<Measurement> microbenchmarks_apart(const ClDevice &d) {
  const std::vector<std::string> groups = micro_groups();
  const std::optional<std::size_t> number = number_of(d);
  if (!number) fail(Error::Kind::device, d.name(), " is not on OpenCL's list any more");
  std::error_code error;
  const std::string self = fs::read_symlink("/proc/self/exe", error).string();
  std::vector<Measurement> all;
  for (std::size_t first = 0; first < groups.size();) {
    const TemporaryFile results;
    const std::string arguments[] = {"--device",     std::to_string(*number), "--measure-into",
                                     results.path(), "--first-group",         std::to_string(first)};
    const HelperResult r = run_helper(self, arguments, "", longest);
    if (!r.ran)
      fail(Error::Kind::device, "vigil-tune cannot start itself (", self,
           ") to measure in a process of its own, or cannot see how that ends (SIGCHLD is ignored)");
    const Part part = read_part(results.path());
    all.insert(all.end(), part.found.begin(), part.found.end());
    if (part.done) return all;
    if (!part.group) fail(Error::Kind::device, "nothing can be measured on ", d.name(), ": ", end_of(r));
    all.push_back({groups.at(*part.group), "the rest", 0, "", end_of(r)});
    first = *part.group + 1;
  }
  return all;
}

void microbenchmarks_into(const std::string &path, ClDevice &d, std::size_t first) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody waits for what is measured when vigil-tune has been ended
  std::ofstream file(path, std::ios::app);
  const auto write = [&](const tools::JsonWriter &w) {
    file << w.text() << std::endl; // what is found is kept, whatever comes next
    if (!file) fail(Error::Kind::write, path, " cannot be written: ", std::strerror(errno));
  };
  const Listener listener{[&](std::size_t group) {
                            tools::JsonWriter w(false);
                            write(w.begin_object().member("begins", group).end_object());
                          },
                          [&](const Measurement &m) {
                            tools::JsonWriter w(false);
                            w.begin_object().member("group", m.group).member("name", m.name);
                            if (m.missing.empty())
                              w.member("value", m.value).member("unit", m.unit);
                            else
                              w.member("missing", m.missing);
                            write(w.end_object());
                          }};
  microbenchmarks(d, first, listener);
  tools::JsonWriter w(false);
  write(w.begin_object().member("done", true).end_object());
}

} // namespace vigil::tune
