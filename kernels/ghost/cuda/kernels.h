// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/ghost/contour_features.h"

struct CUstream_st;

namespace vigil::ghost {

void launch_outlines(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                     const cell_grid::Grid &, Cell *edges, BoundaryContrast *rims, CUstream_st *);

} // namespace vigil::ghost
