// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of 16 bits a sample as pictures of 8 bits, for algorithms that read nothing finer:
//
//   p010 -> nv12    out = floor(in / 256), the upper byte of each sample
//
// The range of 64..940 becomes 16..235: p010 and nv12 of the same colours differ in the bits that are lost alone. Backends give
// the same bytes.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <memory>

namespace vigil::convert {

class HighBytes {
 public:
  virtual ~HighBytes() = default;
  // `from` is p010, `to` nv12 of the same size; both are in the device's memory, and do not overlap. Any strides and addresses
  // work; on a GPU 16-byte aligned ones run fastest. Throws Error::bad_setting for other pictures.
  virtual void apply(ConstImage from, Image to, Queue &) = 0;
};
std::unique_ptr<HighBytes> make_high_bytes_reference(); // host memory
std::unique_ptr<HighBytes> make_high_bytes_cpu(Device &);
std::unique_ptr<HighBytes> make_high_bytes_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws Error::no_device when built
// without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<HighBytes> make_high_bytes_gl(Device &);
std::unique_ptr<HighBytes> make_high_bytes(Device &); // of the device's backend
// What every backend does before it starts.
void check_high_bytes(const ConstImage &from, const Image &to);

} // namespace vigil::convert
