// SPDX-License-Identifier: LGPL-2.1-or-later
// Counting: the reference on a mask made by hand, every backend against it on random ones. All is integer, so
// equality is exact. Blobs are host code and are checked on grids made by hand.
#include "kernels/cell_grid/cell_grid.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cstring>

namespace vigil::cell_grid {
namespace {

using check::Checker;
using check::Picture;

std::string show(const Cell &c) {
  return text(c.count, " in ", int(c.left), ",", int(c.top), "..", int(c.right), ",", int(c.bottom));
}
std::string show(const Blob &b) {
  return text(b.area, " in ", b.width, "x", b.height, " at ", b.x, ",", b.y);
}

void fill(Plane<std::uint8_t> p, int x, int y, int width, int height, int value) {
  for (int j = y; j < std::min(y + height, p.height); j++)
    for (int i = x; i < std::min(x + width, p.width); i++) p.row(j)[i] = static_cast<std::uint8_t>(value);
}

// Nearly empty, as masks are, with blobs and single pixels of foreground and of other values.
void paint(Checker &c, Plane<std::uint8_t> p) {
  const auto below = [&](int n) { return int(c.rng() % std::uint64_t(n)); };
  fill(p, 0, 0, p.width, p.height, 0);
  for (int n = below(1 + p.width * p.height / 2000); n >= 0; n--)
    fill(p, below(p.width), below(p.height), 1 + below(60), 1 + below(60), below(3) ? 255 : below(256));
  for (int n = below(1 + p.width * p.height / 50); n >= 0; n--)
    p.row(below(p.height))[below(p.width)] = below(2) ? 255 : static_cast<std::uint8_t>(below(256));
}

std::vector<Cell> count(Checker &c, Plane<const std::uint8_t> device_mask, const Grid &grid) {
  const std::size_t bytes = grid.cells() * sizeof(Cell);
  std::vector<Cell> cells(grid.cells());
  const DeviceBuffer memory(c.device, bytes);
  c.device.fill(memory.as(), 0xa5, bytes, c.queue()); // every cell must be written
  make(c.device)->apply(device_mask, grid, memory.as<Cell>(), c.queue());
  c.device.download(cells.data(), memory.as(), bytes, c.queue());
  c.queue().wait();
  return cells;
}
std::vector<Cell> count_by_reference(Plane<const std::uint8_t> mask, const Grid &grid) {
  std::vector<Cell> cells(grid.cells());
  const auto host = open_cpu(1);
  make_reference()->apply(mask, grid, cells.data(), *host->make_queue());
  return cells;
}

template <class T>
void same(Checker &c, const std::string &what, const std::vector<T> &want, const std::vector<T> &got) {
  if (want.size() != got.size()) return c.fail(text(what, ": ", got.size(), ", not ", want.size()));
  for (std::size_t i = 0; i < want.size(); i++)
    if (!(want[i] == got[i]))
      return c.fail(text(what, ": number ", i, " is ", show(got[i]), ", not ", show(want[i])));
}

struct Size {
  int width, height, padding, offset;
};
// All four cell sizes, cut short and whole, aligned and not.
constexpr Size sizes[] = {{1, 1, 0, 0},      {7, 5, 3, 1},       {33, 17, 1, 0},      {128, 64, 0, 0},
                          {641, 137, 7, 3},  {800, 600, 0, 0},   {1003, 701, 16, 16}, {1280, 1024, 0, 0},
                          {1365, 770, 1, 1}, {2048, 2048, 0, 0}, {2305, 2050, 15, 0}};

void measure(Checker &c) {
  struct {
    const char *name;
    int width, height;
  } const frames[] = {{"1080p", 1920, 1080}, {"4K", 3840, 2160}};
  for (const auto &f : frames) {
    Picture mask(c, PixelFormat::gray8, f.width, f.height);
    paint(c, mask.host().plane(0));
    mask.send();
    const Grid grid = grid_for(f.width, f.height);
    const DeviceBuffer cells(c.device, grid.cells() * sizeof(Cell));
    const auto counter = make(c.device);
    c.time(
        text("cells of ", grid.size, " ", f.name), double(f.width) * f.height,
        [&] { counter->apply(mask.device().plane(0), grid, cells.as<Cell>(), c.queue()); }, {}, 20);
  }
}

void run_random(Checker &c) {
  for (const Size &s : sizes)
    for (const bool crowded : {false, true}) {
      Picture picture(c, PixelFormat::gray8, s.width + s.offset, s.height + s.offset, s.padding);
      const auto crop = [&](const Image &i) -> Plane<std::uint8_t> {
        return {i.plane(0).row(s.offset) + s.offset, s.width, s.height, i.stride[0]};
      };
      picture.bytes = c.noise(picture.bytes.size());
      if (!crowded) paint(c, crop(picture.host()));
      picture.send();
      const Grid grid = grid_for(s.width, s.height);
      same(c, text(s.width, "x", s.height, " in cells of ", grid.size),
           count_by_reference(crop(picture.host()), grid), count(c, crop(picture.device()), grid));
    }
  if (c.benching()) measure(c);
}

void run_by_hand(Checker &c) {
  Picture picture(c, PixelFormat::gray8, 20, 9);
  const auto p = picture.host().plane(0);
  fill(p, 1, 2, 3, 2, 255);  // within the first cell
  fill(p, 15, 7, 3, 2, 255); // over four cells
  p.row(0)[10] = 254;        // not foreground
  picture.send();
  const Grid grid = grid_for(20, 9);
  c.expect(grid == Grid{20, 9, 8, 3, 2}, "20x9 pixels are 3x2 cells of 8");
  const std::vector<Cell> want = {{6, 1, 2, 3, 3}, {1, 7, 7, 7, 7}, {2, 0, 7, 1, 7}, {},
                                  {1, 7, 0, 7, 0}, {2, 0, 0, 1, 0}};
  same(c, "cells by the reference", want, count_by_reference(p, grid));
  same(c, "cells", want, count(c, picture.device().plane(0), grid));
}

void run_grids(Checker &c) {
  const auto size = [](int w, int h) { return grid_for(w, h).size; };
  c.expect(size(1, 1) == 8 && size(512, 512) == 8, "512x512 pixels are 4096 cells of 8");
  c.expect(size(513, 512) == 16 && size(1024, 1024) == 16, "1024x1024 pixels are 4096 cells of 16");
  c.expect(size(1920, 1080) == 32 && size(3840, 2160) == 64 && size(32768, 32768) == 64, "larger pictures");
  c.refused("a picture of 0x1", [] { grid_for(0, 1); });
  Picture mask(c, PixelFormat::gray8, 8, 8);
  const DeviceBuffer cells(c.device, 64 * sizeof(Cell));
  c.refused("a grid of another picture", [&] {
    make(c.device)->apply(mask.device().plane(0), grid_for(9, 8), cells.as<Cell>(), c.queue());
  });
  c.refused("a mask without memory", [&] {
    make(c.device)->apply({nullptr, 8, 8, 8}, grid_for(8, 8), cells.as<Cell>(), c.queue());
  });
  std::vector<Cell> few(3);
  c.refused("too few cells", [&] { find_blobs(few, grid_for(16, 16), 1); });
}

// A grid of full cells where the text has a digit, which is the tenth of the cell's pixels that count.
struct Cells {
  Grid grid;
  std::vector<Cell> cells;
  explicit Cells(const std::vector<std::string> &rows)
      : grid(grid_for(int(rows[0].size()) * 8, int(rows.size()) * 8)) {
    for (const std::string &row : rows)
      for (const char k : row)
        cells.push_back(k == '.' ? Cell{} : Cell{std::uint32_t(k - '0') * 10, 0, 0, 7, 7});
  }
};

void run_blobs(Checker &c) {
  const auto check = [&](const char *what, const Cells &in, std::uint32_t min_area, std::uint64_t foreground,
                         const std::vector<Blob> &blobs) {
    const Blobs got = find_blobs(in.cells, in.grid, min_area);
    same(c, text(what, ": blobs"), blobs, got.blobs);
    c.expect(got.foreground == foreground, text(what, ": foreground ", got.foreground, ", not ", foreground));
  };
  check("nothing", Cells({"...", "..."}), 0, 0, {});
  check("cells that touch at a corner are one blob", Cells({"1..", ".2.", "..3"}), 0, 60,
        {{0, 0, 24, 24, 60}});
  check("the largest comes first", Cells({"1.3", "..."}), 0, 40, {{16, 0, 8, 8, 30}, {0, 0, 8, 8, 10}});
  check("equal ones come in the order of their first cell", Cells({"..2", "1..", "1.2"}), 0, 60,
        {{16, 0, 8, 8, 20}, {0, 8, 8, 16, 20}, {16, 16, 8, 8, 20}});
  check("small ones are left out, but not of the foreground", Cells({"1.3"}), 11, 40, {{16, 0, 8, 8, 30}});
  check("a blob of min_area is not small", Cells({"1.3"}), 30, 40, {{16, 0, 8, 8, 30}});
  check("a ring and what is in it are two", Cells({"11111", "1...1", "1.9.1", "1...1", "11111"}), 0, 250,
        {{0, 0, 40, 40, 160}, {16, 16, 8, 8, 90}});
  check("a bend that goes up is one blob", Cells({"1...1", "1.1.1", ".1.1."}), 0, 70, {{0, 0, 40, 24, 70}});
  // Boxes and areas are those of the pixels, not of the cells.
  Cells exact({"1.", "1."});
  exact.cells[0] = {3, 2, 5, 4, 7};
  exact.cells[2] = {1, 1, 0, 1, 0};
  check("boxes are exact", exact, 0, 4, {{1, 5, 4, 4, 4}});
}

check::Register random_case{{"cell_grid/random", run_random, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register by_hand_case{{"cell_grid/by-hand", run_by_hand, {Backend::cpu, Backend::cuda, Backend::gl}}};
check::Register grid_case{{"cell_grid/grids", run_grids}};
check::Register blob_case{{"cell_grid/blobs", run_blobs}};

} // namespace
} // namespace vigil::cell_grid
