// SPDX-License-Identifier: LGPL-2.1-or-later
// Compressed frames that can be left out without harm to those after them.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

// A JPEG picture, or a frame of H.264 whose slices all have nal_ref_idc 0. False where that is not known.
bool nothing_refers_to(GstBuffer *, const GstCaps *);

} // namespace vigil::monitor
