// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/spots.h"

#include "common/error.h"
#include "kernels/tamper/spot_at.h"

#include <algorithm>

namespace vigil::tamper {
namespace {

// A few thousand cells four times a second: one thread is enough.
class CpuSampler final : public Sampler {
 public:
  void apply(const ConstImage &picture, Spot *spots, Queue &) override {
    check(picture);
    const Layout l = layout_for(picture.width, picture.height);
    for (int i = 0; i < l.cells(); i++) spots[i] = spot_at(picture, l, i);
  }
};

} // namespace

Layout layout_for(int width, int height) {
  Layout l{width, height, 0, 0, 0};
  l.cell = std::max(least_cell, (std::max(width, height) + most_cells - 1) / most_cells);
  l.columns = width / l.cell;
  l.rows = height / l.cell;
  return l;
}

void check(const ConstImage &picture) {
  if (is_16_bit(picture.format))
    fail(Error::Kind::bad_setting, "pictures with 16 bits a sample cannot be compared by sketches");
}

std::unique_ptr<Sampler> make_cpu() {
  return std::make_unique<CpuSampler>();
}

std::unique_ptr<Sampler> make(Device &device) {
  switch (device.backend()) {
  case Backend::cuda:
    return make_cuda(device);
  case Backend::gl:
    return make_gl(device);
  default:
    return make_cpu();
  }
}

} // namespace vigil::tamper
