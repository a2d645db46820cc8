// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/ghost/ghost.h"
#include "kernels/ghost/rim.h"

struct CUstream_st;

namespace vigil::ghost {

void launch_edges(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                  const activity::Grid &, Cell *cells, CUstream_st *);
void launch_rims(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                 const activity::Grid &, Rim *cells, CUstream_st *);

} // namespace vigil::ghost
