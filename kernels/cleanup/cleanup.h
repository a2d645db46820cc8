// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up of a foreground mask: the contract that every backend keeps.
//
// A mask holds 0 (background), 255 (foreground) and one value between (shadow). Clean-up works on the set
//   F = { p : mask(p) = 255 and p is not ignored }
// in this order, each step only when its size is not 0:
//   median m:  p is in F when more than half of the pixels of the m x m window around it are
//   open r:    erosion, then dilation, by the square of (2r+1) x (2r+1) pixels
//   close r:   dilation, then erosion, by the same kind of square
// Pixels outside the picture count for nothing: the median's half is that of the pixels inside, erosion and
// dilation look at the pixels inside only. Result: 0 where p is ignored, although a step may have put it in
// F; otherwise 255 on F, and the shadow value where the mask had it and p is not in F; 0 elsewhere. With all
// sizes 0 and nothing ignored the mask stays as it is. (Soille, Morphological Image Analysis, chapters 3 and
// 4.)
//
// A moving object of a few pixels has no majority in a large window. With SmallObjects such an object is
// found where it persists, and restore() puts it into the mask. Between the two the mask is the one without
// small objects, for those who measure it. Let F(t) be the set F of call t before all steps, R(t) the one
// after them, M3 the median with window 3, and D3 the dilation by the square of 7 x 7 pixels:
//   S(t) = M3 F(t)
//   C(t) = S(t) and D3 S(t-1) and D3 S(t-2)      persistent pixels; S is empty before the first call
//   K(t) = C(t) in the cells where `allowed` is KeepSmall::all, C(t) and D3 R(t) where it is
//          KeepSmall::near_others, which completes the outlines of larger objects, else nothing
//   seen(cell) = 1 where a pixel of C(t) is in the cell, and not in D3 R(t); else 0
// restore() makes the pixels of K(t) 255 that are not ignored. (Source: this project.)
#pragma once

#include "common/device.h"
#include "common/params.h"
#include "common/plane.h"
#include "kernels/cell_grid/cell_grid.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace vigil::cleanup {

inline constexpr int max_radius = 15;

struct Params {
  int median = 7;
  int open = 0;
  int close = 0;
  bool operator==(const Params &) const = default;
};
inline constexpr auto params_table = std::tuple{
    param("median", "Median size",
          "Side of the window in which the majority decides, in pixels: 3, 5, ... 31; 0: off; an even value "
          "counts as the next odd one",
          &Params::median, 0, 2 * max_radius + 1),
    param("open", "Opening radius", "Radius in pixels: removes foreground narrower than 2*radius+1; 0: off",
          &Params::open, 0, max_radius),
    param("close", "Closing radius", "Radius in pixels: fills gaps narrower than 2*radius+1; 0: off",
          &Params::close, 0, max_radius),
};

// The parameters as the steps use them, each within 0..max_radius; values outside their range count as its
// nearest end.
struct Radii {
  int median = 0; // of a window of 2*median+1 pixels
  int open = 0;
  int close = 0;
};
Radii resolve(const Params &);

// Radius of D3, pixels.
inline constexpr int small_reach = 3;

enum class KeepSmall : std::uint8_t { none, near_others, all };

// Words in a row of K(t), a bit a pixel: pixel x is bit x % 32 of word x / 32. Bits that are no pixels are 0.
constexpr int row_words(int width) {
  return (width + 31) / 32;
}

// Where small objects are kept, where there are some, and which. All in the device's memory, `allowed` and
// `seen` one byte a cell; on OpenGL each begins at a multiple of 4 bytes.
struct SmallObjects {
  cell_grid::Grid grid;
  const std::uint8_t *allowed = nullptr; // KeepSmall; null: none everywhere
  std::uint8_t *seen = nullptr;          // null: the call is one without small objects
  std::uint32_t *kept = nullptr;         // K(t), row after row; not touched where `allowed` is null
};

// Scratch memory for one picture size; made once, no allocation per frame except the first with small
// objects.
class Cleanup {
 public:
  virtual ~Cleanup() = default;
  // `mask` is changed in place. `watch` is null or a picture of the same size: pixels of value 0 in it are
  // ignored. Any strides and addresses work; on a GPU 16-byte aligned ones run fastest. Throws
  // Error::bad_setting when a size is not the one that this was made for, or when `kept` is missing. After a
  // call without small objects S is empty.
  virtual void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &,
                     const SmallObjects &, Queue &) = 0;
  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params, Queue &queue) {
    apply(mask, watch, params, {}, queue);
  }
  // Puts small objects into a mask. `kept` is what apply() made of it. Throws as apply() does.
  virtual void restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
                       Queue &) = 0;
};
std::unique_ptr<Cleanup> make_reference(int width, int height); // naive loops; host memory
// The device must outlive what is made for it. Throws Error::bad_setting for a size below 1x1.
std::unique_ptr<Cleanup> make_cpu(Device &, int width, int height);
std::unique_ptr<Cleanup> make_cuda(Device &, int width, int height); // no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Cleanup> make_gl(Device &, int width, int height);
std::unique_ptr<Cleanup> make(Device &, int width, int height);
// What every backend does before it starts.
void check_size(int width, int height);
void check_planes(int width, int height, Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch,
                  const SmallObjects &);
void check_kept(const std::uint32_t *kept);
// Which of three planes has what is remembered of S(t), S(t-1) and S(t-2).
class SmallRing {
 public:
  int now() const { return at_; }
  int before(int calls) const { return (at_ + 3 - calls) % 3; }
  // A call with small objects. True: the one before had none, so the caller clears all planes.
  [[nodiscard]] bool advance() {
    at_ = (at_ + 1) % 3;
    return !std::exchange(remembers_, true);
  }
  void forget() { remembers_ = false; } // a call without small objects

 private:
  int at_ = 0;
  bool remembers_ = false; // the planes are those of the last calls
};

} // namespace vigil::cleanup
