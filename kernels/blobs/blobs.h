// SPDX-License-Identifier: LGPL-2.1-or-later
// Connected components of a mask, with what is to be known of each: the contract.
//
// F is the set of the mask's pixels of value 255. Two pixels of F are neighbours when they share an edge
// (`four`), or an edge or a corner (`eight`). A component is a largest set of pixels of F in which each can
// be reached from each other one over neighbours. With pixel p of a component at column x(p) and row y(p), n
// its number of pixels and the centre of a pixel at (x + 1/2, y + 1/2):
//   area      n
//   box       the smallest rectangle that holds all of its pixels
//   centroid  c = 1/n sum (x(p) + 1/2, y(p) + 1/2)
//   moments   xx = 1/n sum (x(p) + 1/2 - cx)^2, xy and yy alike: central second moments, in pixels^2
//   colour    1/n sum of the picture's samples at p: R G B of rgba and bgra, Y U V of nv12 and i420 (U and V
//             of the 2x2 pixels that p belongs to), Y 0 0 of gray8
// All of them come from sums of whole numbers, so that every backend gives the same ones, to the bit.
//
// Rosenfeld and Pfaltz 1966 (doi:10.1145/321356.321357) define components; both backends find them with
// union-find, where a component's root is its first pixel in the order of rows, then columns. The CPU unites
// the runs of neighbouring rows (He, Chao, Suzuki 2008, doi:10.1109/TIP.2008.917208), CUDA unites in tiles,
// then over their borders (Allegretti, Bolelli, Grana 2019, doi:10.1109/TPDS.2019.2934683), but runs of up to
// 32 columns, of two rows with eight neighbours, where they take blocks of 2x2.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>
#include <span>

namespace vigil::blobs {

enum class Neighbours : std::uint8_t { four, eight };

struct Config {
  int width = 0, height = 0; // of the mask, 1..32767
  int most = 4096;           // components that are reported at most, 1..1048576
};

struct Params {
  // Pixels that a component must have to be reported; 0 counts as 1. When more than `most` have as many, it
  // is doubled until there are no more than that.
  std::uint32_t min_area = 1;
  Neighbours neighbours = Neighbours::eight;
};

// A reported component.
struct Blob {
  int x = 0, y = 0, width = 0, height = 0; // box
  std::uint32_t area = 0;
  std::uint32_t first = 0; // its first pixel: y * the mask's width + x
  std::uint64_t sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, sum_yy = 0; // of x(p), y(p) and their products
  std::uint64_t sum_colour[3] = {};                                       // 0 without a picture
  bool operator==(const Blob &) const = default;
};
struct Moments {
  double x, y;       // centroid
  double xx, xy, yy; // central second moments
};
Moments moments(const Blob &);

// What was found in one mask. Lies in host memory that the device writes to by itself: what travels are the
// reported components and nothing else. Must not be read, moved or go before the queue got there.
class Results {
 public:
  Results() = default;
  Results(Device &, const Config &); // the device must outlive it

  // Largest first, those of the same area in the order of their first pixels. The first call sorts them.
  std::span<const Blob> blobs();
  struct Head {
    std::uint64_t foreground; // pixels of F
    std::uint64_t between;    // pixels of the mask that are neither 0 nor 255
    std::uint32_t components; // of any area
    std::uint32_t blobs;      // reported
    std::uint32_t min_area;   // that was asked of these
    std::uint32_t sorted;     // by blobs() already
  };
  Head &head() const { return *static_cast<Head *>(memory_.get()); }
  Blob *memory() const { return reinterpret_cast<Blob *>(static_cast<Head *>(memory_.get()) + 1); }
  // Bytes that the device wrote to host memory.
  std::size_t bytes() const { return sizeof(Head) + head().blobs * sizeof(Blob); }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  std::shared_ptr<void> memory_;
};

// A map of square cells of the mask, row by row, in the device's memory: 1 where a reported component has a
// pixel, else 0.
struct CellMap {
  std::uint8_t *cells = nullptr;
  int size = 0; // of a cell in pixels, >= 1
  int columns = 0, rows = 0;
  std::uint8_t *host =
      nullptr; // null, or host memory of the device (Device::allocate_host) that gets the same
};

// What else is wanted; all of it in the device's memory, and all may be missing.
struct Extras {
  ConstImage picture; // of the mask's size, 8 bits a sample: colours are summed over it
  Plane<std::int32_t>
      labels; // gets 0 outside of F and a component's first + 1 in all of its pixels, of any area
  CellMap map;
};

class Finder {
 public:
  virtual ~Finder() = default;
  // Any stride and address of the mask works; on a GPU rows at multiples of 16 bytes are fastest. Throws
  // Error::bad_setting when a size is not the one that this was made for, or the results are another
  // config's.
  virtual void apply(Plane<const std::uint8_t> mask, const Params &, const Extras &, Results &, Queue &) = 0;
};
// Memory for one size; no allocation per frame. Throws Error::bad_setting when the config is out of range.
std::unique_ptr<Finder> make_reference(const Config &);      // naive loops; host memory
std::unique_ptr<Finder> make_cpu(Device &, const Config &);  // the device must outlive the finder
std::unique_ptr<Finder> make_cuda(Device &, const Config &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Finder> make_gl(Device &, const Config &);
std::unique_ptr<Finder> make(Device &, const Config &);

} // namespace vigil::blobs
