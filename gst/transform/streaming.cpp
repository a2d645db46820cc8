// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames, events and queries of VigilTransform.
#include "gst/errors.h"
#include "gst/transform/impl.h"

#include <optional>
#include <utility>

namespace vigil::gst {
namespace {

// The base class keeps a pool for what comes out of elements that have this function. Frames go through
// submit_input_buffer() and generate_output().
GstFlowReturn transform(GstBaseTransform *, GstBuffer *, GstBuffer *) {
  return GST_FLOW_NOT_SUPPORTED;
}

// Frames of another context than the device's come from now on: goes over to it, and takes along what the
// work knows.
void follow(TransformImpl &impl, GstBuffer *buffer) {
  DeviceSelector &place = impl.element->device_selector();
  if (!impl.in || !place.is_elsewhere(buffer, *impl.in)) return;
  impl.outlet.drain();
  {
    const ActiveProcessor::Lock lock(impl.work);
    impl.work.stop();
    place.follow(buffer, *impl.in);
  }
  take_format(impl, *impl.in, *impl.out);
  gst_base_transform_reconfigure_src(impl.trans); // pools are of the old context
}

// Asked when a stream starts, and again when its caps are known: some sources have no answer before. One that
// has none at all counts as live.
void ask_whether_live(TransformImpl &impl, GstEventType event) {
  GstQuery *query = gst_query_new_latency();
  gboolean live = TRUE;
  const bool answered = gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(impl.trans), query);
  if (answered) gst_query_parse_latency(query, &live, nullptr, nullptr);
  gst_query_unref(query);
  if (answered || event == GST_EVENT_STREAM_START) impl.depth.source_is_live(live);
  GST_DEBUG_OBJECT(impl.trans, "the source %s",
                   !answered ? "does not say whether it is live"
                   : live    ? "is live"
                             : "is not live");
}

// libgstcuda's way of making a frame writable cannot copy all formats.
bool needs_other_buffer(const DeviceSelector &place, GstBuffer *in) {
  return place.may_replace() && !(gst_buffer_is_writable(in) && gst_buffer_is_all_memory_writable(in));
}

// When the frame is, how long it counts, and whether it is to be passed by.
FrameTime judged(TransformImpl &impl, GstBuffer *in) {
  FrameTime time = frame_time(impl.trans->segment, in);
  impl.judge.judge(impl.in->info, in, impl.element->learns(), time);
  if (impl.judge.take_warning()) post_warning(GST_ELEMENT(impl.trans), corrupted_frames_are_taken());
  return time;
}

GstFlowReturn take_in(TransformImpl &impl, BufferPtr in) {
  Element &element = *impl.element;
  element.before_frame();
  const FrameTime time = judged(impl, in.get());
  Use use = Use::none;
  {
    const ActiveProcessor::Lock lock(impl.work);
    if (!impl.work.processor) fail_without_device();
    use = impl.work.frames->begin(time).use;
  }
  BufferPtr out;
  if (use == Use::produce ||
      (use == Use::modify && needs_other_buffer(element.device_selector(), in.get()))) {
    GstBuffer *made = nullptr;
    const GstFlowReturn flow = parent_class()->prepare_output_buffer(impl.trans, in.get(), &made);
    if (flow != GST_FLOW_OK) return flow;
    out.reset(made);
  } else if (use == Use::modify) {
    in.reset(gst_buffer_make_writable(in.release()));
  }
  impl.inputs.look_at(in.get(), element.passes_buffers());
  ByteCounts copied;
  {
    const ActiveProcessor::Lock lock(impl.work);
    impl.work.frames->submit(std::move(in), std::move(out), impl.outlet.accept(), impl.flow().held() > 0);
    impl.work.count();
    copied = impl.work.frames->counts().pictures;
  }
  element.after_frame();
  element.device_selector().warn_of_host_copies(*impl.in, copied);
  return GST_FLOW_OK;
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *input) {
  TransformImpl &impl = impl_of(trans);
  const bool followed = guard(trans, false, [&] {
    follow(impl, input);
    return true;
  });
  if (!followed) {
    gst_buffer_unref(input);
    return GST_FLOW_ERROR;
  }
  BufferPtr in;
  const GstFlowReturn flow = impl.outlet.receive(parent_class(), discont, input, in);
  if (flow != GST_FLOW_OK || !in) return flow;
  if (!impl.in) return refuse_without_caps(GST_ELEMENT(trans));
  return guard(trans, GST_FLOW_ERROR, [&] { return take_in(impl, std::move(in)); });
}

GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **output) {
  return impl_of(trans).outlet.generate(output);
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  TransformImpl &impl = impl_of(trans);
  if (const GstEventType type = GST_EVENT_TYPE(event);
      type == GST_EVENT_STREAM_START || type == GST_EVENT_CAPS) {
    impl.outlet.drain(); // what came before was held by another answer
    ask_whether_live(impl, type);
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
    impl.outlet.drain();
    guard(trans, false, [&] {
      impl.element->end_of_stream();
      return true;
    });
  }
  return impl.outlet.sink_event(parent_class(), event);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  TransformImpl &impl = impl_of(trans);
  DeviceSelector &place = impl.element->device_selector();
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      (place.cuda.answer(GST_ELEMENT(trans), query) || place.gl.answer(query)))
    return TRUE;
  return impl.outlet.answer(parent_class(), direction, query);
}

} // namespace

std::optional<FrameSource::Taken> TransformImpl::take(bool all) {
  std::optional<FramesInFlight::Finished> f;
  {
    const ActiveProcessor::Lock lock(work);
    if (!work.frames) return {};
    // Where upstream's pool would run dry, frames are not held as long as they could be.
    f = work.frames->next(std::size_t(flow().depth), all || work.frames->inputs_held() > inputs.most());
    if (!f) return {};
    work.count();
  }
  struct Recycle {
    ActiveProcessor &work;
    FramesInFlight::Frame *frame;
    ~Recycle() {
      const auto lock = work.lock();
      work.frames->recycle(frame);
    }
  } recycle{work, f->frame};
  if (!f->task->time.passes_by) work.processor->publish(f->buffer, *f->task);
  return Taken{std::move(f->buffer), f->discont};
}

void TransformImpl::discard() noexcept {
  {
    const ActiveProcessor::Lock lock(work);
    if (work.frames) work.frames->discard();
    if (work.processor) work.processor->flushed();
  }
  judge.restart_lengths();
  element->flushed();
}

void install_streaming(GstBaseTransformClass *klass) {
  klass->submit_input_buffer = submit_input_buffer;
  klass->transform = transform;
  klass->generate_output = generate_output;
  klass->before_transform = sync_controlled;
  klass->sink_event = sink_event;
  klass->query = query;
}

} // namespace vigil::gst
