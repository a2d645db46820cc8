// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/ghost/outlines.h"

struct CUstream_st;

namespace vigil::ghost {

void launch_outlines(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                     const activity::Grid &, Cell *edges, Rim *rims, CUstream_st *);

} // namespace vigil::ghost
