// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_processor.cpp in builds without OpenGL.
#include "gst/glcolinearseg/processor.h"

#include "common/error.h"

namespace vigil::gst::glcolinearseg {

std::unique_ptr<SegmentProcessor> make_gl_work(Device &, SegmentElement &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}

} // namespace vigil::gst::glcolinearseg
