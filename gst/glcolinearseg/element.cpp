// SPDX-License-Identifier: LGPL-2.1-or-later
// The element glcolinearseg as a GObject: properties, signals, states.
#include "gst/elements.h"

#include "common/error.h"
#include "gst/errors.h"
#include "gst/glcolinearseg/element.h"
#include "gst/glcolinearseg/image.h"
#include "gst/memory/gl_display.h"
#include "gst/transform/outlet.h"
#include "vigil-config.h"

GST_DEBUG_CATEGORY(gl_colinear_seg_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::glcolinearseg;

struct GstGLColinearSegClass {
  GstGLFilterClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstGLColinearSeg, gst_gl_colinear_seg, GST_TYPE_GL_FILTER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst::glcolinearseg {
GstGLFilterClass *parent_class() {
  return GST_GL_FILTER_CLASS(gst_gl_colinear_seg_parent_class);
}
} // namespace vigil::gst::glcolinearseg

#define FRAMES(features, format)                                                                             \
  "video/x-raw(" features "), format = (string) " format ", width = (int) [ 1, 32768 ], "                    \
  "height = (int) [ 1, 32768 ], framerate = (fraction) [ 0, max ]"
#define TEXTURES(features) FRAMES(features, "RGBA") ", texture-target = (string) 2D"
#ifdef VIGIL_HAVE_CUDA
#define CUDA_CAPS(format) FRAMES("memory:CUDAMemory", format) ";"
#else
#define CUDA_CAPS(format) ""
#endif
#define CAPS(of_cuda, of_system)                                                                             \
  TEXTURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY)                                                                \
  ";" TEXTURES(GST_CAPS_FEATURE_MEMORY_GL_MEMORY                                                             \
               ", " GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION) ";" CUDA_CAPS(of_cuda)              \
      FRAMES(GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, of_system)
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(CAPS("{ RGBA, NV12, I420, BGRA, BGRx, RGBx }",
                                                 "{ RGBA, NV12, I420, BGRA, BGRx, RGBx, YUY2, UYVY }")));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS("RGBA", "RGBA")));

// Properties

static GstStructure *stats_of(Impl &impl) {
  const std::lock_guard lock(impl.mutex);
  const Stats &s = impl.stats;
  const double mean_ms = s.timed_frames ? s.gpu_ms / double(s.timed_frames) : 0;
  return gst_structure_new(
      "stats", "frames", G_TYPE_UINT64, s.frames, "gpu-time-us", G_TYPE_DOUBLE, mean_ms * 1000,
      "gpu-time-last-us", G_TYPE_DOUBLE, s.gpu_last_ms * 1000, "bytes-results", G_TYPE_UINT64,
      s.bytes_results, "bytes-host-to-device", G_TYPE_UINT64, impl.copied.to_device, "bytes-device-to-host",
      G_TYPE_UINT64, impl.copied.to_host, "learning", G_TYPE_BOOLEAN, gboolean(s.progress.learning()),
      "background-frames", G_TYPE_INT, s.progress.learnt, "noise-median", G_TYPE_DOUBLE,
      s.progress.noise.frames ? std::expm1(s.progress.noise.level) : 0., "noise-spread", G_TYPE_DOUBLE,
      s.progress.noise.spread, "static-threshold", G_TYPE_INT, s.constants.static_threshold,
      "darkness-offset", G_TYPE_INT, s.constants.darkness_offset, "temporal-compactness", G_TYPE_INT,
      s.constants.temporal_compactness, "compactness", G_TYPE_INT, s.constants.compactness, "backend",
      G_TYPE_STRING, s.backend.c_str(), "shaders", G_TYPE_STRING, s.shaders.c_str(), "device", G_TYPE_STRING,
      s.device.c_str(), nullptr);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  std::unique_lock lock(impl.mutex);
  Settings &s = impl.settings;
  const std::string location = s.background_location;
  const int depth = s.flow.async_depth;
  if (!properties().set(s, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (s.background_location != location) impl.location_changed = true;
  const bool preset = g_str_equal(pspec->name, "preset");
  if (preset) {
    const int seed = s.params.seed;
    s.params = s.preset == Preset::lab ? colinearseg::lab_preset() : colinearseg::Params{};
    s.params.seed = seed;
  }
  const bool held_changed = s.flow.async_depth != depth;
  lock.unlock(); // whoever is told may ask for properties
  if (preset)
    for_each_param(colinearseg::params_table, [&](int, const auto &p) {
      if (!g_str_equal(p.name, "seed")) g_object_notify(object, p.name);
    });
  if (held_changed) held_frames_changed(GST_BASE_TRANSFORM(object));
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  if (id == properties().stats_id()) {
    g_value_take_boxed(value, stats_of(impl));
    return;
  }
  const std::lock_guard lock(impl.mutex);
  if (!properties().get(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

// Signals

static void learn_background(GstGLColinearSeg *self) {
  Impl &impl = impl_of(self);
  const std::lock_guard lock(impl.mutex);
  impl.learn = true;
  impl.given.reset();
}

// What goes wrong becomes a warning on the bus and FALSE; the background stays as it is then.
static gboolean set_background(GstGLColinearSeg *self, GstSample *sample) {
  try {
    Picture p = picture_of(sample);
    Impl &impl = impl_of(self);
    const std::lock_guard lock(impl.mutex);
    if (impl.width && (p.width != impl.width || p.height != impl.height))
      fail(Error::Kind::bad_data, "the background's sample is of ", p.width, "x", p.height,
           " pixels, but the frames are of ", impl.width, "x", impl.height, "; give one of the frames' size");
    impl.given = std::move(p);
    impl.learn = false;
    return TRUE;
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(self), e);
    return FALSE;
  }
}

// States

constexpr const char *how_to_get_a_context =
    "Without a display set GST_GL_PLATFORM=egl and GST_GL_WINDOW=egl-device in the environment; with one, "
    "leave "
    "GST_GL_WINDOW to GStreamer or set it to what is there (x11, wayland), and install an OpenGL driver";

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gst_gl_colinear_seg_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) impl_of(element).cuda.close();
  if (transition != GST_STATE_CHANGE_NULL_TO_READY) return result;
  if (GstGLDisplay *display = GST_GL_BASE_FILTER(element)->display)
    keep_egl_device(display);
  else if (result == GST_STATE_CHANGE_FAILURE)
    post_error(element,
               Error(Error::Kind::no_device, text("there is no OpenGL display. ", how_to_get_a_context)));
  return result;
}

// An element that has no OpenGL context yet and is given another display: the base class looks for a context there at once. That
// there is none is no error before frames need one, and those in CUDA memory do not.
static thread_local const GstElement *looks_too_early = nullptr;

static void set_context(GstElement *element, GstContext *context) {
  impl_of(element).cuda.offered(element, context, -1);
  if (!GST_GL_BASE_FILTER(element)->context) looks_too_early = element;
  GST_ELEMENT_CLASS(gst_gl_colinear_seg_parent_class)->set_context(element, context);
  looks_too_early = nullptr;
  if (GstGLDisplay *display = GST_GL_BASE_FILTER(element)->display) keep_egl_device(display);
}

// The base class looks for the OpenGL context and posts the error when there is none; what to do about it is added here.
static gboolean post_message(GstElement *element, GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR && GST_MESSAGE_SRC(message) == GST_OBJECT(element) &&
      GST_GL_BASE_FILTER(element)->display && !GST_GL_BASE_FILTER(element)->context &&
      !impl_of(element).on_cuda) {
    GError *error = nullptr;
    gchar *debug = nullptr;
    gst_message_parse_error(message, &error, &debug);
    const bool none = g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
    if (none && looks_too_early == element) {
      GST_INFO_OBJECT(element, "there is no OpenGL context, so far: %s", error->message);
      g_error_free(error);
      g_free(debug);
      gst_message_unref(message);
      return TRUE;
    }
    if (none) {
      const std::string words =
          text("there is no OpenGL context: ", error->message, ". ", how_to_get_a_context);
      GError *better = g_error_new_literal(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, words.c_str());
      gst_message_unref(message);
      message = gst_message_new_error(GST_OBJECT(element), better, debug);
      g_error_free(better);
    }
    g_error_free(error);
    g_free(debug);
  }
  return GST_ELEMENT_CLASS(gst_gl_colinear_seg_parent_class)->post_message(element, message);
}

// The class

static void finalize(GObject *object) {
  delete reinterpret_cast<GstGLColinearSeg *>(object)->impl;
  G_OBJECT_CLASS(gst_gl_colinear_seg_parent_class)->finalize(object);
}

static void gst_gl_colinear_seg_init(GstGLColinearSeg *self) {
  self->impl = new Impl(GST_BASE_TRANSFORM(self));
}

static void add_signals(GType type) {
  const auto flags = static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION);
  g_signal_new_class_handler("learn-background", type, flags, G_CALLBACK(learn_background), nullptr, nullptr,
                             nullptr, G_TYPE_NONE, 0);
  g_signal_new_class_handler("set-background", type, flags, G_CALLBACK(set_background), nullptr, nullptr,
                             nullptr, G_TYPE_BOOLEAN, 1, GST_TYPE_SAMPLE);
}

static void gst_gl_colinear_seg_class_init(GstGLColinearSegClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gl_colinear_seg_debug, "glcolinearseg", 0, "Colinearity segmentation in OpenGL");

  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object,
      "Structure: frames; gpu-time-us a frame, the mean, and gpu-time-last-us, by the GPU's clock; "
      "bytes-results read back; bytes-host-to-device and bytes-device-to-host of frames that go there and "
      "back; "
      "learning, and background-frames learnt; noise-median and noise-spread; the values in effect of "
      "static-threshold, darkness-offset, temporal-compactness and compactness; backend; shaders; device");
  add_signals(G_TYPE_FROM_CLASS(klass));

  auto *element = GST_ELEMENT_CLASS(klass);
  element->change_state = change_state;
  element->post_message = post_message;
  element->set_context = set_context;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Colinearity segmentation", "Filter/Analyzer/Video/Hardware",
                                        "Separates foreground from a known background by the colinearity of "
                                        "colours and a Markov random field, in OpenGL or CUDA",
                                        VIGIL_AUTHORS);

  auto *filter = GST_GL_FILTER_CLASS(klass);
  GST_GL_BASE_FILTER_CLASS(klass)->supported_gl_api =
      static_cast<GstGLAPI>(GST_GL_API_OPENGL | GST_GL_API_OPENGL3 | GST_GL_API_GLES2);
  install_negotiation(filter);
  install_streaming(filter);
}

GST_ELEMENT_REGISTER_DEFINE(glcolinearseg, "glcolinearseg", GST_RANK_NONE, gst_gl_colinear_seg_get_type())
