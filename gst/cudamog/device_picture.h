// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture in one piece of a device's memory, on its own or with room around it.
#pragma once

#include "common/device.h"
#include "common/plane.h"

namespace vigil::gst::cudamog {

class DevicePicture {
 public:
  DevicePicture() = default;
  // `border` is the room on each side in pixels, a multiple of 64.
  DevicePicture(Device &, PixelFormat, int width, int height, int border = 0);
  Image image() const { return image_; }

 private:
  DeviceBuffer memory_;
  Image image_;
};

} // namespace vigil::gst::cudamog
