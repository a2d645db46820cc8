// SPDX-License-Identifier: LGPL-2.1-or-later
// Difference pictures on a GPU: what motion.cpp says to the kernel.
#pragma once

#include "common/plane.h"

#include <cuda_runtime_api.h>

namespace vigil::fisher::cuda {

// Keeps Y of the frame as `kept`. Where `difference` is not null it gets the difference from what is there,
// or 128 where that is not `known`. Both pictures are without padding.
void launch_difference(const ConstImage &frame, std::uint8_t *kept, bool known, std::uint8_t *difference,
                       cudaStream_t);

} // namespace vigil::fisher::cuda
