// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether examples tell names better with the vectors of one codebook than with those of another: each
// example is named by a classifier that has not learnt from it.
#pragma once

#include "kernels/label/examples.h"

#include <span>

namespace vigil::monitor {

struct CodebookChoice {
  double before = 0, after = 0; // mean accuracy of all labels, and of each at each camera; NaN: not known
  bool takes = false;           // the new vectors
};

// A first codebook is taken if the mean rises by 0.02, a later one unless the mean falls; and none is if the
// accuracy of any label, in all or at one camera, falls by more than 0.01.
CodebookChoice choose_codebook(std::span<const label::Example> before, std::span<const label::Example> after,
                               bool is_first);

} // namespace vigil::monitor
