// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/activity/activity.h"

struct CUstream_st;

namespace vigil::activity {

void launch_count(Plane<const std::uint8_t> mask, const Grid &, Cell *cells, CUstream_st *);

} // namespace vigil::activity
