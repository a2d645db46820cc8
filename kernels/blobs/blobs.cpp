// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: checks, results in order, moments from sums, the choice of a backend.
#include "kernels/blobs/blobs.h"
#include "kernels/of_backend.h"

#include "common/error.h"
#include "kernels/blobs/definitions.h"

#include <algorithm>

namespace vigil::blobs {
namespace {

// Rows and columns are counted from the box's corner: the products of the remaining small numbers are exact
// in double.
double product(const Blob &b, std::uint64_t sum_uv, std::uint64_t sum_u, int corner_u, std::uint64_t sum_v,
               int corner_v) {
  const auto u0 = std::uint64_t(corner_u), v0 = std::uint64_t(corner_v), n = std::uint64_t{b.area};
  const std::uint64_t uv = sum_uv + n * u0 * v0 - u0 * sum_v - v0 * sum_u;
  const double u = double(sum_u - n * u0) / double(n), v = double(sum_v - n * v0) / double(n);
  return double(uv) / double(n) - u * v;
}

} // namespace

Moments moments(const Blob &b) {
  if (b.area == 0) return {};
  const auto n = double(b.area);
  return {double(b.sum_x) / n + 0.5, double(b.sum_y) / n + 0.5,
          product(b, b.sum_xx, b.sum_x, b.x, b.sum_x, b.x), product(b, b.sum_xy, b.sum_x, b.x, b.sum_y, b.y),
          product(b, b.sum_yy, b.sum_y, b.y, b.sum_y, b.y)};
}

Results::Results(Device &device, const Config &config)
    : memory_(device.allocate_host(sizeof(Head) + std::size_t(config.most) * sizeof(Blob)),
              [&device](void *p) { device.release_host(p); }) {
  head() = {};
}

std::span<const Blob> Results::blobs() {
  Head &h = head();
  const std::span found(memory(), h.blobs);
  if (!h.sorted)
    std::sort(found.begin(), found.end(), [](const Blob &a, const Blob &b) {
      return a.area != b.area ? a.area > b.area : a.first < b.first;
    });
  h.sorted = 1;
  return found;
}

void check_config(const Config &c) {
  if (c.width < 1 || c.height < 1 || c.width > 32767 || c.height > 32767)
    fail(Error::Kind::bad_setting, "blobs cannot be found in a mask of ", c.width, "x", c.height,
         " pixels: both sides must be 1..32767");
  if (c.most < 1 || c.most > 1 << 20)
    fail(Error::Kind::bad_setting, "the most blobs to report are ", c.most, ", it must be 1..", 1 << 20);
}

void check_call(const Config &c, Plane<const std::uint8_t> mask, const Extras &extras,
                const Results &results) {
  const auto check = [&](const char *what, bool memory, int width, int height) {
    if (!memory) fail(Error::Kind::bad_setting, "the ", what, " has no memory");
    if (width != c.width || height != c.height)
      fail(Error::Kind::bad_setting, "the ", what, " is of ", width, "x", height,
           " pixels, but blobs are to be found in ", c.width, "x", c.height);
  };
  check("mask", mask.data, mask.width, mask.height);
  if (extras.picture.data[0]) {
    check("picture", true, extras.picture.width, extras.picture.height);
    if (is_16_bit(extras.picture.format))
      fail(Error::Kind::bad_setting, "colours are summed of pictures with 8 bits a sample only");
  }
  if (extras.labels.data) check("picture of labels", true, extras.labels.width, extras.labels.height);
  const CellMap &m = extras.map;
  if (m.cells && (m.size < 1 || (c.width - 1) / m.size >= m.columns || (c.height - 1) / m.size >= m.rows))
    fail(Error::Kind::bad_setting, "a map of ", m.columns, "x", m.rows, " cells of ", m.size,
         " pixels does not cover a mask of ", c.width, "x", c.height);
  if (!results) fail(Error::Kind::bad_setting, "the results have no memory");
}

std::unique_ptr<Finder> make(Device &device, const Config &config) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device, config);
}

} // namespace vigil::blobs
