// SPDX-License-Identifier: LGPL-2.1-or-later
// What cljointbilateral does with pictures and guide: the device, the caps, the pictures that go out.
// guide_frames.h has the guide. element.cpp is the GstAggregator around it.
//
// All is called by the aggregator's thread alone (open(), close(), start() and stop() while it does not run),
// except where it is said otherwise.
#pragma once

#include "gst/cljointbilateral/filtering.h"
#include "gst/cljointbilateral/guide_frames.h"
#include "gst/cljointbilateral/joint_stats.h"
#include "gst/cljointbilateral/settings.h"
#include "gst/shared_settings.h"
#include "gst/video/gst_ptr.h"

#include <gst/base/gstaggregator.h>
#include <memory>
#include <optional>
#include <vector>

namespace vigil::gst::cljointbilateral {

class Joint {
 public:
  // `sink` is the pad of the pictures; both outlive it.
  Joint(GstAggregator *element, GstAggregatorPad *sink) : agg_(element), sink_(sink), guide_(element) {}

  SharedSettings<Settings> settings;
  GstStructure *stats() const { return stats_.structure(); } // any thread

  void open(); // NULL to READY. Throws Error::no_device
  void close() noexcept;
  void start();
  void stop() noexcept;

  // Caps of the pictures and of the guide. Throw Error::bad_setting for frames that cannot be filtered,
  // Error::device for a kernel that cannot be built.
  void take_caps(GstCaps *);
  void take_guide_caps(const GstCaps *caps) { guide_.set_caps(caps); }
  // The picture's tags go out after the next picture: the base class drops them, and nothing may go out
  // before it has begun the stream.
  void take_tags(GstEvent *event) { tags_.emplace_back(gst_event_ref(event)); }
  // Sets the caps that go out and makes their pool, once there are any. False: the next element wants none.
  bool negotiate();

  // The next picture, when there is one, and the guide for it. Exceptions end the stream.
  GstFlowReturn aggregate(bool timeout);
  // When the next picture is to be filtered at the latest, without upstream's latency: its running time.
  GstClockTime next_time();
  void flushed() { guide_.picture_flushed(); }
  void guide_flushed() { guide_.flushed(); } // any thread

 private:
  struct PoolStop {
    void operator()(GstBufferPool *pool) const {
      gst_buffer_pool_set_active(pool, FALSE);
      gst_object_unref(pool);
    }
  };

  void filter(GstBuffer *in, GstBuffer *guide, GstBuffer *out);

  GstAggregator *agg_;
  GstAggregatorPad *sink_;
  std::shared_ptr<ClDevice> device_; // from READY on
  std::optional<FrameKind> kind_;    // of the pictures, once there are caps
  CapsPtr caps_;
  std::vector<EventPtr> tags_;
  std::unique_ptr<Filtering> filtering_; // once there are caps
  GuideFrames guide_;
  std::unique_ptr<GstBufferPool, PoolStop> pool_;
  JointStats stats_;
};

} // namespace vigil::gst::cljointbilateral
