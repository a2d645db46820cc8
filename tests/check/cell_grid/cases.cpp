// SPDX-License-Identifier: LGPL-2.1-or-later
// The grid, and the components of its cells, on grids made by hand.
#include "kernels/cell_grid/cell_grid.h"
#include "kernels/cell_grid/components.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <string>
#include <vector>

namespace vigil::cell_grid {
namespace {

using check::Checker;
using check::Picture;

void run_grids(Checker &c) {
  const auto size = [](int w, int h) { return grid_for(w, h).size; };
  c.expect(size(1, 1) == 8 && size(512, 512) == 8, "512x512 pixels are 4096 cells of 8");
  c.expect(size(513, 512) == 16 && size(1024, 1024) == 16, "1024x1024 pixels are 4096 cells of 16");
  c.expect(size(1920, 1080) == 32 && size(3840, 2160) == 64 && size(32768, 32768) == 64, "larger pictures");
  c.expect(grid_for(20, 9) == Grid{20, 9, 8, 3, 2}, "20x9 pixels are 3x2 cells of 8");
  c.refused("a picture of 0x1", [] { grid_for(0, 1); });
  Picture mask(c, PixelFormat::gray8, 8, 8);
  check_grid(mask.host().plane(0), grid_for(8, 8));
  c.refused("a grid of another picture", [&] { check_grid(mask.host().plane(0), grid_for(9, 8)); });
  c.refused("a mask without memory", [] { check_grid({nullptr, 8, 8, 8}, grid_for(8, 8)); });
}

// The components of a grid whose cells count where the text has a '1': for each, its cells as "column,row"
// in the order in which they come.
std::vector<std::string> components_of(Components &components, const std::vector<std::string> &rows) {
  const Grid grid = grid_for(int(rows[0].size()) * 8, int(rows.size()) * 8);
  std::vector<std::uint8_t> cells;
  for (const std::string &row : rows)
    for (const char k : row) cells.push_back(k == '1');
  std::vector<std::string> found;
  components.reset(grid);
  components.for_each(cells, [&](std::span<const int> members) {
    std::string &all = found.emplace_back();
    for (const int cell : members)
      all += text(all.empty() ? "" : " ", cell % grid.columns, ",", cell / grid.columns);
  });
  return found;
}

void run_components(Checker &c) {
  Components components;
  const auto check = [&](const char *what, const std::vector<std::string> &rows,
                         const std::vector<std::string> &want) {
    const std::vector<std::string> got = components_of(components, rows);
    std::string said;
    for (const std::string &g : got) said += text("[", g, "]");
    c.expect(got == want, text(what, ": ", said));
  };
  check("nothing", {"...", "..."}, {});
  check("cells that touch at a corner are one", {"1..", ".1.", "..1"}, {"0,0 1,1 2,2"});
  check("two come in the order of their first cell", {"1.1", "..."}, {"0,0", "2,0"});
  check("three come in the order of their first cell", {"..1", "1..", "1.1"}, {"2,0", "0,1 0,2", "2,2"});
  check("a ring and what is in it are two", {"11111", "1...1", "1.1.1", "1...1", "11111"},
        {"0,0 1,0 0,1 2,0 0,2 3,0 0,3 4,0 4,1 0,4 1,4 4,2 2,4 4,3 3,4 4,4", "2,2"});
  check("a bend that goes up is one", {"1...1", "1.1.1", ".1.1."}, {"0,0 0,1 1,2 2,1 3,2 4,1 4,0"});
  check("a line at the right does not touch the next row's begin", {"..1", "1.."}, {"2,0", "0,1"});
}

check::Register grid_case{{"cell_grid/grids", run_grids}};
check::Register component_case{{"cell_grid/components", run_components}};

} // namespace
} // namespace vigil::cell_grid
