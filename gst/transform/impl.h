// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of VigilTransform, for the files that make it up (see transform.h).
#pragma once

#include "gst/metadata/frame_judge.h"
#include "gst/transform/debug.h"
#include "gst/transform/frames_in_flight.h"
#include "gst/transform/ordered_output.h"
#include "gst/transform/pools.h"
#include "gst/transform/transform.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::gst {

struct TransformImpl final : FrameSource {
  explicit TransformImpl(GstBaseTransform *t) : trans(t), outlet(t, *this) {}

  std::optional<Taken> take(bool all) override;
  void discard() noexcept override;
  int most_held() override { return flow().held(); }
  // What the element wants, with its depth decided where it is left open. Any thread.
  PipelineDepth flow() const;

  GstBaseTransform *trans;
  std::unique_ptr<Element> element;

  // Held while a frame is worked on, never while one is pushed or a message is posted. Guards what follows.
  std::mutex work_mutex;
  std::unique_ptr<FrameProcessor> work; // from start to stop, as the frames that it works on
  std::unique_ptr<FramesInFlight> frames;
  Device *device = nullptr;                             // where both are
  std::unique_ptr<FrameProcessor::PortableState> state; // of work that is gone, for the next one

  // Held for moments, by any thread. Guards what `stats` tells.
  std::mutex stats_mutex;
  Counts counts;
  std::string backend, device_name;

  // The streaming thread's own.
  OrderedOutput outlet;
  std::optional<FrameKind> in, out; // once there is a format
  PoolLimit pool_limit;
  FrameLengths lengths;
  CorruptedFrames corrupted;
  std::vector<BufferPtr> gone;               // frames let go of them; for GiveBack
  std::size_t most_inputs = SIZE_MAX;        // that may be held of upstream's pool
  std::atomic<guint> downstream_buffers = 0; // that downstream wants to have for itself

  // What decides about an open depth. A source that does not say counts as live.
  std::atomic<bool> live = true;          // the source, by its answer to LATENCY
  std::atomic<bool> works_beside = false; // the device works while the host goes on

  // The caller of these holds work_mutex.
  void start_work(Device &);
  void stop_work();
  void count();
};

// To stand before a lock: once it is open, gives back the buffers that frames let go of meanwhile. Their last
// owner may run code of others, which may call the element.
struct GiveBack {
  TransformImpl &impl;
  ~GiveBack() {
    while (!impl.gone.empty()) {
      const BufferPtr last = std::move(impl.gone.back());
      impl.gone.pop_back();
    }
  }
};

inline TransformImpl &impl_of(gpointer self) {
  return *static_cast<VigilTransform *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstBaseTransformClass *parent_class();
void install_streaming(GstBaseTransformClass *);
void install_negotiation(GstBaseTransformClass *);

// Frames of these kinds come from now on; none is held. Throws, and then there is no format.
void take_format(TransformImpl &, const FrameKind &in, const FrameKind &out);
void post_place_warning(TransformImpl &);

} // namespace vigil::gst
