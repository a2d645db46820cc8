// SPDX-License-Identifier: LGPL-2.1-or-later
// What a sketch (sketch.h) takes from a picture: three numbers for each cell of a coarse grid. The contract
// that every backend keeps.
//
// The picture is cut into square cells of c = max(4, ceil(longest side / 80)) pixels; what is left over at
// the right and at the bottom is not looked at. For each cell
//   sum     of luma over every max(1, c / 4)-th pixel of every max(1, c / 4)-th row
//   across  luma(x + r, y) - luma(x - r, y) at the cell's middle pixel (x, y), with r = max(1, c / 12) pixels
//   down    luma(x, y + r) - luma(x, y - r) there
// Luma is the first plane's, or (77 R + 150 G + 29 B + 128) >> 8; 8 bits a sample. All are integers, so
// backends give the same bytes. Source: this project.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>

namespace vigil::tamper {

inline constexpr int most_cells = 80; // along the longest side
inline constexpr int least_cell = 4;  // pixels

struct Layout {
  int width = 0, height = 0; // of the picture
  int cell = 0;              // pixels
  int columns = 0, rows = 0;
  VIGIL_HOST_DEVICE int cells() const { return columns * rows; }
  VIGIL_HOST_DEVICE int step() const { return cell < 4 ? 1 : cell / 4; } // from sample to sample of a sum
  int samples() const {                                                  // of a sum
    const int side = (cell + step() - 1) / step();
    return side * side;
  }
  bool operator==(const Layout &) const = default;
};
Layout layout_for(int width, int height);

struct Spot {
  std::int32_t sum = 0;
  std::int16_t across = 0, down = 0;
  bool operator==(const Spot &) const = default;
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Writes layout_for(its size).cells() spots, row by row, to `spots`, in the device's memory or in its host
  // memory (Device::allocate_host). Throws Error::bad_setting for 16 bits a sample.
  virtual void apply(const ConstImage &picture, Spot *spots, Queue &) = 0;
};
std::unique_ptr<Sampler> make_cpu();          // plain loops
std::unique_ptr<Sampler> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Sampler> make_gl(Device &);
std::unique_ptr<Sampler> make(Device &); // the device must outlive it
// What every backend does before it starts.
void check(const ConstImage &picture);

} // namespace vigil::tamper
