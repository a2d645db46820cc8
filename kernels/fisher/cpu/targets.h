// SPDX-License-Identifier: LGPL-2.1-or-later
// The instruction sets that the loops are not compiled for: those that add nothing to their neighbours here, and those
// whose vectors cannot be array elements, because the compiler does not know their size. To be included before
// Highway's headers.
#pragma once

#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
