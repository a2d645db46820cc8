// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference of filter chains against filter.bin, which OpenCV, SciPy and scikit-image made
// (make_filter.py describes the file and its limits). Usage: golden-filter FILE
#include "kernels/filter/filter.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace vigil::filter {
namespace {

using Values = std::vector<std::uint16_t>;

struct Case {
  int limit;
  double share;
  std::string chain;
  Values want;
};
struct Golden {
  int bits = 0, width = 0, height = 0;
  Values picture;
  std::vector<Case> cases;
  std::size_t pixels() const { return std::size_t(width) * std::size_t(height); }
};

std::vector<Golden> read(const char *path) {
  test::GoldenFile file(path);
  std::vector<Golden> all;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    if (what == "picture") {
      all.emplace_back();
      line >> all.back().bits >> all.back().width >> all.back().height;
    }
    if (what == "case") {
      Case c;
      line >> c.limit >> c.share >> std::ws;
      std::getline(line, c.chain);
      all.at(all.size() - 1).cases.push_back(c);
    }
  });
  for (Golden &g : all) {
    const auto take = [&] {
      const std::size_t bytes = g.bits == 16 ? 2 : 1;
      const std::vector<std::uint8_t> b = file.take(3 * g.pixels() * bytes);
      Values v(3 * g.pixels());
      for (std::size_t i = 0; i < v.size(); i++)
        v[i] = static_cast<std::uint16_t>(bytes == 2 ? b[2 * i] | b[2 * i + 1] << 8 : b[i]);
      return v;
    };
    g.picture = take();
    for (Case &c : g.cases) c.want = take();
  }
  return all;
}

// Of `T`, a sample's type.
template <class T>
int check(const Golden &g, PixelFormat format, const char *name, int red, Queue &queue) {
  int failures = 0;
  for (const Case &c : g.cases) {
    std::vector<T> in(4 * g.pixels()), out(4 * g.pixels());
    for (std::size_t i = 0; i < g.pixels(); i++) {
      in[4 * i + 3] = T(31 * i);
      for (int k = 0; k < 3; k++)
        in[4 * i + std::size_t(std::abs(red - k))] = T(g.picture[3 * i + std::size_t(k)]);
    }
    const std::ptrdiff_t stride = 4 * g.width * std::ptrdiff_t(sizeof(T));
    make_reference(parse(c.chain), format)
        ->apply({format, g.width, g.height, {reinterpret_cast<std::uint8_t *>(in.data())}, {stride}},
                {format, g.width, g.height, {reinterpret_cast<std::uint8_t *>(out.data())}, {stride}}, queue);
    int worst = 0, different = 0;
    bool alpha = true;
    for (std::size_t i = 0; i < g.pixels(); i++) {
      alpha = alpha && out[4 * i + 3] == T(31 * i);
      for (int k = 0; k < 3; k++) {
        const int d = std::abs(out[4 * i + std::size_t(std::abs(red - k))] - c.want[3 * i + std::size_t(k)]);
        worst = std::max(worst, d);
        different += d != 0;
      }
    }
    const double share = double(different) / double(3 * g.pixels());
    const bool good = worst <= c.limit && share <= c.share && alpha;
    failures += !good;
    std::printf("%s %s %s: worst difference %d of %d, %.4f of the values%s\n", good ? "ok  " : "FAIL", name,
                c.chain.c_str(), worst, c.limit, share, alpha ? "" : ", alpha lost");
  }
  return failures;
}

int run(const char *path) {
  const std::vector<Golden> all = read(path);
  if (all.empty()) fail(Error::Kind::bad_data, path, " holds no picture");
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  int failures = 0;
  for (const Golden &g : all) {
    if (g.cases.empty()) fail(Error::Kind::bad_data, path, " holds a picture without a case");
    if (g.bits == 16) {
      failures += check<std::uint16_t>(g, PixelFormat::rgba64, "rgba64", 0, *queue);
      continue;
    }
    failures += check<std::uint8_t>(g, PixelFormat::rgba, "rgba", 0, *queue);
    failures += check<std::uint8_t>(g, PixelFormat::bgra, "bgra", 2, *queue);
  }
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::filter

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::filter::run);
}
