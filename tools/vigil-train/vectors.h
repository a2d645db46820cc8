// SPDX-License-Identifier: LGPL-2.1-or-later
// Fisher vectors of labelled frames.
#pragma once

#include "engine.h"
#include "labels.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace vigil::train {

struct FeatureOptions {
  std::string filter;    // see media.h
  int every = 1;         // frames 1, 1 + every, ...
  std::string cache;     // folder where vectors are kept for the next run; empty: none
  bool skip_bad = false; // a file that cannot be read is named and left out
};

// All frames that are looked at, also those without a class, as smoothing needs them.
struct Sample {
  std::size_t file;
  std::uint64_t frame;
  std::vector<std::size_t> names; // indices of its classes, rising
  bool labelled() const { return !names.empty(); }
  bool has(std::size_t name) const { return std::binary_search(names.begin(), names.end(), name); }
};
struct Features {
  std::size_t length = 0;
  std::vector<Sample> samples; // by file and frame
  std::vector<float> values;   // samples x length
  std::span<const float> row(std::size_t i) const { return {values.data() + i * length, length}; }
};

// Throws Error::bad_data when a file cannot be read (unless it is skipped), when it has fewer frames than its
// labels say, or a class is left without a frame.
Features compute_features(Device &, const fisher::Model &, const Labels &, const FeatureOptions &);

} // namespace vigil::train
