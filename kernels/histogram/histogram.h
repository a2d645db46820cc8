// SPDX-License-Identifier: LGPL-2.1-or-later
// How often each level occurs in a picture. What the counts say about a camera's exposure is in statistics.h.
//
//   channel[c][v]  pixels whose channel c has the value v, 0..255; the channels are R G B of rgba, bgra and
//                  rgba64, and Y of the other formats (channel[0]; the others are 0)
//   intensity[i]   the same for I = 0.3 R + 0.59 G + 0.11 B, to the nearest whole number, halves up: in whole
//                  numbers (30 R + 59 G + 11 B + 50) / 100; Y itself where the picture has one
//
// With 10 or 16 bits a sample, a level is a sample's 8 highest bits, and I is computed from whole samples
// before it is cut. So black and white have the levels that they have with 8 bits.
//
// Source: listing 3.1 of the thesis on image filters in OpenCL that clbilateral is from
// (docs/reference/elements/clhistogram.md): h256[i] and h64[i >> 2] are counted for the intensity i, whose
// rounding is left open there. Four neighbouring bins of h256 are one of h64, so that one is made on the
// host. Counts are exact on every backend; chroma and alpha are not looked at.
// The counts can be drawn into the picture, in a panel at its lower left (panel_for). A column i of the panel
// shows the bin i * bins / width. With m the largest count of any channel in the bins but the first and the
// last (of all bins when that is 0: what is clipped must not make the rest vanish), a count n is h = height *
// min(n, m) / m rows high, rounded down. A pixel whose row, counted from 1 at the panel's bottom, is not
// above h of channel c becomes (v >> 2) + 176 in that channel, and v >> 2 above. With colours the intensity
// is a line over that: the pixels in the rows h - line + 1 to h are 255 in all channels. Chroma samples with
// a pixel in the panel become 128. Alpha stays. With b more bits a sample, 176, 255 and 128 are 176 * 2^b,
// 256 * 2^b - 1 and 128 * 2^b there; v of p010 is its 10 bits.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::histogram {

inline constexpr int bins = 256;
using Bins = std::array<std::uint32_t, bins>;

struct Counts {
  Bins channel[3] = {};
  Bins intensity{};
  bool operator==(const Counts &) const = default;
};
constexpr int channel_count(PixelFormat f) {
  return f == PixelFormat::rgba || f == PixelFormat::bgra || f == PixelFormat::rgba64 ? 3 : 1;
}
// The same counts in fewer bins; `wanted` is 64 or 256 (Error::bad_setting otherwise).
std::vector<std::uint32_t> in_bins(const Bins &, int wanted);

struct Panel {
  int x = 0, y = 0, width = 0, height = 0; // pixels; x and y are even
  int line = 1;                            // rows that the line is thick
  int bins = histogram::bins;              // 64 or 256
};
// Where the curves are drawn in a picture of this size: 256x128 pixels, more in large pictures, less in small
// ones.
Panel panel_for(int width, int height, int bins);

class Counter {
 public:
  virtual ~Counter() = default;
  // Counts the picture. Any stride and address works, even ones where samples have two bytes; on a GPU rows
  // that start at multiples of 16 bytes run fastest.
  virtual void count(ConstImage, Queue &) = 0;
  // What the last count() counted: `counts` is host memory of the device (Device::allocate_host) and holds it
  // when the queue got there.
  virtual void fetch(Counts *counts, Queue &) = 0;
  // Draws what the last count() counted, of a picture of the same format and size. Throws Error::bad_setting
  // when the panel is not within the picture, or its x or y odd.
  virtual void draw(Image, const Panel &, Queue &) = 0;
};
std::unique_ptr<Counter> make_reference(); // host memory
// How work is cut on a GPU; 0: as it suits the device. A processor takes none of it.
struct Shape {
  int group = 0;  // work-items a group, a power of 2
  int copies = 0; // of each counter in local memory, a power of 2
  int groups = 0; // a compute unit
};
// The device must outlive the counter; calls are made on one queue, or on several that wait for each other.
// Throws Error::no_device in builds without OpenCL.
std::unique_ptr<Counter> make_opencl(Device &, const Shape & = {});
// How a sample's bits lie: its value is (what is stored) >> shift, of which the lowest 8 + more bits count.
struct Sample {
  int bytes, shift, more;
};
constexpr Sample sample_of(PixelFormat f) {
  if (!is_16_bit(f)) return {1, 0, 0};
  if (f == PixelFormat::p010) return {2, 6, 2};
  return {2, 0, f == PixelFormat::i420_10 ? 2 : 8};
}
// What every backend does before it starts.
void check_picture(const ConstImage &);
void check_panel(const Image &, const Panel &);

} // namespace vigil::histogram
