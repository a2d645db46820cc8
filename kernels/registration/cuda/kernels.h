// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context, and what they keep in the
// device's memory from one to the next.
#pragma once

#include "kernels/registration/coarse.h"
#include "kernels/registration/handover.h"
#include "kernels/registration/search.h"

struct CUstream_st;

namespace vigil::registration {

// Of a picture; the levels one after another.
struct DevicePyramid {
  static constexpr int most = most_cells * most_cells * 21 / 16; // cells of all levels
  std::int16_t means[most];
  Slope slopes[most];
};

struct DeviceState {
  EdgePoint points[most_points];
  int count; // points that are one
  Shift last;
  Handover handover;
  Near near;        // of this frame
  unsigned arrived; // blocks of launch_far() that built their part
  DevicePyramid frame, background;
};

void launch_points(const ConstImage &background, DeviceState *, CUstream_st *);
// The search near no shift and the last one. `fresh`: no frame was looked at before. Writes *sway and
// *host_copy unless the frame is lost.
void launch_near(const ConstImage &frame, bool fresh, DeviceState *, AppliedShift *sway,
                 AppliedShift *host_copy, CUstream_st *);
// The search from what the pyramid says, where the frame is lost; else it does nothing.
void launch_far(const ConstImage &frame, const ConstImage &background, DeviceState *, AppliedShift *sway,
                AppliedShift *host_copy, CUstream_st *);
// The room around plane `i`, `pixels` of the picture wide.
void launch_border(const Image &, int i, int pixels, CUstream_st *);

} // namespace vigil::registration
