// SPDX-License-Identifier: LGPL-2.1-or-later
// What clhistogram does with frames, and what becomes of the counts.
#pragma once

#include "gst/clhistogram/settings.h"
#include "gst/transform/opencl.h"

#include <functional>
#include <memory>

namespace vigil::gst::clhistogram {

inline constexpr const char *meta_name = "vigil-histogram";
void register_meta(); // once a process, before the first frame

// `snapshot` gives the settings of the moment. The element and the device outlive the work.
std::unique_ptr<ClWork> make_work(GstElement *, ClDevice &, std::function<Settings()> snapshot);

} // namespace vigil::gst::clhistogram
