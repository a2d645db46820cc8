// SPDX-License-Identifier: LGPL-2.1-or-later
// Where in a mask the foreground is: a small grid of cells counted on the device, and blobs found in it on
// the host. A few kB are read back, not the mask.
//
// The picture is cut into square cells of `size` pixels (8, 16, 32 or 64: the smallest that gives at most
// 4096 cells, or 64); those at the right and at the bottom may be cut short. A cell holds the number of its
// foreground pixels (value 255) and their bounding box inside it. Blobs are 8-connected groups of cells that
// hold foreground; a blob's area is the sum of its cells' counts and its box the hull of their boxes, so it
// is exact, while objects that come within a cell of each other are one blob. Source: this project.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::cell_grid {

struct Cell {
  std::uint32_t count = 0;
  std::uint8_t left = 0, top = 0, right = 0, bottom = 0; // inclusive, within the cell; all 0 when count is 0
  bool operator==(const Cell &) const = default;
};

struct Grid {
  int width = 0, height = 0; // of the picture
  int size = 0;              // of a cell
  int columns = 0, rows = 0;
  int cells() const { return columns * rows; }
  bool operator==(const Grid &) const = default;
};
Grid grid_for(int width, int height); // throws Error::bad_setting for a size below 1x1

class Counter {
 public:
  virtual ~Counter() = default;
  // Writes grid.cells() cells, row by row, to `cells` in the device's memory (aligned to 8 bytes). Same mask,
  // same bytes. Any stride and address of the mask works; on a GPU 16-byte aligned ones run fastest. Throws
  // Error::bad_setting unless the grid is grid_for() the mask's size.
  virtual void apply(Plane<const std::uint8_t> mask, const Grid &, Cell *cells, Queue &) = 0;
};
std::unique_ptr<Counter> make_reference(); // host memory
std::unique_ptr<Counter> make_cpu(Device &);
std::unique_ptr<Counter> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Counter> make_gl(Device &);
std::unique_ptr<Counter> make(Device &); // the device must outlive the counter
// What every backend does before it starts.
void check_grid(Plane<const std::uint8_t> mask, const Grid &);

struct Blob {
  int x = 0, y = 0, width = 0, height = 0; // bounding box in pixels
  std::uint32_t area = 0;                  // foreground pixels
  bool operator==(const Blob &) const = default;
};
struct Blobs {
  std::vector<Blob> blobs;      // of at least min_area pixels, largest first, then by their first cell
  std::uint64_t foreground = 0; // all foreground pixels of the picture
};
// Host memory. Throws Error::bad_setting when there are not grid.cells() cells.
Blobs find_blobs(std::span<const Cell> cells, const Grid &, std::uint32_t min_area);

} // namespace vigil::cell_grid
