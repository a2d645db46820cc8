// SPDX-License-Identifier: LGPL-2.1-or-later
// The two kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/exposure/exposure.h"

struct CUstream_st;

namespace vigil::exposure {

// Reads the last frame's lines at `before` and writes this one's to `now`, another place, and to `told` in
// host memory unless it is null.
void launch_estimate(const ConstImage &frame, const Shifted &background, int channels, int step,
                     const Lines *before, Lines *now, Lines *told, CUstream_st *);
void launch_map(const ConstImage &frame, const Shifted &background, int channels, const Lines *,
                const Image &out, CUstream_st *);

} // namespace vigil::exposure
