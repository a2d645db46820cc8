// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames, events and queries of cudamog.
#include "gst/base/streaming.h"
#include "common/error.h"
#include "gst/base/allocation.h"
#include "gst/base/errors.h"
#include "gst/base/video.h"
#include "gst/cudamog/element.h"

#include <exception>
#include <optional>
#include <utility>

namespace vigil::gst::cudamog {
namespace {

// How long the frame lasts: the time since the last one, what its buffer says, or the caps' frame rate.
double seconds_of(GstBaseTransform *trans, const FrameTime &time) {
  Impl &impl = impl_of(trans);
  const GstClockTime before = std::exchange(impl.previous_time, time.running);
  if (GST_CLOCK_TIME_IS_VALID(before) && GST_CLOCK_TIME_IS_VALID(time.running) && time.running > before)
    return double(time.running - before) / GST_SECOND;
  return double(duration_of(GST_BASE_TRANSFORM_SINK_PAD(trans), time)) / GST_SECOND;
}

// A change of output that needs other caps waits for their negotiation.
Output output_for(Impl &impl, Output wanted) {
  const bool grey_out = GST_VIDEO_INFO_FORMAT(&impl.out.info) == GST_VIDEO_FORMAT_GRAY8;
  const bool grey_in = GST_VIDEO_INFO_FORMAT(&impl.in.info) == GST_VIDEO_FORMAT_GRAY8;
  if (grey_in || (wanted == Output::mask) == grey_out) return impl.output = wanted;
  if ((impl.output == Output::mask) != grey_out) impl.output = grey_out ? Output::mask : Output::passthrough;
  return impl.output;
}

// Frames that come in the memory of another CUDA context, of a device that we may use: go over to it, and take the
// model along.
void follow_context(GstBaseTransform *trans, GstBuffer *buffer, const Settings &settings) {
  Impl &impl = impl_of(trans);
  if (!needs_other_context(impl.cuda, impl.in, buffer, settings.place)) return;
  GST_INFO_OBJECT(trans, "the frames are of another CUDA context: going over to it");
  drain(trans);
  const std::lock_guard lock(impl.work_mutex);
  std::optional<mog::SavedModel> model;
  if (impl.pipeline->has_model()) model = impl.pipeline->save();
  const Stats stats = impl.pipeline->stats();
  impl.pipeline.reset();
  impl.device.reset();
  impl.device = impl.cuda.adopt(buffer);
  impl.pipeline = std::make_unique<Pipeline>(*impl.device, stats);
  impl.pipeline->set_format(impl.in, impl.out);
  if (model) impl.pipeline->load(std::move(*model));
  gst_base_transform_reconfigure_src(trans); // pools are of the old context
}

// Hands a frame, and the buffer for what comes out of it (null for passthrough), to the pipeline. As the base class's
// `transform` it also tells that class to keep a pool for what comes out.
GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  Impl &impl = impl_of(trans);
  const FrameTime time = frame_time(trans->segment, in);
  const double seconds = seconds_of(trans, time);
  const Settings settings = impl.snapshot();
  const std::lock_guard lock(impl.work_mutex);
  if (!impl.pipeline) fail_without_device();
  impl.pipeline->submit(in, out, time, seconds, settings, impl.output);
  impl.model_saved = false;
  return GST_FLOW_OK;
}

// After a frame: tells of a saved model that did not fit it, and saves the model when it is time. The copy is made here;
// the file is written by a thread of its own.
void look_after_model(GstBaseTransform *trans, const Settings &settings) {
  Impl &impl = impl_of(trans);
  std::optional<Error> refusal;
  std::optional<mog::SavedModel> model;
  {
    const std::lock_guard lock(impl.work_mutex);
    refusal = impl.pipeline->take_refusal();
    if (impl.model_file.due(settings.keeping.save_interval) && impl.pipeline->has_model())
      model = impl.pipeline->save();
  }
  if (refusal) impl.model_file.refused(*refusal);
  if (model) impl.model_file.write_beside(std::move(*model));
}

ByteCounts copied_bytes(Impl &impl) {
  const std::lock_guard lock(impl.work_mutex);
  return impl.pipeline->stats().pictures;
}

// The results of a frame that goes out: metadata on it, messages on the bus.
GstBuffer *publish(GstBaseTransform *trans, Finished f) {
  Impl &impl = impl_of(trans);
  GstBuffer *buffer = f.buffer.release();
  if (!f.boxes.empty()) {
    buffer = gst_buffer_make_writable(buffer);
    add_boxes(buffer, "motion", f.boxes);
  }
  impl.motion_time = GST_CLOCK_TIME_IS_VALID(f.time.running)
                         ? f.time.running
                         : impl.motion_time + GstClockTime(f.seconds * GST_SECOND);
  impl.last_time = f.time;
  if (f.light == Learning::Light::jumped && f.motion.post_messages)
    gst_element_post_message(GST_ELEMENT(trans), new_motion_message(GST_ELEMENT(trans), "light-jump", f.time,
                                                                    f.changed_fraction, f.boxes));
  if (f.light == Learning::Light::steady)
    post_motion(GST_ELEMENT(trans), impl.motion.step(f.changed_fraction, f.motion, impl.motion_time),
                f.motion, f.time, f.changed_fraction, f.boxes);
  return buffer;
}

// The oldest frame that may go out, or null.
GstBuffer *take_finished(GstBaseTransform *trans, bool all) {
  Impl &impl = impl_of(trans);
  std::optional<Finished> finished;
  {
    const std::lock_guard lock(impl.work_mutex);
    if (impl.pipeline) finished = impl.pipeline->next(all);
  }
  return finished ? publish(trans, std::move(*finished)) : nullptr;
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *input) {
  BufferPtr in;
  const GstFlowReturn taken = take_input(parent_class(), trans, discont, input, in);
  if (taken != GST_FLOW_OK) return taken;
  Impl &impl = impl_of(trans);
  return guard(trans, GST_FLOW_ERROR, [&] {
    const Settings settings = impl.snapshot();
    follow_context(trans, in.get(), settings);
    BufferPtr out;
    if (output_for(impl, settings.output) != Output::passthrough) {
      GstBuffer *made = nullptr;
      const GstFlowReturn flow = parent_class()->prepare_output_buffer(trans, in.get(), &made);
      if (flow != GST_FLOW_OK) return flow;
      out.reset(made);
    }
    const GstFlowReturn flow = transform(trans, in.get(), out.get());
    look_after_model(trans, settings);
    impl.host_copies.warn(GST_ELEMENT(trans), impl.in, *impl.device, copied_bytes(impl));
    return flow;
  });
}

GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **output) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    *output = take_finished(trans, false);
    return GST_FLOW_OK;
  });
}

void discard(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  const std::lock_guard lock(impl.work_mutex);
  if (impl.pipeline) impl.pipeline->discard();
  impl.previous_time = GST_CLOCK_TIME_NONE;
}

constexpr HeldFrames held_frames{
    discard, drain, [](GstBaseTransform *trans) { return frames_held(impl_of(trans).snapshot().flow); }};

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  Impl &impl = impl_of(trans);
  before_event(trans, event, held_frames);
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
    FrameTime over = impl.last_time; // motion ends with the last frame
    over.running = impl.motion_time;
    post_motion(GST_ELEMENT(trans), impl.motion.stop(), impl.snapshot().motion, over, 0, {});
    save_at_the_end(trans);
  }
  return parent_class()->sink_event(trans, event);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  Impl &impl = impl_of(trans);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      (impl.cuda.answer(GST_ELEMENT(trans), query) || impl.gl.answer(query)))
    return TRUE;
  return answer_query(parent_class(), trans, direction, query, held_frames);
}

} // namespace

void save_at_the_end(GstBaseTransform *trans) noexcept {
  Impl &impl = impl_of(trans);
  if (!impl.model_file.named()) return;
  std::optional<mog::SavedModel> model;
  try {
    const std::lock_guard lock(impl.work_mutex);
    if (!impl.pipeline || !impl.pipeline->has_model() || std::exchange(impl.model_saved, true)) return;
    model = impl.pipeline->save();
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(trans), e);
    return;
  }
  impl.model_file.write(*model);
}

int frames_held(const Flow &f) {
  return f.group_size - 1 + f.async_depth;
}

void drain(GstBaseTransform *trans) {
  push_all(trans, [trans] { return take_finished(trans, true); });
}

void install_streaming(GstBaseTransformClass *klass) {
  klass->submit_input_buffer = submit_input_buffer;
  klass->transform = transform;
  klass->generate_output = generate_output;
  klass->sink_event = sink_event;
  klass->query = query;
  klass->before_transform = sync_controlled;
}

} // namespace vigil::gst::cudamog
