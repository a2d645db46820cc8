// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of any video or picture that GStreamer decodes.
#pragma once

#include "common/plane.h"

#include <cstdint>
#include <functional>
#include <string>

namespace vigil::train {

// Calls visit(number, frame), numbers from 1, for each frame that `filter` (a chain as for gst-launch-1.0,
// e.g. "videocrop top=32"; empty: none) lets through; the frame is gone when visit returns, and false from it
// ends the decoding. Returns the number of frames visited. Throws Error::bad_data or io, naming the file,
// when it has no video or cannot be decoded to its end; Interrupted. Of visit's errors bad_data counts as the
// file's and gets its name, others go through as they are.
std::uint64_t decode(const std::string &path, const std::string &filter,
                     const std::function<bool(std::uint64_t, const ConstImage &)> &visit);

} // namespace vigil::train
