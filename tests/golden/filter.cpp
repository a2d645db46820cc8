// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference of filter chains against filter.bin, which OpenCV, SciPy and scikit-image made
// (make_filter.py describes the file and its limits). Usage: golden-filter FILE
#include "kernels/filter/filter.h"
#include "tests/golden/golden_main.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace vigil::filter {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Case {
  int limit;
  double share;
  std::string chain;
  Bytes want;
};
struct Golden {
  int width = 0, height = 0;
  Bytes picture;
  std::vector<Case> cases;
};

Golden read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(Error::Kind::io, "cannot open ", path);
  Golden g;
  for (std::string text; std::getline(file, text) && text != "end";) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "picture") line >> g.width >> g.height;
    if (what == "case") {
      Case c;
      line >> c.limit >> c.share >> std::ws;
      std::getline(line, c.chain);
      g.cases.push_back(c);
    }
  }
  const auto take = [&] {
    Bytes b(std::size_t(3) * g.width * g.height);
    if (!file.read(reinterpret_cast<char *>(b.data()), std::streamsize(b.size())))
      fail(Error::Kind::bad_data, "the file ends before its last case");
    return b;
  };
  g.picture = take();
  for (Case &c : g.cases) c.want = take();
  return g;
}

int run(const char *path) {
  const Golden g = read(path);
  if (g.cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  const std::size_t pixels = std::size_t(g.width) * g.height;
  int failures = 0;
  for (const Case &c : g.cases)
    for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::bgra}) {
      const int red = format == PixelFormat::rgba ? 0 : 2;
      Bytes in(4 * pixels), out(4 * pixels);
      for (std::size_t i = 0; i < pixels; i++) {
        in[4 * i + 3] = std::uint8_t(i);
        for (int k = 0; k < 3; k++) in[4 * i + std::abs(red - k)] = g.picture[3 * i + k];
      }
      const std::ptrdiff_t stride = 4 * g.width;
      make_reference(parse(c.chain), format)
          ->apply({format, g.width, g.height, {in.data()}, {stride}},
                  {format, g.width, g.height, {out.data()}, {stride}}, *queue);
      int worst = 0, different = 0;
      bool alpha = true;
      for (std::size_t i = 0; i < pixels; i++) {
        alpha = alpha && out[4 * i + 3] == std::uint8_t(i);
        for (int k = 0; k < 3; k++) {
          const int d = std::abs(out[4 * i + std::abs(red - k)] - c.want[3 * i + k]);
          worst = std::max(worst, d);
          different += d != 0;
        }
      }
      const double share = double(different) / double(3 * pixels);
      const bool good = worst <= c.limit && share <= c.share && alpha;
      failures += !good;
      std::printf("%s %s %s: worst difference %d of %d, %.4f of the values%s\n", good ? "ok  " : "FAIL",
                  red ? "bgra" : "rgba", c.chain.c_str(), worst, c.limit, share, alpha ? "" : ", alpha lost");
    }
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::filter

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::filter::run);
}
