// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of VigilTransform, for the files that make it up (see transform.h).
#pragma once

#include "gst/metadata/frame_judge.h"
#include "gst/transform/active_processor.h"
#include "gst/transform/debug.h"
#include "gst/transform/ordered_output.h"
#include "gst/transform/pools.h"
#include "gst/transform/transform.h"
#include "gst/transform/transform_stats.h"

#include <atomic>
#include <memory>
#include <optional>

namespace vigil::gst {

// Decides a depth that the element leaves open (PipelineDepth, element.h). Any thread.
class DepthChoice {
 public:
  PipelineDepth decided(PipelineDepth) const;
  void source_is_live(bool live) { live_ = live; } // a source that does not say counts as live
  void work_on(Device &);

 private:
  std::atomic<bool> live_ = true;
  std::atomic<bool> device_works_alone_ = false; // while the host goes on
};

struct TransformImpl final : FrameSource {
  explicit TransformImpl(GstBaseTransform *t) : trans(t), work(stats), outlet(t, *this) {}

  std::optional<Taken> take(bool all) override;
  void discard() noexcept override;
  int most_held() override { return flow().held(); }
  // What the element wants, with its depth decided where it is left open. Any thread.
  PipelineDepth flow() const { return depth.decided(element->flow()); }
  void start_work(Device &); // the caller holds the work lock

  GstBaseTransform *trans;
  std::unique_ptr<Element> element;
  TransformStats stats;
  ActiveProcessor work;
  DepthChoice depth;

  // The streaming thread's own.
  OrderedOutput outlet;
  std::optional<FrameKind> in, out; // once there is a format
  FrameJudge judge;
  InputLimit inputs;
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
