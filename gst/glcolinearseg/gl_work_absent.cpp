// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of gl_work.cpp in builds without OpenGL.
#include "gst/glcolinearseg/work.h"

#include "common/error.h"

namespace vigil::gst::glcolinearseg {

std::unique_ptr<SegmentWork> make_gl_work(Device &, SegmentElement &) {
  fail(Error::Kind::no_device, "this build has no OpenGL");
}

} // namespace vigil::gst::glcolinearseg
