// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: the verdict, checks, the choice of a backend.
#include "kernels/ghost/contour_features.h"
#include "kernels/of_backend.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::ghost {

Verdict decide(const Cell &c, double times) {
  if (c.outline < least_pixels) return Verdict::undecided;
  const double frame = c.frame, background = c.background;
  if (std::max(frame, background) < least_edge * c.outline) return Verdict::undecided;
  if (frame >= times * background) return Verdict::object;
  if (background >= times * frame) return Verdict::ghost;
  return Verdict::undecided;
}

void check(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
           const cell_grid::Grid &grid) {
  using enum Error::Kind;
  cell_grid::check_grid(mask, grid);
  if (is_16_bit(frame.format)) fail(bad_setting, "edges of frames with 16 bits a sample are not measured");
  for (const ConstImage *p : {&frame, &background})
    if (p->width != mask.width || p->height != mask.height || p->format != frame.format)
      fail(bad_setting, p == &frame ? "the frame" : "the background", " is of ", p->width, "x", p->height,
           " pixels in format ", int(p->format), ", but the mask of ", mask.width, "x", mask.height,
           " and the frame in format ", int(frame.format));
}

std::unique_ptr<ContourFeatures> make(Device &device) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device);
}

} // namespace vigil::ghost
