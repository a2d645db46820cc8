// SPDX-License-Identifier: LGPL-2.1-or-later
// What clfilter does with frames.
#pragma once

#include "gst/clfilter/settings.h"
#include "gst/shared_settings.h"
#include "gst/transform/frame_processor.h"

#include "common/device_cast.h"
#include "common/opencl/device.h"
#include <atomic>

// The log category of the element: GST_DEBUG=clfilter:5.
GST_DEBUG_CATEGORY_EXTERN(cl_filter_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cl_filter_debug

namespace vigil::gst::clfilter {

// What `stats` tells besides the frames; any thread.
struct FilterStats {
  std::atomic<guint> kernels = 0, builds = 0;
  TuningStats tuning;
};

// Throws filter::ChainError when the chain set now cannot be read. The element, the device, the settings and
// the stats outlive the work. A chain that turns out later to be of no use is put back to the one before.
std::unique_ptr<FrameProcessor> make_processor(GstElement *, ClDevice &, SharedSettings<Settings> &,
                                               FilterStats &);

} // namespace vigil::gst::clfilter
