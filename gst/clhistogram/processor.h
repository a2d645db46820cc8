// SPDX-License-Identifier: LGPL-2.1-or-later
// What clhistogram does with frames, and what becomes of the counts.
#pragma once

#include "common/device_cast.h"
#include "common/opencl/device.h"
#include "gst/clhistogram/settings.h"
#include "gst/shared_settings.h"
#include "gst/transform/frame_processor.h"

#include <memory>

// The log category of the element: GST_DEBUG=clhistogram:5.
GST_DEBUG_CATEGORY_EXTERN(cl_histogram_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cl_histogram_debug

namespace vigil::gst::clhistogram {

inline constexpr const char *meta_name = "vigil-histogram";
void register_meta(); // once a process, before the first frame

// The element, the device and the settings outlive the work.
std::unique_ptr<FrameProcessor> make_processor(GstElement *, ClDevice &, const SharedSettings<Settings> &);

} // namespace vigil::gst::clhistogram
