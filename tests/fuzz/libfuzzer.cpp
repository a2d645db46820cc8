// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/fuzz/fuzz.h"

#include <cstddef>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  vigil::fuzz::read({data, size});
  return 0;
}
