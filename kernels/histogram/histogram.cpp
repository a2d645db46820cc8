// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share.
#include "kernels/histogram/histogram.h"

#include "common/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace vigil::histogram {
namespace {

void check_bins(int wanted) {
  if (wanted != 64 && wanted != bins)
    fail(Error::Kind::bad_setting, "a histogram of ", wanted, " bins is not possible; there are 64 and 256");
}

} // namespace

std::vector<std::uint32_t> in_bins(const Bins &all, int wanted) {
  check_bins(wanted);
  std::vector<std::uint32_t> few(static_cast<std::size_t>(wanted));
  for (int i = 0; i < bins; i++) few[static_cast<std::size_t>(i * wanted / bins)] += all[i];
  return few;
}

Panel panel_for(int width, int height, int wanted) {
  constexpr int usual_width = 960; // of a picture for which the panel's own size is right
  const int scale = std::clamp(width / usual_width, 1, 8);
  Panel p;
  p.bins = wanted;
  p.line = scale;
  p.width = std::min(256 * scale, width);
  p.height = std::min(128 * scale, height);
  const int margin = 8 * scale;
  p.x = std::min(margin, width - p.width) & ~1;
  p.y = (height - p.height - std::min(margin, height - p.height)) & ~1;
  return p;
}

void check_picture(const ConstImage &image) {
  if (image.width < 1 || image.height < 1)
    fail(Error::Kind::bad_setting, "a picture of ", image.width, "x", image.height,
         " pixels has no histogram");
  if (!image.data[0]) fail(Error::Kind::bad_setting, "the picture to count has no memory");
  for (int i = 0; i < plane_count(image.format); i++)
    if (is_16_bit(image.format) &&
        ((reinterpret_cast<std::uintptr_t>(image.data[i]) | std::size_t(image.stride[i])) & 1))
      fail(Error::Kind::bad_setting, "16-bit samples of the picture to count are not at even addresses");
}

void check_panel(const Image &image, const Panel &p) {
  check_bins(p.bins);
  check_picture(image);
  if (p.x < 0 || p.y < 0 || p.x % 2 || p.y % 2 || p.width < 1 || p.height < 1 ||
      p.x > image.width - p.width || p.y > image.height - p.height)
    fail(Error::Kind::bad_setting, "a panel of ", p.width, "x", p.height, " pixels at ", p.x, ",", p.y,
         " does not fit into a picture of ", image.width, "x", image.height, ", or not at even coordinates");
}

} // namespace vigil::histogram
