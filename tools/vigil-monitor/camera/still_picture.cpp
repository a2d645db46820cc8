// SPDX-License-Identifier: LGPL-2.1-or-later
#include "still_picture.h"

#include <cmath>

namespace vigil::monitor {

void StillPicture::look(const Cells &cells, double now) {
  constexpr int least_change = 10;                          // levels: noise and clouds are less
  constexpr std::size_t most_changed = columns * rows / 10; // cells
  std::size_t changed = 0;
  for (std::size_t i = 0; i < cells.size(); i++)
    if (std::abs(int{cells[i]} - int{cells_[i]}) > least_change) changed++;
  if (!known_ || changed > most_changed) {
    cells_ = cells;
    changed_ = now;
  }
  looked_ = now;
  seen_ = known_ = true;
}

} // namespace vigil::monitor
