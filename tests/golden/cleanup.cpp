// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the backends of cleanup for the CPU and OpenGL against cleanup.bin, which OpenCV made
// (make_cleanup.py describes the file). Not one pixel may differ. Usage: golden-cleanup FILE
#include "kernels/cleanup/cleanup.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"
#include "tests/golden/on_device.h"

#include "common/error.h"

#include <cstdio>
#include <vector>

namespace vigil::cleanup {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Case {
  Params params;
  int margin = 0; // pixels along the border that are not compared
  Bytes want;
};
struct Golden {
  int width = 0, height = 0;
  Bytes mask;
  std::vector<Case> cases;
};

Golden read(const char *path) {
  test::GoldenFile file(path);
  Golden g;
  file.each_line([&](const std::string &what, std::istringstream &line) {
    if (what == "mask") line >> g.width >> g.height;
    if (what == "case") {
      Case c;
      line >> c.params.median >> c.params.open >> c.params.close >> c.margin;
      g.cases.push_back(c);
    }
  });
  const auto take = [&] { return file.take(std::size_t(g.width) * g.height); };
  g.mask = take();
  for (Case &c : g.cases) c.want = take();
  return g;
}

int run(const char *path) {
  const Golden g = read(path);
  if (g.cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  int failures = 0;
  const auto replay = [&](const char *name, Device &device, Cleanup &cleanup) {
    const auto queue = device.make_queue();
    for (const Case &c : g.cases) {
      const test::OnDevice<std::uint8_t> mask(device, g.mask, *queue);
      cleanup.apply({mask.data(), g.width, g.height, g.width}, {}, c.params, *queue);
      const Bytes got = mask.fetch(*queue);
      int different = 0, compared = 0;
      for (int y = c.margin; y < g.height - c.margin; y++)
        for (int x = c.margin; x < g.width - c.margin; x++) {
          const std::size_t i = std::size_t(y) * g.width + x;
          different += got[i] != c.want[i];
          compared++;
        }
      const bool good = compared > 0 && different == 0;
      failures += !good;
      std::printf("%s %-9s median %2d open %2d close %2d: %d of %d pixels differ\n", good ? "ok  " : "FAIL",
                  name, c.params.median, c.params.open, c.params.close, different, compared);
    }
  };
  const auto cpu = open_cpu();
  replay("reference", *cpu, *make_reference(g.width, g.height));
  replay("cpu", *cpu, *make_cpu(*cpu, g.width, g.height));
  test::where_there_is_gl([&](Device &gl) { replay("gl", gl, *make_gl(gl, g.width, g.height)); });
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::cleanup

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::cleanup::run);
}
