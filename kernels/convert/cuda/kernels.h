// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/convert/high_bytes.h"
#include "kernels/convert/rgba.h"

struct CUstream_st;

namespace vigil::convert {

void launch_conversion(const ConstImage &from, const Conversion &, Plane<std::uint8_t> to, CUstream_st *);
void launch_high_bytes(const ConstImage &from, const Image &to, CUstream_st *);

} // namespace vigil::convert
