// SPDX-License-Identifier: LGPL-2.1-or-later
// VigilClTransform as a GObject: properties, states.
#include "gst/transform/opencl.h"

#include "common/opencl/cache.h"
#include "gst/errors.h"
#include "gst/transform/opencl_element.h"
#include "gst/transform/streaming.h"

GST_DEBUG_CATEGORY(vigil_opencl_debug);

using namespace vigil;
using namespace vigil::gst;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(VigilClTransform, vigil_cl_transform, GST_TYPE_BASE_TRANSFORM,
                                 G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst {
GstBaseTransformClass *cl_parent_class() {
  return GST_BASE_TRANSFORM_CLASS(vigil_cl_transform_parent_class);
}
} // namespace vigil::gst

// Properties

static constexpr auto flow_table = std::tuple{
    param(
        "async-depth", "Asynchronous depth",
        "Frames that may be under way on the device while further ones come in; each comes out finished, "
        "this many frames "
        "later (reported as latency). 0: each frame is finished before the next. On a GPU 2 hides the copies",
        &ClFlow::async_depth, 0, 16),
};

static const Properties<ClSettings> &properties() {
  static const Properties<ClSettings> made = [] {
    Properties<ClSettings> p;
    p.string("device", "Device",
             "The OpenCL device: its number, or a part of its or its platform's name; none: the first GPU, "
             "else the first "
             "accelerator, else the processor",
             &ClSettings::device, Change::ready);
    p.table(&ClSettings::flow, flow_table, Change::playing);
    return p;
  }();
  return made;
}
static guint stats_id() {
  return properties().count() + 1;
}

static GstStructure *stats_of(ClImpl &impl) {
  const std::lock_guard lock(impl.work_mutex);
  const ClStats s = impl.pipeline ? impl.pipeline->stats() : impl.last_stats;
  const double mean_ms = s.worked ? s.kernel_ms / double(s.worked) : 0;
  GstStructure *stats = gst_structure_new(
      "stats", "frames", G_TYPE_UINT64, s.frames, "kernel-time-us", G_TYPE_DOUBLE, mean_ms * 1000,
      "kernel-time-last-us", G_TYPE_DOUBLE, s.kernel_last_ms * 1000, "bytes-host-to-device", G_TYPE_UINT64,
      s.pictures.to_device, "bytes-device-to-host", G_TYPE_UINT64, s.pictures.to_host, "bytes-results",
      G_TYPE_UINT64, s.result_bytes, "backend", G_TYPE_STRING, name_of(impl.backend), "device", G_TYPE_STRING,
      impl.device_name.c_str(), nullptr);
  if (impl.work) impl.work->add_stats(stats);
  return stats;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  ClImpl &impl = cl_impl_of(object);
  bool known = false, held_changed = false;
  {
    const std::lock_guard lock(impl.settings_mutex);
    const int before = impl.settings.flow.async_depth;
    known = properties().set(impl.settings, id, value);
    held_changed = impl.settings.flow.async_depth != before;
  }
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (held_changed) held_frames_changed(GST_BASE_TRANSFORM(object));
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  ClImpl &impl = cl_impl_of(object);
  if (id == stats_id()) {
    g_value_take_boxed(value, stats_of(impl));
    return;
  }
  const std::lock_guard lock(impl.settings_mutex);
  if (!properties().get(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

// States

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  auto *self = reinterpret_cast<VigilClTransform *>(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    const bool opened = guard(self, false, [&] {
      open_devices(self);
      return true;
    });
    if (!opened) return GST_STATE_CHANGE_FAILURE;
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(vigil_cl_transform_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) close_devices(self);
  return result;
}

static void set_context(GstElement *element, GstContext *context) {
  cl_impl_of(element).cuda.offered(element, context, -1);
  cl_impl_of(element).gl.offered(context);
  GST_ELEMENT_CLASS(vigil_cl_transform_parent_class)->set_context(element, context);
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    const std::lock_guard lock(cl_impl_of(trans).work_mutex);
    start_work(reinterpret_cast<VigilClTransform *>(trans));
    return TRUE;
  });
}

static gboolean stop(GstBaseTransform *trans) {
  ClImpl &impl = cl_impl_of(trans);
  const std::lock_guard lock(impl.work_mutex);
  stop_work(impl);
  return TRUE;
}

// The class

static void finalize(GObject *object) {
  delete reinterpret_cast<VigilClTransform *>(object)->impl;
  G_OBJECT_CLASS(vigil_cl_transform_parent_class)->finalize(object);
}

static void vigil_cl_transform_init(VigilClTransform *self) {
  self->impl = new ClImpl(GST_ELEMENT(self));
}

static void vigil_cl_transform_class_init(VigilClTransformClass *klass) {
  GST_DEBUG_CATEGORY_INIT(vigil_opencl_debug, "vigilopencl", 0, "What Vigil's OpenCL elements share");
  set_cache_log([](const std::string &words) { GST_WARNING("%s", words.c_str()); });

  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install(object);
  g_object_class_install_property(
      object, stats_id(),
      g_param_spec_boxed(
          "stats", "Statistics",
          "Structure: frames that came out; kernel-time-us of those that were worked on, the mean, and "
          "kernel-time-last-us, by the device's clock; bytes-host-to-device and bytes-device-to-host of "
          "pictures; bytes-results read back beside them; backend; device; and what the element adds",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  GST_ELEMENT_CLASS(klass)->change_state = change_state;
  GST_ELEMENT_CLASS(klass)->set_context = set_context;
  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  transform->stop = stop;
  install_cl_streaming(transform);
  gst_type_mark_as_plugin_api(vigil_cl_transform_get_type(), static_cast<GstPluginAPIFlags>(0));
}
