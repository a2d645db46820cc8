// SPDX-License-Identifier: LGPL-2.1-or-later
// An even sample of all descriptors of all frames, without knowing beforehand how many there will be: every
// descriptor has a pseudo-random number made of the seed, its file, frame and place, and those with the
// smallest numbers are kept. So the sample depends on neither order nor threads, and sampling can be broken
// off after any file.
#pragma once

#include "common/array_file.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::train {

class Sampler {
 public:
  static constexpr std::size_t width = 130; // a descriptor and its position
  Sampler(std::size_t wanted, std::uint64_t seed) : wanted_(wanted), seed_(seed) {}
  void add(std::uint64_t file, std::uint64_t frame, std::span<const float> descriptors,
           std::span<const float> positions);
  // What was kept, count x width, by rising number: random order. The sampler is empty afterwards.
  std::vector<float> take();
  std::uint64_t seen() const { return seen_; }
  // For a checkpoint; a loaded sampler goes on as the saved one would have.
  void save(ArrayWriter &);
  void load(const ArrayReader &);

 private:
  struct Kept {
    std::uint64_t number, row; // row: its place in rows_
    bool operator<(const Kept &o) const { return number != o.number ? number < o.number : row < o.row; }
  };
  void prune();
  std::size_t wanted_;
  std::uint64_t seed_, seen_ = 0, limit_ = ~std::uint64_t{0};
  std::vector<Kept> kept_;
  std::vector<float> rows_;
};

} // namespace vigil::train
