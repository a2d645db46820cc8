// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/temporal.h"

#include "common/error.h"
#include "kernels/filter/temporal-cl.h"

#include <algorithm>
#include <utility>

namespace vigil::filter {
namespace {

constexpr ClRange2 usual_group{32, 4};

} // namespace

ClTemporal::ClTemporal(ClDevice &d, const Temporal &t, PixelFormat format)
    : device_(d), settings_(t), format_(format),
      kernel_(ClProgram(d, {cl::temporal_cl},
                        text("-D COLOUR=", int(is_colour(format)), " -D DEEP=", int(is_16_bit(format))))
                  .kernel("temporal")) {}

void ClTemporal::apply(ConstImage in, Image out, Queue &queue) {
  check_pictures(in, out, format_);
  const ClPlane from = device_.view(in).plane[0], to = device_.view(out).plane[0];
  const int first = in.width != width_ || in.height != height_;
  if (first) {
    const std::size_t bytes = std::size_t(in.width) * std::size_t(in.height) * (is_colour(format_) ? 3 : 1) *
                              (is_16_bit(format_) ? sizeof(cl_uint) : sizeof(cl_ushort));
    for (DeviceBuffer *b : {&before_, &after_})
      if (b->bytes() < bytes) *b = DeviceBuffer(device_, bytes);
  }
  const bool fits = usual_group.x * usual_group.y <= kernel_.largest_group();
  kernel_.launch(static_cast<ClQueue &>(queue), {std::size_t(in.width), std::size_t(in.height)},
                 fits ? usual_group : ClRange2{1, 1}, from.memory, from.offset, from.stride, to.memory,
                 to.offset, to.stride, in.width, in.height, device_.range_of(before_.as()).memory,
                 device_.range_of(after_.as()).memory, first, settings_.gain, settings_.threshold);
  std::swap(before_, after_);
  width_ = in.width;
  height_ = in.height;
}

} // namespace vigil::filter
