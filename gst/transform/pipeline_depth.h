// SPDX-License-Identifier: LGPL-2.1-or-later
// The property async-depth.
#pragma once

#include "common/params.h"

namespace vigil::gst {

// The value that leaves it to the transform: see PipelineDepth (element.h).
inline constexpr int automatic_depth = -1;

// The entry of a table for the member that holds it.
template <class S>
constexpr auto async_depth_param(int S::*field) {
  return param(
      "async-depth", "Asynchronous depth",
      "Frames that may be under way on the device while further ones come in. Higher: more throughput, "
      "and each frame leaves this many frames later (reported as latency). 0: each frame is finished "
      "before the next, as always in OpenGL. -1: 2 on a GPU if the source is not live (a file), else 0",
      field, automatic_depth, 16);
}

struct AsyncDepth {
  int async_depth = automatic_depth;
  bool operator==(const AsyncDepth &) const = default;
};
inline constexpr auto async_depth_table = std::tuple{async_depth_param(&AsyncDepth::async_depth)};

} // namespace vigil::gst
