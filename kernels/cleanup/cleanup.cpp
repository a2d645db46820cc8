// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: the parameters' meaning, checks, the choice of a backend. No loop over pixels.
#include "kernels/cleanup/cleanup.h"
#include "kernels/of_backend.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::cleanup {

Radii resolve(const Params &p) {
  const auto radius = [](int r) { return std::clamp(r, 0, max_radius); };
  return {radius(p.median / 2), radius(p.open), radius(p.close)}; // 2r and 2r+1 are both of radius r
}

void check_size(int width, int height) {
  if (width < 1 || height < 1)
    fail(Error::Kind::bad_setting, "a mask of ", width, "x", height, " pixels is not possible");
}

void check_planes(int width, int height, Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch,
                  const SmallObjects &small) {
  const auto check = [&](const char *what, const Plane<const std::uint8_t> &p) {
    if (!p.data) fail(Error::Kind::bad_setting, "the ", what, " has no memory");
    if (p.width != width || p.height != height)
      fail(Error::Kind::bad_setting, "the ", what, " is of ", p.width, "x", p.height,
           " pixels, but the clean-up was made for ", width, "x", height);
  };
  check("mask", mask);
  if (watch.data) check("picture of ignored pixels", watch);
  if (small.seen && small.grid != cell_grid::grid_for(width, height))
    fail(Error::Kind::bad_setting, "the grid of small objects is of ", small.grid.width, "x",
         small.grid.height, " pixels, but the clean-up was made for ", width, "x", height);
  if (small.seen && small.allowed) check_kept(small.kept);
}

void check_kept(const std::uint32_t *kept) {
  if (!kept) fail(Error::Kind::bad_setting, "the set of small objects has no memory");
}

std::unique_ptr<Cleanup> make(Device &device, int width, int height) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device, width, height);
}

} // namespace vigil::cleanup
