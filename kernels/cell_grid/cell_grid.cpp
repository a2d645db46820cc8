// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cell_grid/cell_grid.h"

#include "common/error.h"

namespace vigil::cell_grid {

Grid grid_for(int width, int height) {
  if (width < 1 || height < 1)
    fail(Error::Kind::bad_setting, "a mask of ", width, "x", height, " pixels is not possible");
  constexpr std::int64_t enough = 4096;
  constexpr int largest = 64;
  const auto cells = [](int pixels, int size) { return (pixels - 1) / size + 1; };
  int size = 8;
  while (size < largest && std::int64_t{cells(width, size)} * cells(height, size) > enough) size *= 2;
  return {width, height, size, cells(width, size), cells(height, size)};
}

void check_grid(Plane<const std::uint8_t> mask, const Grid &grid) {
  if (!mask.data) fail(Error::Kind::bad_setting, "the mask to count has no memory");
  const Grid own = grid_for(mask.width, mask.height);
  if (own != grid)
    fail(Error::Kind::bad_setting, "a mask of ", mask.width, "x", mask.height, " pixels has ", own.columns,
         "x", own.rows, " cells of ", own.size, " pixels, but the grid given has ", grid.columns, "x",
         grid.rows, " cells of ", grid.size, " for ", grid.width, "x", grid.height, " pixels");
}

} // namespace vigil::cell_grid
