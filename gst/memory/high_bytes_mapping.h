// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of 10 bits (P010) for work that reads 8: the mapping gives the upper bytes of their samples, as NV12, made on the device.
#pragma once

#include "gst/memory/frame_mapping.h"

namespace vigil::gst {

bool needs_high_bytes(const FrameKind &);
// The same frames as what their 8-bit counterpart is called: P010_10LE becomes NV12, all others stay.
GstVideoInfo eight_bit_info(const GstVideoInfo &);
// `frames` gives the picture of 10 bits on the device. The slot gives a picture to read, and none to write.
std::unique_ptr<FrameMapping> make_high_bytes_mapping(Device &, const FrameKind &,
                                                      std::unique_ptr<FrameMapping> frames);

} // namespace vigil::gst
