// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL backend: ways of doing the exact filter, which give the same result within a level, and the
// approximation.
#pragma once

#include "common/opencl/device.h"
#include "kernels/bilateral/bilateral.h"

#include <span>
#include <string>

namespace vigil::bilateral {

// One way. Each works on every device, format and radius: where a variant cannot be (a tile that does not fit
// into local memory, images on a device that has none), `direct` takes its place.
struct Variant {
  enum class Kind {
    direct, // a pixel a work-item, neighbours from global memory
    tile,   // the neighbourhood of a work-group in local memory
    image,  // a pixel a work-item, neighbours from an image object, into which the picture is copied first
    rows,   // a row a work-item, explicit vectors: for processors
  };
  const char *name;
  Kind kind;
  int group_x = 32, group_y = 8; // work-group
  int rows = 1;                  // tile: pixels a work-item
  bool unroll = false;           // tile: the loop over columns is unrolled as well (that over rows always is)
  bool native = true;            // native_exp2, native_divide
  bool constant_sigmas =
      false; // the spatial sigma is a constant of the program: compiled again when it changes
};
std::span<const Variant> variants();
const Variant &default_variant(const ClDevice &); // one for processors, one for the others
const Variant *find_variant(const std::string &name);

std::unique_ptr<Filter> make_opencl(ClDevice &, const Config &, const Variant &);

} // namespace vigil::bilateral
