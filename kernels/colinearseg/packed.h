// SPDX-License-Identifier: LGPL-2.1-or-later
// A State as devices keep it, in host memory: the background as rows of rgba, `stride` bytes from one to the
// next, alpha 255; labels packed (common/packed_mask.h).
#pragma once

#include "common/packed_mask.h"
#include "kernels/colinearseg/colinearseg.h"

namespace vigil::colinearseg {

std::vector<std::uint8_t> packed_background(const State &, std::ptrdiff_t stride);
std::vector<std::uint8_t> packed_background(const ConstImage &, std::ptrdiff_t stride); // rgba or bgra
void unpack_background(std::span<const std::uint8_t> rgba, std::ptrdiff_t stride, State &);

std::vector<std::uint32_t> packed_labels(const State &);
void unpack_labels(std::span<const std::uint32_t> labels, State &);

} // namespace vigil::colinearseg
