// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/tuning/tuner.h"

#include "common/error.h"
#include "common/opencl/cache.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>

namespace vigil::tuning {
namespace {

using Outcome = Row::Outcome;
constexpr const char *extension = "tuning";
constexpr int quick_runs = 5, exhaustive_runs = 15, duel_rounds = 7;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

FileCache cache() {
  return FileCache(cache_directory("tuning"));
}

// The file's content, a line each: "search exhaustive" or "search quick", "choice NAME", and for each
// candidate "row OUTCOME MS NAME", then "why TEXT" when there is something to say.
std::string written(const Result &r, bool exhaustive) {
  std::string s =
      text("search ", exhaustive ? "exhaustive" : "quick", "\nchoice ", r.rows[r.choice].name, "\n");
  for (const Row &row : r.rows) {
    char ms[32];
    const auto end = std::to_chars(ms, ms + sizeof ms, row.ms).ptr;
    s += text("row ", name_of(row.outcome), " ", std::string_view(ms, std::size_t(end - ms)), " ", row.name,
              "\n");
    std::string why = row.why;
    std::replace(why.begin(), why.end(), '\n', ' ');
    if (!why.empty()) s += text("why ", why, "\n");
  }
  return s;
}

struct Stored {
  Result result;
  bool exhaustive = false;
};
// Nothing when the text is not all of what written() writes for these candidates.
std::optional<Stored> read(const std::string &content, std::span<const Candidate> candidates) {
  Stored s;
  std::string choice;
  bool search = false;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, first;
    words >> what;
    if (what == "search") {
      words >> first;
      if (first != "quick" && first != "exhaustive") return {};
      s.exhaustive = first == "exhaustive";
      search = true;
    } else if (what == "choice") {
      std::getline(words >> std::ws, choice);
    } else if (what == "why" && !s.result.rows.empty()) {
      std::getline(words >> std::ws, s.result.rows.back().why);
    } else if (what == "row") {
      Row row;
      std::string ms;
      words >> first >> ms;
      std::getline(words >> std::ws, row.name);
      const auto end = ms.data() + ms.size();
      if (std::from_chars(ms.data(), end, row.ms).ptr != end || !(row.ms >= 0)) return {};
      bool known = false;
      for (const Outcome o : {Outcome::measured, Outcome::wrong, Outcome::failed, Outcome::not_tried})
        if (first == name_of(o)) {
          row.outcome = o;
          known = true;
        }
      if (!known) return {};
      s.result.rows.push_back(row);
    } else {
      return {};
    }
  }
  if (!search || s.result.rows.size() != candidates.size()) return {};
  for (std::size_t i = 0; i < candidates.size(); i++) {
    if (s.result.rows[i].name != candidates[i].name) return {};
    if (candidates[i].name == choice) s.result.choice = i;
  }
  // The default is chosen also when nothing could be measured.
  if (s.result.rows[s.result.choice].name != choice ||
      (s.result.choice != 0 && s.result.rows[s.result.choice].outcome != Outcome::measured))
    return {};
  s.result.stored = true;
  return s;
}

// Builds, checks and times one candidate.
Row attempt(const Candidate &c, int runs, const std::function<bool()> &late) {
  Row row{c.name, Outcome::failed, 0, {}};
  try {
    c.prepare();
    row.why = c.verify();
    if (!row.why.empty()) {
      row.outcome = Outcome::wrong;
      return row;
    }
    std::vector<double> ms;
    for (int i = 0; i < runs && (i == 0 || !late()); i++) ms.push_back(c.time());
    row.ms = median(ms);
    row.outcome = Outcome::measured;
  } catch (const std::exception &e) {
    row.why = e.what();
  }
  return row;
}

// Measures the default and the fastest in turn, so that both meet the same disturbances. True when the
// fastest is.
bool wins(const Candidate &standard, const Candidate &fastest, Row &standard_row, Row &fastest_row,
          double advantage, const std::function<bool()> &late) {
  std::vector<double> a, b;
  try {
    for (int i = 0; i < duel_rounds && (i == 0 || !late()); i++) {
      a.push_back(standard.time());
      b.push_back(fastest.time());
    }
  } catch (const std::exception &e) {
    fastest_row = {fastest.name, Outcome::failed, 0, e.what()};
    return false;
  }
  standard_row.ms = median(a);
  fastest_row.ms = median(b);
  return fastest_row.ms < (1 - advantage) * standard_row.ms;
}

Result search(std::span<const Candidate> candidates, bool exhaustive, const Limits &limits) {
  const double start = limits.now();
  const auto seconds_since = [&](double t) { return limits.now() - t; };
  const auto late = [&] { return !exhaustive && seconds_since(start) > limits.seconds; };
  Result r;
  r.searched = true;
  double longest = 0;
  for (const Candidate &c : candidates) {
    // The default must be built anyway.
    if (!r.rows.empty() && !exhaustive && seconds_since(start) + longest > limits.seconds) {
      r.rows.push_back({c.name, Outcome::not_tried, 0, {}});
      continue;
    }
    const double begun = limits.now();
    r.rows.push_back(attempt(c, exhaustive ? exhaustive_runs : quick_runs, late));
    longest = std::max(longest, seconds_since(begun));
  }
  const auto measured = [&](std::size_t i) { return r.rows[i].outcome == Outcome::measured; };
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < candidates.size(); i++)
    if (measured(i) && (!measured(fastest) || r.rows[i].ms < r.rows[fastest].ms)) fastest = i;
  if (fastest != 0 && (!measured(0) || wins(candidates[0], candidates[fastest], r.rows[0], r.rows[fastest],
                                            limits.advantage, late)))
    r.choice = fastest;
  r.seconds = seconds_since(start);
  return r;
}

} // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const char *name_of(Outcome o) {
  switch (o) {
  case Outcome::measured:
    return "measured";
  case Outcome::wrong:
    return "wrong";
  case Outcome::failed:
    return "failed";
  default:
    return "not-tried";
  }
}

std::string Key::text() const {
  return vigil::text("tuning 1\ndevice ", device, "\ndriver ", driver, "\nkernel ", kernel, "\nsource ",
                     source, "\nformat ", format, "\nsize ", size, "\n");
}

Result choose(const Key &key, std::span<const Candidate> candidates, Mode mode, const Limits &limits) {
  if (candidates.empty()) fail(Error::Kind::bad_setting, "there is no variant of ", key.kernel);
  if (mode == Mode::off || (candidates.size() == 1 && !limits.again)) return {}; // nothing to choose
  const bool exhaustive = mode == Mode::exhaustive;
  if (!limits.again)
    if (const auto content = cache().read(key.text(), extension))
      if (const auto stored = read(*content, candidates); stored && (stored->exhaustive || !exhaustive))
        return stored->result;
  const Result r = search(candidates, exhaustive, limits);
  // A default that does not work here is for the caller to run into, not to be remembered.
  if (r.rows[r.choice].outcome == Outcome::measured)
    cache().write(key.text(), extension, written(r, exhaustive));
  return r;
}

} // namespace vigil::tuning
