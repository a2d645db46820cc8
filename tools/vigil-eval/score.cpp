// SPDX-License-Identifier: LGPL-2.1-or-later
#include "score.h"

#include "common/error.h"

#include <limits>

namespace vigil::eval {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole)
               : std::numeric_limits<double>::quiet_NaN();
}

void same_size(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> other, const char *what) {
  if (mask.width != other.width || mask.height != other.height)
    fail(Error::Kind::bad_data, "the mask is ", mask.width, "x", mask.height, " and the ", what, " ",
         other.width, "x", other.height, "; they must be of one size");
}

} // namespace

Measures measure(const Counts &c) {
  return {
      .recall = ratio(c.tp, c.tp + c.fn),
      .precision = ratio(c.tp, c.tp + c.fp),
      .specificity = ratio(c.tn, c.tn + c.fp),
      .f_measure = ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn),
      .pwc = 100 * ratio(c.fp + c.fn, c.total()),
      .false_positive_rate = ratio(c.fp, c.fp + c.tn),
  };
}

Counts score(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> truth,
             Plane<const std::uint8_t> region) {
  same_size(mask, truth, "truth");
  if (region.data) same_size(mask, region, "region of interest");
  Counts c;
  for (int y = 0; y < mask.height; y++) {
    const std::uint8_t *m = mask.row(y), *t = truth.row(y), *r = region.data ? region.row(y) : nullptr;
    for (int x = 0; x < mask.width; x++) {
      if (r && r[x] == 0) continue;
      const bool found = m[x] == mask_foreground;
      if (t[x] == label_foreground)
        ++(found ? c.tp : c.fn);
      else if (t[x] == label_background || t[x] == label_shadow)
        ++(found ? c.fp : c.tn);
    }
  }
  return c;
}

} // namespace vigil::eval
