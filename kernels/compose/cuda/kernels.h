// SPDX-License-Identifier: LGPL-2.1-or-later
// The two kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/compose/layers.h"

struct CUstream_st;

namespace vigil::compose {

void launch_compose(const ConstImage &frame, Plane<const std::uint8_t> mask, const Layers &, const Image &out,
                    CUstream_st *);
void launch_outlines(const Outlines &, const Layers &, const Image &out, CUstream_st *);

} // namespace vigil::compose
