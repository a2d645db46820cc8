// SPDX-License-Identifier: LGPL-2.1-or-later
// A neural network in a file (ONNX), run by OpenCV's dnn on one thread. Of one thread.
#pragma once

#include "answer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace vigil::monitor {

// False: this build has no library for that.
bool have_networks();
inline constexpr const char *no_networks =
    "this build of vigil-monitor has no detector; build it with OpenCV's dnn (Debian: libopencv-dnn-dev) and "
    "-Ddetector=enabled, or remove the section";

class Network {
 public:
  // Throws Error::io, Error::bad_data, naming the file, when it is missing, damaged or has layers that OpenCV
  // does not know.
  explicit Network(const std::string &file);
  ~Network();

  // Of a picture of 8-bit RGB. The network gets it as 1x3xHxW, 0..1, in RGB or BGR. Throws Error::bad_data
  // when its input has another size, or it has not one output.
  NetworkOutput run(std::span<const std::uint8_t> rgb, int width, int height, bool bgr);

 private:
  struct Impl;
  const std::string file_;
  const std::unique_ptr<Impl> impl_;
};

} // namespace vigil::monitor
