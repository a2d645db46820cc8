// SPDX-License-Identifier: LGPL-2.1-or-later
// What the checks of single filters and of whole chains share.
#pragma once

#include "kernels/filter/filter.h"
#include "tests/check/checker.h"

#include <algorithm>

namespace vigil::filter {

inline const char *name_of(PixelFormat f) {
  using enum PixelFormat;
  return f == gray8    ? "gray8"
         : f == rgba   ? "rgba"
         : f == bgra   ? "bgra"
         : f == gray16 ? "gray16"
         : f == p010   ? "p010"
                       : "rgba64";
}

// Lets `fast` filter noise; what comes out must be what `chain` gives by the reference, byte for byte. what()
// says in an error what was filtered how.
template <class Fast, class What>
void compare_with_reference(check::Checker &c, Fast &fast, const Chain &chain, PixelFormat format, int width,
                            int height, int padding, What what, const Coding &coding = {}) {
  using check::Picture;
  padding *= is_16_bit(format) ? 2 : 1; // samples begin at even addresses
  Picture in(c, format, width, height, padding), want(c, format, width, height, padding),
      got(c, format, width, height, padding);
  in.bytes = c.noise(in.bytes.size());
  std::fill(want.bytes.begin(), want.bytes.end(), std::uint8_t{77});
  got.bytes = want.bytes;
  in.send();
  got.send();
  const auto host = open_cpu(1);
  make_reference(chain, format, coding)->apply(in.host(), want.host(), *host->make_queue());
  fast.apply(in.device(), got.device(), c.queue());
  got.fetch();
  if (got.bytes == want.bytes) return;
  const auto at =
      std::mismatch(want.bytes.begin(), want.bytes.end(), got.bytes.begin()).first - want.bytes.begin();
  const auto stride = want.host().stride[0];
  c.fail(text(what(), ", ", name_of(format), " ", width, "x", height, ": byte ", at % stride, " of row ",
              at / stride, " (of all planes) is ", int(got.bytes[at]), ", not ", int(want.bytes[at])));
}

} // namespace vigil::filter
