// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the CPU backend of cleanup against cleanup.bin, which OpenCV made (make_cleanup.py
// describes the file). Not one pixel may differ. Usage: golden-cleanup FILE
#include "kernels/cleanup/cleanup.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"

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
  const auto device = open_cpu();
  const auto queue = device->make_queue();
  int failures = 0;
  const auto replay = [&](const char *name, Cleanup &cleanup) {
    for (const Case &c : g.cases) {
      Bytes got = g.mask;
      cleanup.apply({got.data(), g.width, g.height, g.width}, {}, c.params, *queue);
      queue->wait();
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
  replay("reference", *make_reference(g.width, g.height));
  replay("cpu", *make_cpu(*device, g.width, g.height));
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::cleanup

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::cleanup::run);
}
