// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/bordered_picture.h"

#include "kernels/registration/border.h"
#include "kernels/registration/turned_picture.h"

#include <algorithm>
#include <cmath>

namespace vigil::gst::cudamog {
namespace {

constexpr int step = 64; // pixels of border

} // namespace

BorderedPicture::BorderedPicture(Device &device, PixelFormat format, int width, int height, int border)
    : device_(&device), border_((border + step - 1) / step * step),
      picture_(device, format, width, height, border_) {}

Shifted BorderedPicture::through(const Shift *shift, const Image &turned, Queue &queue) {
  int needed = border_;
  if (device_->backend() == Backend::cpu) {
    const int most = std::max(std::abs(shift->x), std::abs(shift->y));
    needed = std::min((most + 15) / 16 * 16, border_); // not again for the next pixel
  }
  if (needed > filled_) {
    registration::fill_border(*device_, picture_.image(), needed, queue);
    filled_ = needed;
  }
  if (turned.data[0]) registration::draw_turned(picture_.image(), *shift, turned);
  return {picture_.image(), shift, turned};
}

} // namespace vigil::gst::cudamog
