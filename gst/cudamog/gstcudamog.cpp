// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cudamog as a GObject: properties, signals, states.
#include "gst/cudamog/gstcudamog.h"

#include "common/error.h"
#include "gst/base/errors.h"
#include "gst/base/gl.h"
#include "gst/base/png.h"
#include "gst/base/streaming.h"
#include "gst/base/video.h"
#include "gst/cudamog/element.h"

#include <utility>

GST_DEBUG_CATEGORY(cuda_mog_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::cudamog;

struct GstCudaMogClass {
  GstBaseTransformClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstCudaMog, gst_cuda_mog, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(VIGIL_CUDA_CAPS(VIGIL_VIDEO_FORMATS) VIGIL_GL_CAPS("{ RGBA }")
                                                GST_VIDEO_CAPS_MAKE(VIGIL_VIDEO_FORMATS)));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(VIGIL_CUDA_CAPS(VIGIL_VIDEO_FORMATS) VIGIL_GL_CAPS(
                                "{ RGBA, GRAY8 }") GST_VIDEO_CAPS_MAKE(VIGIL_VIDEO_FORMATS)));

namespace vigil::gst::cudamog {
GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_mog_parent_class);
}
} // namespace vigil::gst::cudamog

// Properties

static GstStructure *stats_of(Impl &impl) {
  const std::lock_guard lock(impl.work_mutex);
  const Stats s = impl.pipeline ? impl.pipeline->stats() : impl.last_stats;
  const double mean_ms = s.frames ? s.kernel_ms / double(s.frames) : 0;
  return gst_structure_new(
      "stats", "frames", G_TYPE_UINT64, s.frames, "kernel-time-us", G_TYPE_DOUBLE, mean_ms * 1000,
      "kernel-time-last-us", G_TYPE_DOUBLE, s.kernel_last_ms * 1000, "bytes-host-to-device", G_TYPE_UINT64,
      s.pictures.to_device, "bytes-device-to-host", G_TYPE_UINT64, s.pictures.to_host, "bytes-results",
      G_TYPE_UINT64, s.result_bytes, "model-frames", G_TYPE_UINT64, s.model_frames, "backend", G_TYPE_STRING,
      impl.backend_name.c_str(), "device", G_TYPE_STRING, impl.device_name.c_str(), nullptr);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  bool known = false, output_changed = false, held_changed = false;
  {
    const std::lock_guard lock(impl.settings_mutex);
    const Settings before = impl.settings;
    known = properties().set(impl.settings, id, value);
    output_changed = impl.settings.output != before.output;
    held_changed = frames_held(impl.settings.flow) != frames_held(before.flow);
  }
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (output_changed) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
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

// Signals

static void reset(GstCudaMog *self) {
  guard(self, false, [&] {
    Impl &impl = impl_of(self);
    const std::lock_guard lock(impl.work_mutex);
    if (impl.pipeline) impl.pipeline->reset();
    impl.model_saved = false;
    return true;
  });
}

// Runs fn(pipeline) for a signal; what goes wrong becomes a warning on the bus and FALSE.
template <class Fn>
static gboolean with_model_file(GstCudaMog *self, const gchar *location, Fn fn) noexcept {
  try {
    if (!location || !*location) fail(Error::Kind::bad_setting, "no location was given for the model");
    fn(impl_of(self), std::string(location));
    return TRUE;
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(self), e);
    return FALSE;
  }
}

static Pipeline &running(Impl &impl) {
  if (!impl.pipeline)
    fail(Error::Kind::bad_setting, "the element has no model now: it has one from PAUSED on");
  return *impl.pipeline;
}

static gboolean save_model(GstCudaMog *self, const gchar *location) {
  return with_model_file(self, location, [](Impl &impl, const std::string &path) {
    mog::SavedModel model;
    {
      const std::lock_guard lock(impl.work_mutex);
      model = running(impl).save();
    }
    mog::write_file(path, model);
  });
}

static gboolean load_model(GstCudaMog *self, const gchar *location) {
  return with_model_file(self, location, [](Impl &impl, const std::string &path) {
    mog::SavedModel model = mog::read_file(path);
    const std::lock_guard lock(impl.work_mutex);
    running(impl).load(std::move(model));
    impl.model_saved = false;
  });
}

// States

static void open_device(GstCudaMog *self) {
  Impl &impl = impl_of(self);
  const Settings s = impl.snapshot();
  impl.device = gst::open_device(GST_ELEMENT(self), impl.cuda, s.backend, s.place);
  impl.only_cpu = impl.device->backend() == Backend::cpu;
  const std::lock_guard lock(impl.work_mutex);
  impl.backend_name = name_of(impl.device->backend());
  impl.device_name = impl.device->name();
}

static void close_device(GstCudaMog *self) {
  Impl &impl = impl_of(self);
  impl.only_cpu = false;
  impl.device.reset();
  impl.gl.close();
  impl.cuda.close();
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  auto *self = reinterpret_cast<GstCudaMog *>(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    const bool opened = guard(self, false, [&] {
      open_device(self);
      return true;
    });
    if (!opened) {
      close_device(self);
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_cuda_mog_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) close_device(self);
  return result;
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    const Settings s = impl.snapshot();
    if (!s.mask_location.empty()) check_png(s.mask_location);
    auto pipeline = std::make_unique<Pipeline>(*impl.device);
    if (auto model = impl.model_file.open(s.model_location)) pipeline->load(std::move(*model));
    impl.motion = {};
    impl.previous_time = GST_CLOCK_TIME_NONE;
    impl.motion_time = 0;
    impl.last_time = {};
    const std::lock_guard lock(impl.work_mutex);
    impl.pipeline = std::move(pipeline);
    return TRUE;
  });
}

static gboolean stop(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  save_at_the_end(trans);
  impl.model_file.close();
  const std::lock_guard lock(impl.work_mutex);
  if (!impl.pipeline) return TRUE;
  impl.pipeline->discard();
  impl.last_stats = impl.pipeline->stats();
  impl.pipeline.reset();
  return TRUE;
}

static void set_context(GstElement *element, GstContext *context) {
  Impl &impl = impl_of(element);
  impl.cuda.offered(element, context, impl.snapshot().place.cuda_device_id);
  impl.gl.offered(context);
  GST_ELEMENT_CLASS(gst_cuda_mog_parent_class)->set_context(element, context);
}

// The class

static void finalize(GObject *object) {
  delete reinterpret_cast<GstCudaMog *>(object)->impl;
  G_OBJECT_CLASS(gst_cuda_mog_parent_class)->finalize(object);
}

static void gst_cuda_mog_init(GstCudaMog *self) {
  self->impl = new Impl(GST_ELEMENT(self));
}

static void add_signals(GType type) {
  const auto flags = static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION);
  g_signal_new_class_handler("reset", type, flags, G_CALLBACK(reset), nullptr, nullptr, nullptr, G_TYPE_NONE,
                             0);
  g_signal_new_class_handler("save-model", type, flags, G_CALLBACK(save_model), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
  g_signal_new_class_handler("load-model", type, flags, G_CALLBACK(load_model), nullptr, nullptr, nullptr,
                             G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
}

static void gst_cuda_mog_class_init(GstCudaMogClass *klass) {
  GST_DEBUG_CATEGORY_INIT(cuda_mog_debug, "cudamog", 0, "Mixture-of-Gaussians background subtraction");

  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object, "Structure: frames that came out; kernel-time-us a frame, the mean, and "
              "kernel-time-last-us, by the "
              "device's clock; bytes-host-to-device and bytes-device-to-host of pictures; "
              "bytes-results read back "
              "or sent for blobs; model-frames learnt; backend; device");
  add_signals(G_TYPE_FROM_CLASS(klass));

  auto *element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  element->set_context = set_context;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Mixture-of-Gaussians background subtraction", "Filter/Analyzer/Video/Hardware",
      "Learns the background of a fixed camera and finds what moves, on a GPU (CUDA) or the CPU",
      "The Vigil authors");

  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  transform->stop = stop;
  install_negotiation(transform);
  install_streaming(transform);
}

gboolean vigil_register_cudamog(GstPlugin *plugin) {
  return gst_element_register(plugin, "cudamog", GST_RANK_NONE, gst_cuda_mog_get_type());
}
