// SPDX-License-Identifier: LGPL-2.1-or-later
// What the reference and the backends share.
#include "kernels/convert/rgba.h"

#include "common/error.h"

#include <cmath>

namespace vigil::convert {

Matrix matrix_for(double kr, double kb, bool full_range) {
  const double kg = 1 - kr - kb;
  const double luma = full_range ? 1 : 255. / 219, chroma = full_range ? 1 : 255. / 224;
  const auto fixed = [](double v) { return int(std::lround(v * 8192)); };
  const double rv = 2 * (1 - kr) * chroma, bu = 2 * (1 - kb) * chroma;
  return {.black = full_range ? 0 : 16,
          .y = fixed(luma),
          .rv = fixed(rv),
          .gu = fixed(bu * kb / kg),
          .gv = fixed(rv * kr / kg),
          .bu = fixed(bu)};
}

void check_pictures(const ConstImage &from, const Image &to) {
  using enum Error::Kind;
  if (is_16_bit(from.format)) fail(bad_setting, "pictures of 16 bits a sample are not made into RGBA");
  if (to.format != PixelFormat::rgba) fail(bad_setting, "the result must be rgba");
  if (from.width < 1 || from.height < 1 || from.width != to.width || from.height != to.height)
    fail(bad_setting, "a picture of ", from.width, "x", from.height, " pixels does not become one of ",
         to.width, "x", to.height);
}

} // namespace vigil::convert
