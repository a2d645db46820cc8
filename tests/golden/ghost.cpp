// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the backends of edges along outlines for the CPU and OpenGL against ghost.bin, which
// OpenCV made (make_ghost.py describes the file). Not one number may differ. Usage: golden-ghost FILE
#include "kernels/ghost/contour_features.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"
#include "tests/golden/on_device.h"

#include "common/bytes.h"
#include "common/error.h"

#include <cstdio>
#include <sstream>
#include <vector>

namespace vigil::ghost {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Case {
  cell_grid::Grid grid;
  Bytes mask, frame, background;
  std::vector<Cell> want;
};

std::vector<Case> read(const char *path) {
  test::GoldenFile file(path);
  std::vector<Case> cases;
  file.each_line([&](const std::string &, std::istringstream &line) {
    int width = 0, height = 0, cell = 0;
    line >> width >> height >> cell;
    const cell_grid::Grid grid = cell_grid::grid_for(width, height);
    if (grid.size != cell)
      fail(Error::Kind::bad_data, line.str(), ", but cells are of ", grid.size, " pixels there");
    cases.push_back({grid, {}, {}, {}, {}});
  });
  for (Case &c : cases) {
    for (Bytes *b : {&c.mask, &c.frame, &c.background})
      *b = file.take(std::size_t(c.grid.width) * std::size_t(c.grid.height));
    const Bytes numbers = file.take(std::size_t(c.grid.cells()) * 16);
    ByteReader in(numbers, 0);
    for (int i = 0; i < c.grid.cells(); i++) {
      Cell cell;
      for (std::uint32_t *n : {&cell.pixels, &cell.outline, &cell.frame, &cell.background})
        *n = in.number<std::uint32_t>();
      c.want.push_back(cell);
    }
  }
  return cases;
}

ConstImage grey(const test::OnDevice<std::uint8_t> &bytes, const cell_grid::Grid &grid) {
  return {PixelFormat::gray8, grid.width, grid.height, {bytes.data()}, {grid.width}};
}

int run(const char *path) {
  const std::vector<Case> cases = read(path);
  if (cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  int failures = 0;
  const auto replay = [&](const char *name, Device &device, ContourFeatures &outlines) {
    const auto queue = device.make_queue();
    for (const Case &c : cases) {
      const test::OnDevice<Cell> cells(device, c.want.size());
      const test::OnDevice<BoundaryContrast> rims(device, c.want.size());
      const test::OnDevice<std::uint8_t> mask(device, c.mask, *queue), frame(device, c.frame, *queue),
          background(device, c.background, *queue);
      outlines.apply(grey(mask, c.grid).plane(0), grey(frame, c.grid), grey(background, c.grid), c.grid,
                     cells.data(), rims.data(), *queue);
      const std::vector<Cell> got = cells.fetch(*queue);
      int different = 0;
      Cell sum;
      for (std::size_t i = 0; i < got.size(); i++) {
        different += !(got[i] == c.want[i]);
        sum += c.want[i];
      }
      const bool good = different == 0 && sum.outline > 0;
      failures += !good;
      std::printf("%s %-9s %dx%d: %d of %d cells differ\n", good ? "ok  " : "FAIL", name, c.grid.width,
                  c.grid.height, different, c.grid.cells());
    }
  };
  const auto cpu = open_cpu();
  replay("reference", *cpu, *make_reference());
  replay("cpu", *cpu, *make_cpu(*cpu));
  test::where_there_is_gl([&](Device &gl) { replay("gl", gl, *make_gl(gl)); });
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::ghost

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::ghost::run);
}
