// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element cudamog, for the files that make it up:
//   gstcudamog.cpp   the GObject: properties, signals, states
//   negotiation.cpp  caps and buffer pools
//   streaming.cpp    frames, events and queries
//   pipeline.*       the work on the device, without GstElement; model.cpp: the model's life
//   model_file.*     the file that model-location names
//   learning.*       how fast it learns
//   settings.*       all that can be set
#pragma once

#include "gst/base/cuda.h"
#include "gst/base/gl.h"
#include "gst/base/motion.h"
#include "gst/cudamog/debug.h"
#include "gst/cudamog/model_file.h"
#include "gst/cudamog/pipeline.h"
#include "gst/cudamog/settings.h"

#include <atomic>
#include <gst/base/gstbasetransform.h>
#include <mutex>

namespace vigil::gst::cudamog {

struct Impl {
  explicit Impl(GstElement *element) : gl(element), model_file(element) {}

  // Held for moments, by any thread.
  std::mutex settings_mutex;
  Settings settings;

  // NULL to READY and back.
  CudaContext cuda;
  GlContext gl;
  std::unique_ptr<Device> device;
  std::atomic<bool> only_cpu = false; // for caps, which any thread may ask for

  // Held while a frame is worked on, never while one is pushed or a message is posted. Guards what follows.
  std::mutex work_mutex;
  std::unique_ptr<Pipeline> pipeline; // from start to stop
  Stats last_stats;                   // when there is none
  bool model_saved = false;           // at model-location, and nothing was learnt since
  std::string backend_name, device_name;

  // The streaming thread's own, and that of start() and stop(), which are called without it.
  ModelFile model_file;
  HostCopies host_copies;
  FrameKind in, out;
  Output output{}; // of the frame that came last
  Motion motion;
  GstClockTime previous_time = GST_CLOCK_TIME_NONE; // running time of the frame that came last
  FrameTime last_time;                              // of the frame that went last
  GstClockTime motion_time = 0;                     // running time of the frame that went last

  Settings snapshot() {
    const std::lock_guard lock(settings_mutex);
    return settings;
  }
};

} // namespace vigil::gst::cudamog

struct GstCudaMog {
  GstBaseTransform parent;
  vigil::gst::cudamog::Impl *impl;
};

namespace vigil::gst::cudamog {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstCudaMog *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstBaseTransformClass *parent_class();

void install_negotiation(GstBaseTransformClass *);
void install_streaming(GstBaseTransformClass *);
// Frames that may be held at once.
int frames_held(const Flow &);
// Writes the model to model-location unless it is there already; for the end of the stream and the stop.
void save_at_the_end(GstBaseTransform *) noexcept;
// Pushes all frames that are held.
void drain(GstBaseTransform *);

} // namespace vigil::gst::cudamog
