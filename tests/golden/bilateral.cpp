// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference of bilateral against bilateral.bin, which OpenCV made (make_bilateral.py describes the file
// and where the definitions are the same). OpenCV sums in single precision: at most one level off, 99.9 % of
// the pixels equal. Usage: golden-bilateral FILE
#include "kernels/bilateral/bilateral.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace vigil::bilateral {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Case {
  Params params;
  float levels = 0;
  Bytes want; // three planes
};
struct Golden {
  int width = 0, height = 0;
  Bytes picture; // three planes
  std::vector<Case> cases;
};

Golden read(const char *path) {
  test::GoldenFile file(path);
  Golden g;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    if (what == "picture") line >> g.width >> g.height;
    if (what == "case") {
      Case c;
      line >> c.params.spatial_sigma >> c.levels >> c.params.radius;
      c.params.range_sigma = c.levels / 255;
      g.cases.push_back(c);
    }
  });
  const auto take = [&] { return file.take(std::size_t(g.width) * g.height * 3); };
  g.picture = take();
  for (Case &c : g.cases) c.want = take();
  return g;
}

int failures = 0;
void judge(const char *what, const Case &c, const Bytes &want, const Bytes &got) {
  int different = 0, worst = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    different += want[i] != got[i];
    worst = std::max(worst, std::abs(want[i] - got[i]));
  }
  const bool good = !want.empty() && worst <= 1 && different <= double(want.size()) * 0.001;
  failures += !good;
  std::printf("%s %-16s sigmas %.1f and %.0f levels, radius %2d: %d of %zu samples differ, by up to %d\n",
              good ? "ok  " : "FAIL", what, double(c.params.spatial_sigma), double(c.levels), c.params.radius,
              different, want.size(), worst);
}

int run(const char *path) {
  const Golden g = read(path);
  if (g.cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  const std::size_t n = std::size_t(g.width) * g.height;
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  const auto image = [&](PixelFormat f, std::uint8_t *data) {
    return Image{f, g.width, g.height, {data}, {row_bytes(f, 0, g.width)}};
  };
  for (Case c : g.cases) {
    Bytes picture(g.picture.begin(), g.picture.begin() + std::ptrdiff_t(n)), got(n);
    make_reference({PixelFormat::gray8, g.width, g.height})
        ->apply(image(PixelFormat::gray8, picture.data()), image(PixelFormat::gray8, got.data()), c.params,
                *queue);
    judge("gray8", c, Bytes(c.want.begin(), c.want.begin() + std::ptrdiff_t(n)), got);

    Bytes rgba(4 * n), filtered(4 * n), planes(3 * n);
    for (std::size_t i = 0; i < n; i++)
      for (std::size_t ch = 0; ch < 3; ch++) rgba[4 * i + ch] = g.picture[ch * n + i];
    c.params.weighting = Weighting::channels;
    make_reference({PixelFormat::rgba, g.width, g.height})
        ->apply(image(PixelFormat::rgba, rgba.data()), image(PixelFormat::rgba, filtered.data()), c.params,
                *queue);
    for (std::size_t i = 0; i < n; i++)
      for (std::size_t ch = 0; ch < 3; ch++) planes[ch * n + i] = filtered[4 * i + ch];
    judge("rgba, channels", c, c.want, planes);
  }
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::bilateral

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::bilateral::run);
}
