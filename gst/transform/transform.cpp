// SPDX-License-Identifier: LGPL-2.1-or-later
// VigilTransform as a GObject: properties, states, and the life of the work.
#include "gst/transform/transform.h"

#include "gst/errors.h"
#include "gst/transform/impl.h"
#include "gst/transform/pipeline_depth.h"
#include "gst/video/activation.h"
#include "gst/video/refusal.h"

#include <utility>

GST_DEBUG_CATEGORY(vigil_transform_debug);

using namespace vigil;
using namespace vigil::gst;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(VigilTransform, vigil_transform, GST_TYPE_BASE_TRANSFORM,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst {

GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(vigil_transform_parent_class);
}

void set_element(VigilTransform *self, std::unique_ptr<Element> element) {
  self->impl->element = std::move(element);
}
Element &element_of(gpointer self) {
  return *impl_of(self).element;
}

void with_work(VigilTransform *self, const std::function<void(FrameProcessor *)> &fn) {
  ActiveProcessor &work = impl_of(self).work;
  const auto lock = work.lock();
  fn(work.processor.get());
}

void change_work(VigilTransform *self, const std::function<void(FrameProcessor &)> &fn) {
  TransformImpl &impl = impl_of(self);
  impl.outlet.drain();
  const ActiveProcessor::Lock lock(impl.work);
  if (!impl.work.processor) fail_without_device();
  fn(*impl.work.processor);
  impl.work.frames->forget_frames();
}

void pools_changed(VigilTransform *self) {
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
  gst_base_transform_reconfigure_sink(GST_BASE_TRANSFORM(self));
}

// How many frames keep a GPU busy while the host waits for the oldest (docs/measurements/index.md, streams).
constexpr int frames_ahead = 2;

PipelineDepth DepthChoice::decided(PipelineDepth flow) const {
  if (flow.depth == automatic_depth) flow.depth = device_works_alone_ && !live_ ? frames_ahead : 0;
  return flow;
}

void DepthChoice::work_on(Device &device) {
  device_works_alone_ = device.backend() != Backend::cpu && !shares_host_memory(device);
}

void TransformImpl::start_work(Device &on) {
  work.start(*element, on);
  depth.work_on(on);
  GST_INFO_OBJECT(trans, "works on %s", on.name().c_str());
}

} // namespace vigil::gst

// Properties

static GstStructure *stats_of(TransformImpl &impl) {
  GstStructure *stats = impl.stats.structure();
  impl.element->add_stats(stats);
  return stats;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  TransformImpl &impl = impl_of(object);
  Element &element = *impl.element;
  const PipelineDepth before = impl.flow();
  const bool passed = element.passes_buffers();
  if (!element.set_property(id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (impl.flow().held() != before.held())
    held_frames_changed(GST_BASE_TRANSFORM(object));
  else if (element.passes_buffers() != passed)
    pools_changed(reinterpret_cast<VigilTransform *>(object));
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  const Element &element = element_of(object);
  if (id == element.stats_id())
    g_value_take_boxed(value, stats_of(impl_of(object)));
  else if (!element.get_property(id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

void vigil::gst::serve_properties(GObjectClass *klass) {
  klass->set_property = set_property;
  klass->get_property = get_property;
}

// States

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  TransformImpl &impl = impl_of(element);
  DeviceSelector &place = impl.element->device_selector();
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    const bool opened = guard(element, false, [&] {
      place.open();
      impl.stats.set_device(place.device_for({}));
      return true;
    });
    if (!opened) {
      place.close();
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  const GstStateChangeReturn result =
      change_state_without_frames(GST_ELEMENT_CLASS(vigil_transform_parent_class), element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) place.close();
  return result;
}

static void set_context(GstElement *element, GstContext *context) {
  DeviceSelector &place = impl_of(element).element->device_selector();
  place.cuda.offered(element, context, place.cuda_device_id());
  place.gl.offered(context);
  GST_ELEMENT_CLASS(vigil_transform_parent_class)->set_context(element, context);
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    TransformImpl &impl = impl_of(trans);
    DeviceSelector &place = impl.element->device_selector();
    impl.element->start();
    place.forget_warnings();
    impl.stats.restart();
    const auto lock = impl.work.lock();
    impl.start_work(place.device_for({}));
    return TRUE;
  });
}

static gboolean stop(GstBaseTransform *trans) {
  TransformImpl &impl = impl_of(trans);
  std::exception_ptr error;
  {
    const ActiveProcessor::Lock lock(impl.work);
    try {
      if (impl.work.frames) impl.work.frames->discard();
      impl.element->stop(impl.work.processor.get());
    } catch (...) {
      error = std::current_exception();
    }
    if (impl.work.frames) impl.work.count();
    impl.work.end();
  }
  impl.in.reset();
  impl.out.reset();
  impl.outlet.reset();
  impl.inputs.forget();
  impl.judge.restart();
  try {
    impl.element->stopped();
    if (error) std::rethrow_exception(error);
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(trans), e);
  }
  return TRUE;
}

// The class

static void finalize(GObject *object) {
  delete reinterpret_cast<VigilTransform *>(object)->impl;
  G_OBJECT_CLASS(vigil_transform_parent_class)->finalize(object);
}

static void vigil_transform_init(VigilTransform *self) {
  self->impl = new TransformImpl(GST_BASE_TRANSFORM(self));
  explain_refused_caps(GST_ELEMENT(self));
}

static void vigil_transform_class_init(VigilTransformClass *klass) {
  GST_DEBUG_CATEGORY_INIT(vigil_transform_debug, "vigiltransform", 0, "What Vigil's elements share");
  auto *object = G_OBJECT_CLASS(klass);
  object->finalize = finalize;
  GST_ELEMENT_CLASS(klass)->change_state = change_state;
  GST_ELEMENT_CLASS(klass)->set_context = set_context;
  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  transform->stop = stop;
  install_streaming(transform);
  install_negotiation(transform);
  gst_type_mark_as_plugin_api(vigil_transform_get_type(), static_cast<GstPluginAPIFlags>(0));
}
