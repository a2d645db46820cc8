// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of VigilClTransform, for the files that make it up (see opencl.h).
#pragma once

#include "gst/base/opencl_pipeline.h"
#include "gst/base/properties.h"

#include <mutex>

GST_DEBUG_CATEGORY_EXTERN(vigil_opencl_debug);
#define GST_CAT_DEFAULT vigil_opencl_debug

namespace vigil::gst {

struct ClFlow {
  int async_depth = 0;
};
struct ClSettings {
  std::string device;
  ClFlow flow;
};

struct ClImpl {
  // Held for moments, by any thread.
  std::mutex settings_mutex;
  ClSettings settings;

  // From NULL to READY and back.
  std::shared_ptr<ClDevice> device;

  // Held while a frame is worked on, never while one is pushed or a message is posted. Guards what follows.
  std::mutex work_mutex;
  std::unique_ptr<ClWork> work; // from start to stop, like the pipeline that uses it
  std::unique_ptr<ClPipeline> pipeline;
  ClStats last_stats; // when there is none
  std::string device_name;

  ClSettings snapshot() {
    const std::lock_guard lock(settings_mutex);
    return settings;
  }
};

inline ClImpl &cl_impl_of(gpointer self) {
  return *static_cast<VigilClTransform *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstBaseTransformClass *cl_parent_class();
void install_cl_streaming(GstBaseTransformClass *);

} // namespace vigil::gst
