// SPDX-License-Identifier: LGPL-2.1-or-later
// The joint bilateral filter on buffers: brings picture and guide to the device, waits for the result.
#pragma once

#include "common/error.h"
#include "common/opencl/device.h"
#include "gst/memory/frame_mapping.h"
#include "kernels/bilateral/tune.h"

#include <memory>
#include <optional>

// The log category of the element: GST_DEBUG=cljointbilateral:5.
GST_DEBUG_CATEGORY_EXTERN(cl_joint_bilateral_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cl_joint_bilateral_debug

namespace vigil::gst::cljointbilateral {

class Filtering {
 public:
  struct Options {
    bilateral::Params params; // by which a variant is chosen
    tuning::Mode tune;
  };
  // For pictures of this kind. The device outlives it. Throws Error::device where a kernel cannot be built.
  Filtering(ClDevice &, const FrameKind &, const Options &);
  // `guide` is of the picture's format and size, or null: weights then come from the picture itself. Returns
  // when `out` is written, with the reason when the guide could not be read and was left out. Throws
  // Error::bad_data when another buffer is not what the caps say.
  std::optional<Error> apply(GstBuffer *picture, GstBuffer *guide, GstBuffer *out, const bilateral::Params &);

  const bilateral::Tuned &tuned() const { return tuned_; }
  double milliseconds() { return timer_->milliseconds(); } // of the last picture, by the device's clock
  const ByteCounts &copied() const { return copied_; }

 private:
  bilateral::Tuned tuned_;
  std::unique_ptr<bilateral::Filter> filter_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Timer> timer_;
  ByteCounts copied_;
  DeviceFrameMapping picture_, guide_, out_;
};

} // namespace vigil::gst::cljointbilateral
