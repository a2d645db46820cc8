// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/exposure/exposure.h"

struct CUstream_st;

namespace vigil::exposure {

// What is known after a frame, in the device's memory.
struct DeviceState {
  Lines lines;
  Table table[3]; // of the lines
  int start[3] = {64, 128,
                  128}; // the bin that was the median of step 1: where to look for it in the next frame
};

// Reads what was known after the last frame at `before` and writes this frame's to `now`, another place.
void launch_estimate(const ConstImage &frame, const Shifted &background, int channels, int step,
                     const Colours &, const DeviceState *before, DeviceState *now, CUstream_st *);
// Maps the frame, and copies the lines to `host_copy` in host memory unless it is null. Follows
// launch_estimate().
void launch_map(const ConstImage &frame, const Shifted &background, int channels, const Colours &,
                const DeviceState *, Lines *host_copy, const Image &out, CUstream_st *);

} // namespace vigil::exposure
