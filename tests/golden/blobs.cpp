// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the backends of blobs for the CPU and OpenGL against blobs.bin, which OpenCV made
// (make_blobs.py describes the file). Whole numbers must be equal, the others to 1e-9. Usage: golden-blobs
// FILE
#include "kernels/blobs/blobs.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"
#include "tests/golden/on_device.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace vigil::blobs {
namespace {

struct Want {
  int x = 0, y = 0, width = 0, height = 0;
  std::uint32_t area = 0, first = 0;
  Moments moments{};
};
struct Case {
  std::string name;
  int width = 0, height = 0, neighbours = 0;
  std::uint32_t min_area = 0, components = 0;
  std::vector<Want> blobs;
  std::vector<std::uint8_t> mask;
};

std::vector<Case> read(const char *path) {
  test::GoldenFile file(path);
  std::vector<Case> cases;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    if (what == "case") {
      Case c;
      line >> c.name >> c.width >> c.height >> c.neighbours >> c.min_area >> c.components;
      cases.push_back(std::move(c));
    } else {
      Want b;
      Moments &m = b.moments;
      line >> b.x >> b.y >> b.width >> b.height >> b.area >> b.first >> m.x >> m.y >> m.xx >> m.xy >> m.yy;
      if (!line || cases.empty()) fail(Error::Kind::bad_data, "cannot read: ", line.str());
      cases.back().blobs.push_back(b);
    }
  });
  for (Case &c : cases) c.mask = file.take(std::size_t(c.width) * std::size_t(c.height));
  return cases;
}

bool same(const Want &want, const Blob &got) {
  const Moments a = want.moments, b = moments(got);
  const auto near = [](double w, double g) { return std::fabs(w - g) <= 1e-9 * std::max(1., std::fabs(w)); };
  return want.x == got.x && want.y == got.y && want.width == got.width && want.height == got.height &&
         want.area == got.area && want.first == got.first && near(a.x, b.x) && near(a.y, b.y) &&
         near(a.xx, b.xx) && near(a.xy, b.xy) && near(a.yy, b.yy);
}

int run(const char *path) {
  const std::vector<Case> cases = read(path);
  if (cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  int failures = 0;
  const auto replay = [&](const char *name, Device &device, const auto &make) {
    const auto queue = device.make_queue();
    for (const Case &c : cases) {
      const Config config{c.width, c.height, 100000};
      const Params params{c.min_area, c.neighbours == 8 ? Neighbours::eight : Neighbours::four};
      Results results(device, config);
      const test::OnDevice<std::uint8_t> mask(device, c.mask, *queue);
      make(device, config)->apply({mask.data(), c.width, c.height, c.width}, params, {}, results, *queue);
      queue->wait();
      const auto got = results.blobs();
      const bool good = results.head().components == c.components &&
                        std::equal(c.blobs.begin(), c.blobs.end(), got.begin(), got.end(), same);
      failures += !good;
      std::printf("%s %-9s %s, %d neighbours: %u components, %zu kept\n", good ? "ok  " : "FAIL", name,
                  c.name.c_str(), c.neighbours, results.head().components, got.size());
    }
  };
  const auto cpu = open_cpu();
  replay("reference", *cpu, [](Device &, const Config &c) { return make_reference(c); });
  replay("cpu", *cpu, make_cpu);
  test::where_there_is_gl([&](Device &gl) { replay("gl", gl, make_gl); });
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::blobs

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::blobs::run);
}
