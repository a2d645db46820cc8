// SPDX-License-Identifier: LGPL-2.1-or-later
// What all backends share: checks, and the choice of one.
#include "kernels/registration/registration.h"

#include "common/error.h"

namespace vigil::registration {

void check_background(const ConstImage &b) {
  if (is_16_bit(b.format)) fail(Error::Kind::bad_setting, "frames with 16 bits a sample are not registered");
}

void check(const ConstImage &frame, const ConstImage &background) {
  if (frame.format == background.format && frame.width == background.width &&
      frame.height == background.height)
    return;
  fail(Error::Kind::bad_setting, "the background is of ", background.width, "x", background.height,
       " pixels in format ", int(background.format), ", but the frame of ", frame.width, "x", frame.height,
       " in format ", int(frame.format));
}

std::unique_ptr<Registration> make(Device &device) {
  switch (device.backend()) {
  case Backend::cuda:
    return make_cuda(device);
  case Backend::gl:
    return make_gl(device);
  default:
    return make_cpu();
  }
}

} // namespace vigil::registration
