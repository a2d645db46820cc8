// SPDX-License-Identifier: LGPL-2.1-or-later
// The owners of gst/video, under the names that the programs use.
#pragma once

#include "gst/video/gst_ptr.h"

namespace vigil::tools {

using gst::BufferPtr, gst::CapsPtr, gst::ErrorPtr, gst::MessagePtr, gst::ObjectPtr, gst::Releaser,
    gst::SamplePtr, gst::TextPtr;

} // namespace vigil::tools
