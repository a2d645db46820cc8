// SPDX-License-Identifier: LGPL-2.1-or-later
// The answers of a detector about one track: one for each frame, or one once in a while. The score of a name
// is the sum of its scores over the number of all answers, so an answer of another name, or of none, counts
// against it.
#pragma once

#include "kernels/label/classifier.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace vigil::label {

class Votes {
 public:
  // `name` empty: an answer that finds nothing. One that is no name counts as that.
  void add(const std::string &name, double score) {
    count_++;
    if (!is_name(name) || (sums_.size() >= most_names && !sums_.count(name))) return;
    sums_[name] += score > 0 ? std::min(score, 1.) : 0; // nor is NaN a score
  }
  // The name with the highest score; of equal ones the first by the alphabet. None: nothing was found.
  std::optional<NameScore> best() const {
    const auto less = [](const auto &a, const auto &b) { return a.second < b.second; };
    const auto best = std::max_element(sums_.begin(), sums_.end(), less);
    if (best == sums_.end()) return std::nullopt;
    return NameScore{best->first, best->second / static_cast<double>(count_)};
  }

 private:
  static constexpr std::size_t most_names = 16;
  std::map<std::string, double> sums_;
  std::size_t count_ = 0;
};

} // namespace vigil::label
