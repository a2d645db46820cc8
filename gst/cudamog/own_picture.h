// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture in one piece of a device's memory.
#pragma once

#include "common/plane.h"
#include "gst/memory/slots.h"

namespace vigil::gst::cudamog {

class OwnPicture {
 public:
  OwnPicture() = default;
  OwnPicture(Device &, PixelFormat, int width, int height);
  Image image() const { return image_; }

 private:
  DeviceBuffer memory_;
  Image image_;
};

} // namespace vigil::gst::cudamog
