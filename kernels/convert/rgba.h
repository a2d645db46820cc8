// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in any 8-bit format as RGBA, for algorithms that work on colours.
//
//   rgba        copied
//   bgra        its bytes in another order
//   gray8       R = G = B = Y
//   nv12, i420  chroma is interpolated between the four nearest values, which lie in the middle of their 2x2
//               pixels, with weights 9, 3, 3, 1 (outside the picture the nearest value counts); then
//                 R = y (Y - black) + rv (V - 128)
//                 G = y (Y - black) - gu (U - 128) - gv (V - 128)
//                 B = y (Y - black) + bu (U - 128)
//               with the factors in 1/8192, rounded to the nearest whole number and clipped to 0..255
// The fourth byte is that of rgba and bgra, unless it carries nothing there (`opaque`); else 255. All is done
// in whole numbers: backends give the same bytes. Source of the factors: ITU-R BT.601, BT.709 and BT.2020, by
// K_r and K_b; the range of Y is 16..235 or 0..255.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <memory>

namespace vigil::convert {

// Of Y'CbCr to R'G'B', in 1/8192 except for `black`.
struct Matrix {
  int black = 16;
  int y = 9539, rv = 13075, gu = 3209, gv = 6660, bu = 16525; // BT.601, 16..235
  bool operator==(const Matrix &) const = default;
};
// The factors for these K_r and K_b. Full range: Y is 0..255, and chroma as wide; else 16..235, and 16..240.
Matrix matrix_for(double kr, double kb, bool full_range);

struct Conversion {
  Matrix matrix;       // for nv12 and i420
  bool opaque = false; // the fourth byte of rgba and bgra carries nothing
};

class Converter {
 public:
  virtual ~Converter() = default;
  // Both pictures are of one size and in the device's memory, `to` is rgba and other memory. Any strides and
  // addresses work; on a GPU 16-byte aligned ones run fastest. Throws Error::bad_setting when they differ, or
  // have 16 bits a sample.
  virtual void apply(ConstImage from, const Conversion &, Image to, Queue &) = 0;
};
std::unique_ptr<Converter> make_reference(); // host memory
std::unique_ptr<Converter> make_cpu(Device &);
std::unique_ptr<Converter> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Converter> make_gl(Device &);
std::unique_ptr<Converter> make(Device &); // of the device's backend, CUDA or CPU
// What every backend does before it starts.
void check_pictures(const ConstImage &from, const Image &to);

} // namespace vigil::convert
