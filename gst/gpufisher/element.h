// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element gpufisher, for the files that make it up:
//   gstgpufisher.cpp  the GObject: properties, states
//   negotiation.cpp   caps and buffer pools
//   streaming.cpp     frames, events and queries
//   scorer.*          the work on the device, without GstElement
//   events.*          from scores to the begin and end of events
//   meta.*            what goes on the frames
//   settings.*        all that can be set
#pragma once

#include "gst/gpufisher/debug.h"
#include "gst/gpufisher/events.h"
#include "gst/gpufisher/scorer.h"
#include "gst/gpufisher/settings.h"
#include "gst/memory/cuda_context.h"

#include <atomic>
#include <gst/base/gstbasetransform.h>
#include <mutex>

namespace vigil::gst::gpufisher {

struct Impl {
  // Held for moments, by any thread.
  std::mutex settings_mutex;
  Settings settings;
  unsigned model_wanted = 0; // counts how often model-location was set

  // NULL to READY and back.
  CudaContext cuda;
  std::unique_ptr<Device> device;
  std::atomic<bool> only_cpu = false; // for caps, which any thread may ask for

  // Held while a frame is worked on, never while one is pushed or a message is posted. Guards what follows.
  std::mutex work_mutex;
  std::unique_ptr<Scorer> scorer; // from start to stop
  Stats last_stats;               // when there is none
  std::string backend_name, device_name;

  // The streaming thread's own.
  HostCopies host_copies;
  FrameKind kind;
  unsigned model_taken =
      0; // the value of model_wanted that the model, or the last attempt at one, belongs to
  Events events{0};
  std::shared_ptr<const fisher::Model> model; // of the events
  std::uint64_t frame = 0;                    // since the start or the last flush
  FrameTime last_time;                        // of the scored frame that went last

  Settings snapshot(unsigned *wanted = nullptr) {
    const std::lock_guard lock(settings_mutex);
    if (wanted) *wanted = model_wanted;
    return settings;
  }
};

} // namespace vigil::gst::gpufisher

struct GstGpuFisher {
  GstBaseTransform parent;
  vigil::gst::gpufisher::Impl *impl;
};

namespace vigil::gst::gpufisher {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstGpuFisher *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstBaseTransformClass *parent_class();

void install_negotiation(GstBaseTransformClass *);
void install_streaming(GstBaseTransformClass *);
// Reads the model at a location. Throws Error::bad_setting when there is no location, else as fisher::read_model().
std::shared_ptr<const fisher::Model> read_model(const std::string &location);
// From now on events are the model's; those of another that go on must have been ended.
void begin_events(Impl &, std::shared_ptr<const fisher::Model>);
// Pushes all frames that are held.
void drain(GstBaseTransform *);

} // namespace vigil::gst::gpufisher
