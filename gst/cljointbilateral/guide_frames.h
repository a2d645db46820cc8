// SPDX-License-Identifier: LGPL-2.1-or-later
// The guide's frames: which of them goes with a picture, and that frame in the picture's format. The
// aggregator's thread alone uses it, except where it is said otherwise.
#pragma once

#include "gst/cljointbilateral/guide_converter.h"
#include "gst/cljointbilateral/pairing.h"

#include <atomic>
#include <exception>
#include <gst/base/gstaggregator.h>
#include <memory>
#include <optional>

namespace vigil::gst::cljointbilateral {

// Whether a pad made the buffer of a GAP event: it has no picture.
bool is_gap(GstBuffer *);
// GST_CLOCK_TIME_NONE where the buffer or the pad's segment has no time.
GstClockTime running_time(const GstAggregatorPad *, GstBuffer *);

class GuideFrames {
 public:
  explicit GuideFrames(GstAggregator *element) : agg_(element) {} // which outlives it

  void start();
  void stop() noexcept;
  void set_caps(const GstCaps *);                // throws as frame_kind()
  void picture_changed() { converter_.reset(); } // pictures are of another kind
  void picture_flushed() { before_.reset(); }
  void flushed() { flushed_ = true; } // any thread

  // Leaves the frame that goes with a picture of this running time in `chosen`. A frame that is after the
  // picture, or so little before it that it is the nearest, stays on its pad. `tolerance` in milliseconds,
  // below 0: any distance.
  Pair choose(GstClockTime picture, bool timeout, int tolerance, BufferPtr &chosen);
  // The chosen frame as the filter takes it for such a picture; null when there is none, or, after a warning,
  // when it cannot be used.
  GstBuffer *convert(GstBuffer *chosen, const GstVideoInfo &picture);
  // Posts a warning, once for each start.
  void refuse(const std::exception &why);

 private:
  // A frame of the guide, and when it is.
  struct Frame {
    BufferPtr buffer;
    GuideTime time;
  };
  std::optional<GuideTime> time_of(GstAggregatorPad *, GstBuffer *) const;

  GstAggregator *agg_;
  std::optional<GstVideoInfo> info_; // once there are caps
  std::optional<Frame> before_;      // the newest that is not after the picture
  std::atomic<bool> flushed_ = false;
  std::unique_ptr<GuideConverter> converter_; // null: made when it is next needed
  bool refused_ = false;                      // a warning said so
};

} // namespace vigil::gst::cljointbilateral
