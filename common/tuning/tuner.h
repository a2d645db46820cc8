// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses among variants of a kernel by trying them: each is built, its results checked, and timed by the
// device's own clock; the fastest correct one is kept, and remembered for the next start.
//
// The first candidate is the default: what is used without a search, when all else fails, and unless another
// one is faster by more than noise. A search in Mode::automatic ends after Limits::seconds; it looks at the
// clock before each build and expects the next one to take as long as the longest so far. What was found is
// kept in the user's cache directory ("tuning") under everything that it depends on, see Key; a file that is
// damaged, foreign, or names a variant that no longer exists, counts as absent and is written again. Files
// are replaced as a whole, so any number of programs may search at once: the last one's result stays.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vigil::tuning {

enum class Mode {
  automatic,  // what was stored, else a quick search
  off,        // the default, at once
  exhaustive, // what an exhaustive search stored, else one: all candidates, more measurements
};

struct Key {
  std::string device, driver; // as they call themselves
  std::string kernel;         // "filter"
  std::string source;         // a hash of the kernel's source
  std::string format, size;   // of the pictures; a class of radii or whatever else divides the cases
  std::string text() const;
};

// The functions are called in this order, from the thread that searches; one that throws std::exception ends
// its candidate.
struct Candidate {
  std::string name;
  std::function<void()> prepare;       // builds, and runs once
  std::function<std::string()> verify; // what is wrong with its results; empty: within tolerance
  std::function<double()> time;        // milliseconds of one run
};

struct Row {
  enum class Outcome { measured, wrong, failed, not_tried };
  std::string name;
  Outcome outcome = Outcome::not_tried;
  double ms = 0;   // when measured
  std::string why; // when wrong or failed
};
const char *name_of(Row::Outcome);

struct Result {
  std::size_t choice = 0; // of the candidates
  bool searched = false;  // now; otherwise the choice was stored, or is the default
  bool stored = false;    // the choice was stored
  std::vector<Row>
      rows;           // of this or the stored search, one a candidate; none where there is nothing to choose
  double seconds = 0; // what the search took
};

double steady_seconds();
struct Limits {
  double seconds = 1.5;                         // for a search in Mode::automatic
  double advantage = 0.03;                      // by which a candidate must beat the default
  bool again = false;                           // search also when there is a result
  std::function<double()> now = steady_seconds; // the clock by which a search is limited
};

Result choose(const Key &, std::span<const Candidate>, Mode, const Limits & = {});
} // namespace vigil::tuning
