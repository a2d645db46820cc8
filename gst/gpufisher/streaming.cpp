// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames, events and queries of gpufisher.
#include "gst/transform/streaming.h"
#include "common/error.h"
#include "gst/errors.h"
#include "gst/gpufisher/element.h"
#include "gst/gpufisher/meta.h"
#include "gst/transform/pools.h"

#include <utility>

namespace vigil::gst::gpufisher {
namespace {

// The messages event-begin and event-end of what changed last. Fields: the frame's times as in motion-begin, and
//   class      gchararray
//   score      gdouble, the smoothed one that decided
//   threshold  gdouble, that it reached or fell below
void post_changes(GstBaseTransform *trans, const FrameTime &time, const Tuning &tuning) {
  Impl &impl = impl_of(trans);
  if (!tuning.post_messages) return;
  const fisher::Classifier &classifier = impl.model->classifier;
  for (int c = 0; c < impl.events.classes(); c++) {
    const Events::Change change = impl.events.change(c);
    if (change == Events::Change::none) continue;
    const bool begins = change == Events::Change::begin;
    const auto i = std::size_t(c);
    const double threshold =
        double((begins ? classifier.begin : classifier.end)[i]) + double(tuning.threshold_offset);
    GstStructure *s = new_timed_structure(begins ? "event-begin" : "event-end", time);
    gst_structure_set(s, "class", G_TYPE_STRING, classifier.classes[i].c_str(), "score", G_TYPE_DOUBLE,
                      double(impl.events.smoothed(c)), "threshold", G_TYPE_DOUBLE, threshold, nullptr);
    gst_element_post_message(GST_ELEMENT(trans), gst_message_new_element(GST_OBJECT(trans), s));
  }
}

void end_events(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  impl.events.stop();
  post_changes(trans, impl.last_time, impl.snapshot().tuning);
}

// A new model-location takes over with this frame, unless it cannot be used: then the old model stays.
void follow_location(GstBaseTransform *trans, const Settings &settings, unsigned wanted) {
  Impl &impl = impl_of(trans);
  if (std::exchange(impl.model_taken, wanted) == wanted) return;
  try {
    const auto model = read_model(settings.model_location);
    drain(trans);
    {
      const std::lock_guard lock(impl.work_mutex);
      impl.scorer->set_model(model);
    }
    end_events(trans); // they are the old model's
    begin_events(impl, model);
    GST_INFO_OBJECT(trans, "now uses the model %s", settings.model_location.c_str());
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(trans), Error(Error::Kind::bad_data, text(e.what(), ". The old model stays")));
  }
}

// Frames that come in the memory of another CUDA context, of a device that we may use: go over to it.
void follow_context(GstBaseTransform *trans, GstBuffer *buffer, const Settings &settings) {
  Impl &impl = impl_of(trans);
  if (!needs_other_context(impl.cuda, impl.kind, buffer, settings.place)) return;
  GST_INFO_OBJECT(trans, "the frames are of another CUDA context: going over to it");
  drain(trans);
  const std::lock_guard lock(impl.work_mutex);
  const Stats stats = impl.scorer->stats();
  impl.scorer.reset();
  impl.device.reset();
  impl.device = impl.cuda.adopt(buffer);
  impl.scorer = std::make_unique<Scorer>(*impl.device, impl.model, stats);
  impl.scorer->set_format(impl.kind);
}

// The results of a frame that goes out: metadata on it, messages on the bus.
GstBuffer *publish(GstBaseTransform *trans, Finished f) {
  Impl &impl = impl_of(trans);
  GstBuffer *buffer = f.buffer.release();
  if (!f.scored) return buffer;
  const Settings settings = impl.snapshot();
  const fisher::Classifier &classifier = impl.model->classifier;
  impl.events.step(f.scores, settings.tuning.window, classifier, settings.tuning.threshold_offset);
  impl.last_time = f.time;
  buffer = gst_buffer_make_writable(buffer);
  add_meta(buffer, classifier.classes, f.scores, impl.events, f.vector.get());
  post_changes(trans, f.time, settings.tuning);
  return buffer;
}

// The oldest frame that may go out, or null.
GstBuffer *take_finished(GstBaseTransform *trans, bool all) {
  Impl &impl = impl_of(trans);
  const std::size_t allowed = all ? 0 : std::size_t(impl.snapshot().flow.async_depth);
  std::optional<Finished> finished;
  {
    const std::lock_guard lock(impl.work_mutex);
    if (impl.scorer) finished = impl.scorer->next(allowed);
  }
  return finished ? publish(trans, std::move(*finished)) : nullptr;
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *input) {
  BufferPtr in;
  const GstFlowReturn taken = take_input(parent_class(), trans, discont, input, in);
  if (taken != GST_FLOW_OK) return taken;
  Impl &impl = impl_of(trans);
  // The base class lets frames pass without caps through an element that changes none.
  if (impl.scorer && !impl.scorer->has_format()) return refuse_without_caps(GST_ELEMENT(trans));
  return guard(trans, GST_FLOW_ERROR, [&] {
    unsigned wanted = 0;
    const Settings settings = impl.snapshot(&wanted);
    follow_location(trans, settings, wanted);
    follow_context(trans, in.get(), settings);
    const FrameTime time = frame_time(trans->segment, in.get());
    const bool score = impl.frame++ % std::uint64_t(settings.tuning.every) == 0;
    ByteCounts copied;
    {
      const std::lock_guard lock(impl.work_mutex);
      if (!impl.scorer) fail_without_device();
      impl.scorer->submit(std::move(in), time, score, settings.tuning.attach_vector);
      copied = impl.scorer->stats().pictures;
    }
    impl.host_copies.warn(GST_ELEMENT(trans), impl.kind, *impl.device, copied);
    return GST_FLOW_OK;
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
  if (impl.scorer) impl.scorer->discard();
  impl.events.forget();
  impl.frame = 0;
}

constexpr HeldFrames held_frames{
    discard, drain, [](GstBaseTransform *trans) { return impl_of(trans).snapshot().flow.async_depth; }};

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  before_event(trans, event, held_frames);
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) end_events(trans);
  return parent_class()->sink_event(trans, event);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  Impl &impl = impl_of(trans);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && impl.cuda.answer(GST_ELEMENT(trans), query)) return TRUE;
  return answer_query(parent_class(), trans, direction, query, held_frames);
}

} // namespace

std::shared_ptr<const fisher::Model> read_model(const std::string &location) {
  if (location.empty())
    fail(Error::Kind::bad_setting,
         "model-location is not set: it names the file of a model, which vigil-train makes");
  return std::make_shared<const fisher::Model>(fisher::read_model(location));
}

void begin_events(Impl &impl, std::shared_ptr<const fisher::Model> model) {
  impl.events = Events(model->classifier.count());
  impl.model = std::move(model);
}

void drain(GstBaseTransform *trans) {
  push_all(trans, [trans] { return take_finished(trans, true); });
}

void install_streaming(GstBaseTransformClass *klass) {
  klass->submit_input_buffer = submit_input_buffer;
  klass->generate_output = generate_output;
  klass->sink_event = sink_event;
  klass->query = query;
  klass->before_transform = sync_controlled;
}

} // namespace vigil::gst::gpufisher
