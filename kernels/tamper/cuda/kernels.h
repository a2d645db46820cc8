// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/tamper/spots.h"

struct CUstream_st;

namespace vigil::tamper {

void launch_spots(const ConstImage &, const Layout &, Spot *spots, CUstream_st *);

} // namespace vigil::tamper
