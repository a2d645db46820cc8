// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: the place of the samples, checks, the choice of a backend.
#include "kernels/exposure/exposure.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::exposure {

int step_for(int width, int height) {
  const std::int64_t pixels = std::int64_t{width} * height;
  const std::int64_t most =
      std::max<std::int64_t>(std::min<std::int64_t>(max_samples, pixels / pixels_a_sample), 1);
  int step = 1;
  while (std::int64_t{samples_along(width, step)} * samples_along(height, step) > most) step++;
  return step;
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
  return device.backend() == Backend::cuda ? make_cuda(device) : make_cpu(device);
}

} // namespace vigil::exposure
