// SPDX-License-Identifier: LGPL-2.1-or-later
// The property async-depth.
#pragma once

#include "common/params.h"

namespace vigil::gst {

struct AsyncDepth {
  int async_depth = 0;
  bool operator==(const AsyncDepth &) const = default;
};
inline constexpr auto async_depth_table = std::tuple{
    param(
        "async-depth", "Asynchronous depth",
        "Frames that may be under way on the device while further ones come in; each comes out finished, "
        "this many frames later (reported as latency). 0: each frame is finished before the next. On a GPU 2 "
        "hides the copies",
        &AsyncDepth::async_depth, 0, 16),
};

} // namespace vigil::gst
