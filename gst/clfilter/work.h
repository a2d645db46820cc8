// SPDX-License-Identifier: LGPL-2.1-or-later
// What clfilter does with frames.
#pragma once

#include "gst/clfilter/settings.h"
#include "gst/transform/opencl.h"

namespace vigil::gst::clfilter {

// Throws filter::ChainError when the chain set now cannot be read. The element, the device and the settings outlive the work.
// A chain that turns out later to be of no use is put back to the one before.
std::unique_ptr<ClWork> make_work(GstElement *, ClDevice &, SharedSettings &);

} // namespace vigil::gst::clfilter
