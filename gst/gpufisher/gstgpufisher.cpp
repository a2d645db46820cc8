// SPDX-License-Identifier: LGPL-2.1-or-later
// The element gpufisher as a GObject: properties, states.
#include "gst/gpufisher/gstgpufisher.h"

#include "common/error.h"
#include "gst/base/errors.h"
#include "gst/base/gl.h"
#include "gst/base/streaming.h"
#include "gst/base/video.h"
#include "gst/gpufisher/element.h"
#include "gst/gpufisher/meta.h"

GST_DEBUG_CATEGORY(gpu_fisher_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::gpufisher;

struct GstGpuFisherClass {
  GstBaseTransformClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstGpuFisher, gst_gpu_fisher, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(VIGIL_CUDA_CAPS(VIGIL_VIDEO_FORMATS) VIGIL_GL_CAPS("{ RGBA }")
                                                GST_VIDEO_CAPS_MAKE(VIGIL_VIDEO_FORMATS)));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(VIGIL_CUDA_CAPS(VIGIL_VIDEO_FORMATS) VIGIL_GL_CAPS("{ RGBA }")
                                                GST_VIDEO_CAPS_MAKE(VIGIL_VIDEO_FORMATS)));

namespace vigil::gst::gpufisher {
GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_gpu_fisher_parent_class);
}
} // namespace vigil::gst::gpufisher

// Properties

static GstStructure *stats_of(Impl &impl) {
  const std::lock_guard lock(impl.work_mutex);
  const Stats s = impl.scorer ? impl.scorer->stats() : impl.last_stats;
  const double mean_ms = s.scored ? s.kernel_ms / double(s.scored) : 0;
  return gst_structure_new("stats", "frames", G_TYPE_UINT64, s.frames, "scored", G_TYPE_UINT64, s.scored,
                           "kernel-time-us", G_TYPE_DOUBLE, mean_ms * 1000, "kernel-time-last-us",
                           G_TYPE_DOUBLE, s.kernel_last_ms * 1000, "bytes-host-to-device", G_TYPE_UINT64,
                           s.pictures.to_device, "bytes-device-to-host", G_TYPE_UINT64, s.pictures.to_host,
                           "bytes-results", G_TYPE_UINT64, s.result_bytes, "descriptors", G_TYPE_INT,
                           s.descriptors, "backend", G_TYPE_STRING, impl.backend_name.c_str(), "device",
                           G_TYPE_STRING, impl.device_name.c_str(), nullptr);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  bool known = false, held_changed = false;
  {
    const std::lock_guard lock(impl.settings_mutex);
    const Flow before = impl.settings.flow;
    known = properties().set(impl.settings, id, value);
    held_changed = impl.settings.flow != before;
    if (id == model_location_id()) impl.model_wanted++;
  }
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (held_changed) held_frames_changed(GST_BASE_TRANSFORM(object));
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  if (id == properties().stats_id()) {
    g_value_take_boxed(value, stats_of(impl));
    return;
  }
  const std::lock_guard lock(impl.settings_mutex);
  if (!properties().get(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

// States

static void close_device(GstGpuFisher *self) {
  Impl &impl = impl_of(self);
  impl.only_cpu = false;
  impl.device.reset();
  impl.cuda.close();
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  auto *self = reinterpret_cast<GstGpuFisher *>(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    const bool opened = guard(self, false, [&] {
      Impl &impl = impl_of(self);
      const Settings s = impl.snapshot();
      impl.device = gst::open_device(element, impl.cuda, s.backend, s.place);
      impl.only_cpu = impl.device->backend() == Backend::cpu;
      const std::lock_guard lock(impl.work_mutex);
      impl.backend_name = name_of(impl.device->backend());
      impl.device_name = impl.device->name();
      return true;
    });
    if (!opened) {
      close_device(self);
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_gpu_fisher_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) close_device(self);
  return result;
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    unsigned wanted = 0;
    const auto model = read_model(impl.snapshot(&wanted).model_location);
    auto scorer = std::make_unique<Scorer>(*impl.device, model);
    impl.model_taken = wanted;
    impl.frame = 0;
    impl.last_time = {};
    begin_events(impl, model);
    const std::lock_guard lock(impl.work_mutex);
    impl.scorer = std::move(scorer);
    return TRUE;
  });
}

static gboolean stop(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  const std::lock_guard lock(impl.work_mutex);
  if (!impl.scorer) return TRUE;
  impl.scorer->discard();
  impl.last_stats = impl.scorer->stats();
  impl.scorer.reset();
  return TRUE;
}

static void set_context(GstElement *element, GstContext *context) {
  Impl &impl = impl_of(element);
  impl.cuda.offered(element, context, impl.snapshot().place.cuda_device_id);
  GST_ELEMENT_CLASS(gst_gpu_fisher_parent_class)->set_context(element, context);
}

// The class

static void finalize(GObject *object) {
  delete reinterpret_cast<GstGpuFisher *>(object)->impl;
  G_OBJECT_CLASS(gst_gpu_fisher_parent_class)->finalize(object);
}

static void gst_gpu_fisher_init(GstGpuFisher *self) {
  self->impl = new Impl;
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_gpu_fisher_class_init(GstGpuFisherClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gpu_fisher_debug, "gpufisher", 0, "Fisher vectors of every frame, and events");
  register_meta();

  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object,
      "Structure: frames that came out and how many were scored; kernel-time-us a scored frame, the mean, "
      "and "
      "kernel-time-last-us, by the device's clock; bytes-host-to-device and bytes-device-to-host of "
      "pictures; bytes-results, of scores and vectors read back; descriptors a frame; backend; device");

  auto *element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  element->set_context = set_context;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Fisher vectors and events",
                                        "Filter/Analyzer/Video/Hardware",
                                        "Scores every frame by dense SIFT, a Fisher vector and linear "
                                        "classifiers, and reports events, on a GPU "
                                        "(CUDA) or the CPU",
                                        "The Vigil authors");

  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  transform->stop = stop;
  install_negotiation(transform);
  install_streaming(transform);
}

gboolean vigil_register_gpufisher(GstPlugin *plugin) {
  return gst_element_register(plugin, "gpufisher", GST_RANK_NONE, gst_gpu_fisher_get_type());
}
