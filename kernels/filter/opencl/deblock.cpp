// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/deblock.h"

#include "common/error.h"
#include "kernels/filter/deblock-cl.h"

namespace vigil::filter {
namespace {

constexpr ClRange2 usual_group{32, 4};

} // namespace

ClDeblock::ClDeblock(ClDevice &d, const Blocks &b, PixelFormat format)
    : device_(d), blocks_(b), format_(format),
      kernel_(ClProgram(d, {cl::deblock_cl},
                        text("-D COLOUR=", int(is_colour(format)), " -D DEEP=", int(is_16_bit(format))))
                  .kernel("deblock")) {}

void ClDeblock::apply(ConstImage in, Image out, Queue &queue) {
  check_pictures(in, out, format_);
  const ClPlane from = device_.view(in).plane[0], to = device_.view(out).plane[0];
  const bool fits = usual_group.x * usual_group.y <= kernel_.largest_group();
  kernel_.launch(static_cast<ClQueue &>(queue), {std::size_t(in.width), std::size_t(in.height)},
                 fits ? usual_group : ClRange2{1, 1}, from.memory, from.offset, from.stride, to.memory,
                 to.offset, to.stride, in.width, in.height, blocks_.size, blocks_.left, blocks_.top,
                 blocks_.strength);
}

} // namespace vigil::filter
