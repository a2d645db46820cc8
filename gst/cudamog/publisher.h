// SPDX-License-Identifier: LGPL-2.1-or-later
// What was found in a frame, as metadata on it and as messages on the bus.
//
// Messages about the camera: camera-covered, camera-blurred or camera-moved with the fields of
// new_timed_structure() and
//   state              string, begin or end
//   since              guint64, running time in ns at which it was first seen; missing where the frames have
//                      none
//   agreement          gdouble, 0..1: share of the textured parts of the picture that show what they showed
//   sharpness          gdouble, 1: as sharp as before; missing where it is not known
//   shift-x, shift-y   gdouble, pixels by which the picture's content moved to the right and down; of a
//                      camera-moved that begins, and missing where nothing of the old view is found
#pragma once

#include "gst/cudamog/frame_context.h"
#include "gst/metadata/mask_meta.h"
#include "gst/metadata/motion.h"
#include "gst/metadata/results.h"

#include <optional>

namespace vigil::gst::cudamog {

class Publisher {
 public:
  explicit Publisher(GstElement *element) : element_(element) {}
  void start();
  // `mask`: null, or a copy of the mask to attach.
  void publish(BufferPtr &, const FrameTime &, const FrameContext &, MaskCopies::Frame *mask);
  // The last frame was published. `tamper`: what is to be reported of the camera at the end.
  void end_of_stream(const MotionSettings &, const std::optional<tamper::Event> &tamper);

 private:
  void post_tamper(const tamper::Event &, const FrameTime &);

  GstElement *element_;
  Motion motion_;
  FrameTime last_time_;          // of the frame that was published last
  GstClockTime motion_time_ = 0; // its running time, or a guess where it has none
};

} // namespace vigil::gst::cudamog
