// SPDX-License-Identifier: LGPL-2.1-or-later
// One pass over a video or the synthetic scene: two of the element side by side, one for the masks, one for the
// overlay that is encoded; then the background from the model that the first one learned.
#pragma once

#include "elements.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace vigil::demo {

struct Options {
  Element element = elements[0];
  std::string out = "build/demo"; // folder, made when missing
  std::string input;              // URI; empty: the scene
  std::uint64_t frames = 0;       // 0: all of a file, 300 of the scene
};

// Prints what it does and found. Throws Error as the parts do; `stop` may become true at any time and ends the
// input, with all results up to there.
void run(const Options &, const std::atomic<bool> &stop);

} // namespace vigil::demo
