// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: the place of the samples, checks, the choice of a backend.
#include "kernels/exposure/exposure.h"
#include "kernels/of_backend.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::exposure {

int step_for(int width, int height) {
  const std::int64_t pixels = std::int64_t{width} * height;
  const std::int64_t most =
      std::max<std::int64_t>(std::min<std::int64_t>(max_samples, pixels / pixels_a_sample), 1);
  int step = 1;
  while (std::int64_t{samples_along(width, step)} * samples_along(height, step) > most) step++;
  return step;
}

Colours colours_for(double kr, double kb, bool full_range, bool v_first) {
  const auto in_64 = [](double v) { return static_cast<int>(std::lround(64 * v)); };
  // Of chroma's levels: it takes 224 where luma takes 219.
  const double scale = full_range ? 1 : 219. / 224;
  const double blue = 2 * (1 - kb) * scale, red = 2 * (1 - kr) * scale, kg = 1 - kr - kb;
  Colours c{.of_1 = in_64(blue),
            .of_2 = in_64(red),
            .green_1 = in_64(blue * kb / kg),
            .green_2 = in_64(red * kr / kg),
            .share_1 = in_64(kb),
            .share_2 = in_64(kr),
            .share_green = 0,
            .back_1 = in_64(1 / blue),
            .back_2 = in_64(1 / red),
            .clipped = full_range ? 248 : 228};
  c.share_green = 64 - c.share_1 - c.share_2;
  if (v_first) {
    std::swap(c.of_1, c.of_2);
    std::swap(c.green_1, c.green_2);
    std::swap(c.share_1, c.share_2);
    std::swap(c.back_1, c.back_2);
  }
  return c;
}

void check(const ConstImage &frame, const ConstImage &background, int channels, const Image &out) {
  using enum Error::Kind;
  if (is_16_bit(frame.format))
    fail(bad_setting, "the exposure of frames with 16 bits a sample is not estimated");
  if (channels != 1 && channels != 3)
    fail(bad_setting, "exposure is estimated for 1 or 3 channels, not ", channels);
  if (channels == 3 && frame.format == PixelFormat::gray8)
    fail(bad_setting, "the frame is gray8, but 3 channels are asked for");
  const auto same = [&](const ConstImage &other, const char *what) {
    if (other.format == frame.format && other.width == frame.width && other.height == frame.height) return;
    fail(bad_setting, what, " is of ", other.width, "x", other.height, " pixels in format ",
         int(other.format), ", but the frame of ", frame.width, "x", frame.height, " in format ",
         int(frame.format));
  };
  same(background, "the background picture");
  same(out, "the picture to write");
}

std::unique_ptr<Exposure> make(Device &device) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device);
}

} // namespace vigil::exposure
