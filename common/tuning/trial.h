// SPDX-License-Identifier: LGPL-2.1-or-later
// Lets the tuner choose among kernels that make one picture of another: each variant works on a small
// picture, which must be the reference's, and is timed on a large one.
#pragma once

#include "common/opencl/device.h"
#include "common/tuning/tuner.h"

namespace vigil::tuning {

using Apply = std::function<void(const ConstImage &in, const Image &out, Queue &)>;

struct Variant {
  std::string name;
  std::function<Apply(int width, int height)>
      make; // for pictures of that size in the device's memory; builds
};

struct Trial {
  PixelFormat format = PixelFormat::rgba; // 8 bits a sample
  int width = 139, height = 71; // of the small picture: more than a tile, not too much for the reference
  int large_width = 0, large_height = 0; // of the large one; 0: 1280x720 pixels, on processors 640x360
  Apply reference;                       // in host memory; called once, when the first variant is there
  int tolerance = 0;                     // levels
};

// The first variant is the default.
Result choose(ClDevice &, const Key &, const Trial &, std::span<const Variant>, Mode, const Limits & = {});

// A key's device and driver; `source` is hashed.
Key key_for(const ClDevice &, std::string kernel, const std::string &source, std::string format,
            std::string size);

} // namespace vigil::tuning
