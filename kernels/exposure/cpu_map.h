// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of a frame as the model is to see them, by vectors of bytes.
#pragma once

#include "kernels/exposure/exposure.h"

#include <cstddef>
#include <cstdint>

namespace vigil::exposure {

// A row's bytes come in groups of four with a table each: R G B A, or four of one plane.
struct Group {
  Table table[4];
  bool clips[4]; // the rule for clipped samples holds
};
void map_row(const std::uint8_t *from, const std::uint8_t *background, std::uint8_t *to, std::size_t bytes,
             const Group &);

// A row of luma with the row of chroma that belongs to it.
template <class Byte>
struct YuvRow {
  Byte *y, *c1, *c2; // c2 null: pairs at c1; both null: luma alone
};
// Width pixels. Writes chroma where `to` has it: with the first of two rows that share it.
void map_yuv_row(const YuvRow<const std::uint8_t> &from, const YuvRow<const std::uint8_t> &background,
                 const YuvRow<std::uint8_t> &to, int width, const Table (&)[3], const Colours &);

} // namespace vigil::exposure
