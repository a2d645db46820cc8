// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for work that looks at luma alone, in formats that kernels do not read: in system memory.
//
// Where luma is a plane of 8 bits, that plane is the picture, a gray8, and it is used in place on the CPU.
// Elsewhere the host copies what is needed, before a GPU gets it:
//   packed YUV              its luma, as gray8
//   more than 8 bits        the upper 8 bits of its luma, as gray8
//   RGB, BGR                all of it, as rgba
#pragma once

#include "gst/memory/frame_mapping.h"

namespace vigil::gst {

// For pad templates of elements that look at luma alone and take frames from make_luma_mapping(), in addition
// to VIGIL_VIDEO_FORMATS; in system memory only.
#define VIGIL_LUMA_FORMATS                                                                                   \
  "{ YUY2, UYVY, YVYU, VYUY, Y42B, Y444, NV16, RGB, BGR, P010_10LE, I420_10LE, GRAY16_LE }"

bool needs_luma_mapping(const FrameKind &);
// For these frames. The slot gives a picture to read, and none to write.
std::unique_ptr<FrameMapping> make_luma_mapping(Device &, const FrameKind &);

} // namespace vigil::gst
