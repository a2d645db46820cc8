// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/cell_grid/cell_grid.h"

struct CUstream_st;

namespace vigil::cell_grid {

void launch_count(Plane<const std::uint8_t> mask, const Grid &, Cell *cells, CUstream_st *);

} // namespace vigil::cell_grid
