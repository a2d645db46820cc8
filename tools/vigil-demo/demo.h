// SPDX-License-Identifier: LGPL-2.1-or-later
// One pass over a video or the synthetic scene. With an element that makes masks: two of it side by side, one
// for the masks, one for the overlay that is encoded; then the background from the model that the first one
// learned.
#pragma once

#include "elements.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace vigil::demo {

struct Options {
  Element element = elements[0];
  std::string preset;             // name; empty: none
  std::string out = "build/demo"; // folder, made when missing
  std::string input;              // URI; empty: the scene
  std::uint64_t frames = 0;       // 0: all of a file, 300 of the scene
};

inline constexpr std::uint64_t scene_frames = 300; // when Options::frames says nothing

// Prints what it does and found. Throws Error as the parts do; `stop` may become true at any time and ends
// the input, with all results up to there.
void run(const Options &, const std::atomic<bool> &stop);
// The same for an element that filters pictures (filter.cpp): what noise it takes away.
void run_filter(const Options &, const std::atomic<bool> &stop);

} // namespace vigil::demo
