// SPDX-License-Identifier: LGPL-2.1-or-later
// What makes an element out of the machine (VigilTransform, transform.h): its settings, its place and its
// work.
#pragma once

#include "gst/properties.h"
#include "gst/shared_settings.h"
#include "gst/transform/device_selector.h"
#include "gst/transform/frame_processor.h"

#include <gst/base/gstbasetransform.h>
#include <memory>

namespace vigil::gst {

// How many frames are held. An Element may leave the depth open (automatic_depth): the transform then holds
// none of a live source, where each frame that is held is latency, nor on a processor, where nothing goes on
// meanwhile. Of other sources it holds as many as keep a GPU busy.
struct PipelineDepth {
  int group = 1; // frames that are worked on together
  int depth = 0; // frames that may be under way while further ones come
  int held() const { return group - 1 + depth; }
  bool operator==(const PipelineDepth &) const = default;
};

// One for each element, from its making to its end.
class Element {
 public:
  virtual ~Element() = default;

  // Properties, by their ids; any thread. False when there is no such id.
  virtual bool set_property(guint id, const GValue *) = 0;
  virtual bool get_property(guint id, GValue *) const = 0;
  virtual guint stats_id() const = 0;
  // The element's own fields of `stats`; any thread. Must not wait for the work, which may take seconds.
  virtual void add_stats(GstStructure *) const {}

  // Any thread. Its depth may be automatic_depth.
  virtual PipelineDepth flow() const = 0;
  // Whether buffers that come in may go out: then upstream's pool has to serve downstream as well.
  virtual bool passes_buffers() const = 0;
  // Whether the work learns from frames, or finds events in them: corrupted ones are then passed by
  // (FrameProcessor::pass_by).
  virtual bool learns() const { return false; }

  virtual DeviceSelector &device_selector() = 0;
  virtual std::unique_ptr<FrameProcessor> make_processor(Device &) = 0;

  // At READY to PAUSED, before the first frame; may throw, and what it gives the new work goes there.
  virtual void start() {}
  // At PAUSED to READY, under the work lock; the work is null when it was lost with a device. Errors become
  // warnings.
  virtual void stop(FrameProcessor *) {}
  // After it, when the work is gone, without a lock: for what takes long or may call foreign code, as posting
  // a message does.
  virtual void stopped() {}
  // Before and after the work takes each frame, by the streaming thread without a lock.
  virtual void before_frame() {}
  virtual void after_frame() {}
  // The stream is over: the last frame has left.
  virtual void end_of_stream() {}
  // Frames and what was expected of them are dropped by a flush.
  virtual void flushed() {}
};

// An element whose settings are a struct S with this table of properties, and which has `stats` after them.
template <class S>
class ElementWith : public Element {
 public:
  explicit ElementWith(const Properties<S> &properties) : properties_(properties) {}
  bool set_property(guint id, const GValue *value) override {
    return settings.change([&](S &s) { return properties_.set(s, id, value); });
  }
  bool get_property(guint id, GValue *value) const override {
    return settings.read([&](const S &s) { return properties_.get(s, id, value); });
  }
  guint stats_id() const override { return properties_.stats_id(); }

  SharedSettings<S> settings;

 private:
  const Properties<S> &properties_;
};

} // namespace vigil::gst
