// SPDX-License-Identifier: LGPL-2.1-or-later
// How frames and events get into an element that holds frames, and how they leave it: in the order in which
// they came.
//
// Serialized events queue with the frames. Some drain the element first, which pushes all frames that are
// held:
//   CAPS, SEGMENT, STREAM_START   what comes after them is of another kind
//   EOS, SEGMENT_DONE, STREAM_GROUP_DONE, GAP   no frame may come for a while that would push those that are
//                                               held
// FLUSH_STOP drops the frames. It also drops the events that wait for them, but keeps sticky ones for the
// source pad, as GStreamer's queue does.
//
// GstBaseTransform marks the next buffer that it pushes as DISCONT, which would be an older frame. So the
// flag is taken off the buffer on the sink pad, kept with the frame, and set again when that one leaves.
#pragma once

#include "gst/video/gst_ptr.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <gst/base/gstbasetransform.h>
#include <optional>

namespace vigil::gst {

// What an element does about the frames that it holds. The functions may throw.
class FrameSource {
 public:
  struct Taken {
    BufferPtr buffer;
    bool discont = false;
  };
  // The oldest frame that may leave. With `all` frames are waited for, also those that could be held longer.
  virtual std::optional<Taken> take(bool all) = 0;
  virtual void discard() noexcept = 0;
  virtual int most_held() = 0; // frames that may be held, which is what LATENCY tells; any thread

 protected:
  ~FrameSource() = default;
};

// All but answer() is for the streaming thread, which holds no lock.
class OrderedOutput {
 public:
  // `base`: the class whose functions do the rest.
  OrderedOutput(GstBaseTransform *, FrameSource &);
  ~OrderedOutput() { reset(); }
  OrderedOutput(const OrderedOutput &) = delete;
  OrderedOutput &operator=(const OrderedOutput &) = delete;

  // In submit_input_buffer(): lets the base class negotiate and drop late frames. Where this is not
  // GST_FLOW_OK or `in` stays null, there is no frame to work on.
  GstFlowReturn receive(GstBaseTransformClass *base, gboolean discont, GstBuffer *input, BufferPtr &in);
  // Whether the frame that was received last starts over. Call it once, when that frame is going to be held.
  bool accept();
  // In generate_output().
  GstFlowReturn generate(GstBuffer **output);
  // In sink_event(), instead of the base class's function.
  gboolean sink_event(GstBaseTransformClass *base, GstEvent *);
  // In query(), instead of the base class's function: DRAIN, LATENCY and POSITION know of the held frames.
  // Any thread.
  gboolean answer(GstBaseTransformClass *base, GstPadDirection, GstQuery *);
  // Pushes all frames that are held, and the events between them. What downstream says is returned by the
  // next receive().
  void drain();
  void reset(); // at the stop: no frame is held

 private:
  struct HeldEvent {
    std::uint64_t after; // the number of frames that came before it
    GstBaseTransformClass *base;
    GstEvent *event;
  };
  static GstFlowReturn chain(GstPad *, GstObject *, GstBuffer *);
  void forward_due();
  void flush();
  GstBuffer *leave(FrameSource::Taken);

  GstBaseTransform *trans_;
  FrameSource &frames_;
  GstPadChainFunction base_chain_;
  bool discont_ = false;              // of the next frame
  std::uint64_t came_ = 0, left_ = 0; // frames
  std::deque<HeldEvent> events_;      // oldest first
  GstFlowReturn flow_ = GST_FLOW_OK;  // what downstream said to frames that were drained
  std::atomic<GstClockTime> position_{GST_CLOCK_TIME_NONE}; // where the frame that left last ends
};

// The element holds more or fewer frames from now on: both neighbours are asked to negotiate their pools
// again, and a LATENCY message is posted. Any thread.
void held_frames_changed(GstBaseTransform *);

// As before_transform(): sets controlled properties to their values at the frame's time.
void sync_controlled(GstBaseTransform *, GstBuffer *);

} // namespace vigil::gst
