// SPDX-License-Identifier: LGPL-2.1-or-later
// The words of a band of the model (shaders/job.glsl) on the host: the way from and to a State.
#pragma once

#include "kernels/mog/mog.h"

#include <span>

namespace vigil::mog::gl {

class Layout {
 public:
  explicit Layout(const Config &config) : config_(config) {}
  // Of a pixel.
  std::size_t words() const;
  // The pixels of a band, of which the first is number `first` of the picture.
  void decode(std::span<const std::uint32_t> band, std::size_t first, State &) const;
  void encode(const State &, std::size_t first, std::span<std::uint32_t> band) const;
  // The constants, with values that can be stored.
  Constants storable(Constants) const;

 private:
  bool compact() const { return config_.precision == Precision::compact; }
  Config config_;
};

} // namespace vigil::mog::gl
