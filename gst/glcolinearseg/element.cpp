// SPDX-License-Identifier: LGPL-2.1-or-later
// The element glcolinearseg: its description. RGBA comes out, as large as what came in, in the same kind of
// memory or, if the next element asks for that, in textures.
#include "gst/glcolinearseg/element.h"

#include "common/error.h"
#include "gst/elements.h"
#include "gst/errors.h"
#include "gst/glcolinearseg/processor.h"
#include "gst/metadata/png.h"
#include "gst/transform/transform.h"
#include "gst/video/caps.h"
#include "gst/video/formats.h"
#include "vigil-config.h"

#include <cmath>
#include <string_view>
#include <utility>

GST_DEBUG_CATEGORY(gl_colinear_seg_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::glcolinearseg;

struct GstGLColinearSeg {
  VigilTransform parent;
};
struct GstGLColinearSegClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstGLColinearSeg, gst_gl_colinear_seg, vigil_transform_get_type())

#define KERNEL_FORMATS "RGBA, NV12, I420, BGRA, BGRx, RGBx"
#define FRAMES(features, format)                                                                             \
  "video/x-raw(" features "), format = (string) " format ", width = (int) [ 1, 32767 ], "                    \
  "height = (int) [ 1, 32767 ], framerate = (fraction) [ 0, max ]"
#ifdef VIGIL_HAVE_GL
#define TEXTURES                                                                                             \
  FRAMES("memory:GLMemory", "RGBA")                                                                          \
  ", texture-target = (string) 2D;" FRAMES("memory:GLMemory, meta:GstVideoOverlayComposition",               \
                                           "RGBA") ", texture-target = (string) 2D;"
#define SYSTEM_FORMATS "{ " KERNEL_FORMATS ", YUY2, UYVY }"
#else
#define TEXTURES ""
#define SYSTEM_FORMATS "{ " KERNEL_FORMATS " }"
#endif
#ifdef VIGIL_HAVE_CUDA
#define CUDA_CAPS(format) FRAMES("memory:CUDAMemory", format) ";"
#else
#define CUDA_CAPS(format) ""
#endif
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS(TEXTURES CUDA_CAPS("{ " KERNEL_FORMATS " }")
                                                FRAMES("memory:SystemMemory", SYSTEM_FORMATS)));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(TEXTURES CUDA_CAPS("RGBA") FRAMES("memory:SystemMemory", "RGBA")));

static SegmentElement &segment_of(gpointer self) {
  return static_cast<SegmentElement &>(element_of(self));
}

// Properties

namespace vigil::gst::glcolinearseg {

SegmentElement::SegmentElement(GstElement *gst)
    : ElementWith(properties()), gst_(gst), selector_(gst, [this] {
        return settings.read([](const Settings &s) { return GlSelector::DeviceRequest{s.backend, s.cuda}; });
      }) {}

bool SegmentElement::set_property(guint id, const GValue *value) {
  bool known = false, preset = false, location = false;
  settings.change([&](Settings &s) {
    const Settings before = s;
    known = properties().set(s, id, value);
    location = s.background_location != before.background_location;
    preset = id == properties().id_of("preset");
    if (!preset) return;
    s.params = s.preset == Preset::lab ? colinearseg::lab_preset() : colinearseg::Params{};
    s.params.seed = before.params.seed;
  });
  if (known && is_blob_mode_cells(value)) GST_WARNING_OBJECT(gst_, "%s", blob_mode_warning);
  if (location) {
    const std::lock_guard lock(mutex_);
    request_.location_changed = true;
  }
  if (preset) // no lock is held: a handler of notify may read properties
    for_each_param(colinearseg::params_table, [&](int, const auto &p) {
      if (!g_str_equal(p.name, "seed")) g_object_notify(G_OBJECT(gst_), p.name);
    });
  return known;
}

void SegmentElement::add_stats(GstStructure *s) const {
  Reported reported;
  {
    const std::lock_guard lock(mutex_);
    reported = reported_;
  }
  double mean_us = 0, last_us = 0;
  if (reported.gpu_ms) {
    mean_us = *reported.gpu_ms * 1000;
    last_us = *reported.gpu_last_ms * 1000;
    gst_structure_set(s, "kernel-time-us", G_TYPE_DOUBLE, mean_us, "kernel-time-last-us", G_TYPE_DOUBLE,
                      last_us, nullptr);
  } else {
    gst_structure_get(s, "kernel-time-us", G_TYPE_DOUBLE, &mean_us, "kernel-time-last-us", G_TYPE_DOUBLE,
                      &last_us, nullptr);
  }
  if (g_strcmp0(gst_structure_get_string(s, "backend"), "gl") == 0)
    gst_structure_set(s, "backend", G_TYPE_STRING, "opengl", nullptr);
  const colinearseg::Noise &noise = reported.progress.noise;
  gst_structure_set(
      s, "gpu-time-us", G_TYPE_DOUBLE, mean_us, "gpu-time-last-us", G_TYPE_DOUBLE, last_us, "learning",
      G_TYPE_BOOLEAN, gboolean(reported.progress.learning()), "background-frames", G_TYPE_INT,
      reported.progress.learnt, "noise-median", G_TYPE_DOUBLE, noise.frames ? std::expm1(noise.level) : 0.,
      "noise-spread", G_TYPE_DOUBLE, noise.spread, "static-threshold", G_TYPE_INT,
      reported.constants.static_threshold, "darkness-offset", G_TYPE_INT, reported.constants.darkness_offset,
      "temporal-compactness", G_TYPE_INT, reported.constants.temporal_compactness, "compactness", G_TYPE_INT,
      reported.constants.compactness, "shaders", G_TYPE_STRING, reported.shaders.c_str(), nullptr);
}

void SegmentElement::report(const Reported &reported) {
  const std::lock_guard lock(mutex_);
  reported_ = reported;
}

PipelineDepth SegmentElement::flow() const {
  if (!selector_.holds_frames()) return {};
  return {1, settings.read([](const Settings &s) { return s.flow.async_depth; })};
}

bool SegmentElement::passes_buffers() const {
  return !changes_frames_ && settings.read([](const Settings &s) { return s.output == Output::passthrough; });
}

// The life of the work

std::unique_ptr<FrameProcessor> SegmentElement::make_processor(Device &device) {
  auto *make_work = make_device_work;
#ifdef VIGIL_HAVE_GL
  if (device.backend() == Backend::gl) make_work = make_gl_work;
#endif
  auto work = make_work(device, *this);
  if (rescued_) work->set_state(std::exchange(rescued_, {}));
  return work;
}

void SegmentElement::start() {
  motion = {};
  motion_time = 0;
  last_time = {};
  start_ = {};
  const std::lock_guard lock(mutex_);
  reported_ = {};
}

void SegmentElement::stop(FrameProcessor *work) {
  rescued_.reset();
  if (auto *w = static_cast<SegmentProcessor *>(work); w && w->lost()) rescued_ = w->rescue();
  const std::lock_guard lock(mutex_);
  width_ = height_ = 0;
}

void SegmentElement::take_format(int width, int height, bool changes) {
  changes_frames_ = changes;
  const std::lock_guard lock(mutex_);
  width_ = width;
  height_ = height;
}

bool SegmentElement::is_fresh() {
  bool fresh = false;
  with_work(reinterpret_cast<VigilTransform *>(gst_),
            [&](FrameProcessor *work) { fresh = work && static_cast<SegmentProcessor *>(work)->is_fresh(); });
  return fresh;
}

// The background that is to be set before this frame. A file that cannot be used is an error at the
// beginning, later a warning, and the background stays.
void SegmentElement::before_frame() {
  Request request;
  int width = 0, height = 0;
  {
    const std::lock_guard lock(mutex_);
    request = std::exchange(request_, {});
    width = width_;
    height = height_;
  }
  if (request.given && (request.given->width != width || request.given->height != height)) {
    post_warning(
        gst_, Error(Error::Kind::bad_data, text("the background that was given is of ", request.given->width,
                                                "x", request.given->height, " pixels, but the frames are of ",
                                                width, "x", height, "; it is dropped")));
    request.given.reset();
  }
  start_ = {request.learn, std::move(request.given)};
  const bool fresh = is_fresh();
  if (start_.background || !(request.location_changed || (fresh && !start_.learn))) return;
  const std::string location = settings.read([](const Settings &s) { return s.background_location; });
  if (location.empty()) {
    start_.learn = true;
    return;
  }
  try {
    start_.background = Picture{width, height, read_rgba_png(location, width, height)};
  } catch (const Error &e) {
    if (fresh) throw;
    post_warning(gst_, e);
  }
}

void SegmentElement::end_of_stream() {
  FrameTime over = last_time; // motion ends with the last frame
  over.running = motion_time;
  post_motion(gst_, motion.stop(), motion, settings.snapshot().motion, over, 0, {});
}

void SegmentElement::learn_background() {
  const std::lock_guard lock(mutex_);
  request_.learn = true;
  request_.given.reset();
}

void SegmentElement::set_background(Picture p) {
  const std::lock_guard lock(mutex_);
  if (width_ && (p.width != width_ || p.height != height_))
    fail(Error::Kind::bad_data, "the background's sample is of ", p.width, "x", p.height,
         " pixels, but the frames are of ", width_, "x", height_, "; give one of the frames' size");
  request_.given = std::move(p);
  request_.learn = false;
}

} // namespace vigil::gst::glcolinearseg

// Signals

static void learn_background(GstGLColinearSeg *self) {
  segment_of(self).learn_background();
}

// What goes wrong becomes a warning on the bus and FALSE; the background stays as it is then.
static gboolean set_background(GstGLColinearSeg *self, GstSample *sample) {
  try {
    segment_of(self).set_background(picture_of(sample));
    return TRUE;
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(self), e);
    return FALSE;
  }
}

// Caps

// Appends frames like these in this kind of memory, in RGBA or in any format.
static void append_frames(GstCaps *caps, const GstStructure *frames, const char *feature, bool rgba) {
  GstStructure *s = gst_structure_copy(frames);
  const char *format = gst_structure_get_string(s, "format");
  if (!rgba || g_strcmp0(format, "RGBA") != 0)
    gst_structure_remove_fields(s, "colorimetry", "chroma-site", nullptr);
  if (rgba)
    gst_structure_set(s, "format", G_TYPE_STRING, "RGBA", nullptr);
  else
    gst_structure_remove_field(s, "format"); // the pad's template says which
  if (feature == std::string_view(gl_memory_feature))
    gst_structure_set(s, "texture-target", G_TYPE_STRING, "2D", nullptr);
  else
    gst_structure_remove_field(s, "texture-target");
  gst_caps_append_structure_full(caps, s, gst_caps_features_new(feature, nullptr));
}

// What comes in has to be in a format that kernels read, where it is them that must work; takes the caps.
static GstCaps *in_reach(GstCaps *caps, GstPadDirection direction, GlChoice choice) {
  if (choice == GlChoice::cpu) {
    GstCaps *near = caps_in_reach(caps, true);
    gst_caps_unref(caps);
    caps = near;
  }
  if (direction != GST_PAD_SRC || (choice != GlChoice::cuda && choice != GlChoice::cpu)) return caps;
  static GstStaticCaps formats =
      GST_STATIC_CAPS("video/x-raw(ANY), format = (string) { " KERNEL_FORMATS " }");
  GstCaps *read = gst_static_caps_get(&formats);
  GstCaps *both = gst_caps_intersect_full(caps, read, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(read);
  gst_caps_unref(caps);
  return both;
}

// The same memory comes first, and RGBA as it is.
static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  constexpr const char *outside[] = {cuda_memory_feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY};
  GstCaps *all = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const GstStructure *frames = gst_caps_get_structure(caps, i);
    if (gst_caps_features_is_any(features) || gst_caps_features_get_size(features) != 1 ||
        gst_caps_features_contains(features, gl_memory_feature)) {
      gst_caps_append_structure_full(all, gst_structure_copy(frames), gst_caps_features_copy(features));
      if (direction == GST_PAD_SRC && gst_caps_features_contains(features, gl_memory_feature))
        for (const char *feature : outside) append_frames(all, frames, feature, false);
      continue;
    }
    const char *feature = gst_caps_features_get_nth(features, 0);
    append_frames(all, frames, feature, true);
    append_frames(all, frames, direction == GST_PAD_SINK ? gl_memory_feature : feature,
                  direction == GST_PAD_SINK);
  }
  const GlChoice choice = segment_of(trans).settings.read([](const Settings &s) { return s.backend; });
  return filter_caps(in_reach(all, direction, choice), filter);
}

// The class

static void gst_gl_colinear_seg_init(GstGLColinearSeg *self) {
  set_element(&self->parent, std::make_unique<SegmentElement>(GST_ELEMENT(self)));
}

static void add_signals(GType type) {
  const auto flags = static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION);
  g_signal_new_class_handler("learn-background", type, flags, G_CALLBACK(learn_background), nullptr, nullptr,
                             nullptr, G_TYPE_NONE, 0);
  g_signal_new_class_handler("set-background", type, flags, G_CALLBACK(set_background), nullptr, nullptr,
                             nullptr, G_TYPE_BOOLEAN, 1, GST_TYPE_SAMPLE);
}

static void gst_gl_colinear_seg_class_init(GstGLColinearSegClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gl_colinear_seg_debug, "glcolinearseg", 0, "Segmentation by colour colinearity");
  install_properties(
      klass, properties(),
      "Structure: frames that came out; gpu-time-us a frame, the mean, and gpu-time-last-us, by the device's "
      "clock (kernel-time-us and kernel-time-last-us are the same); bytes-results read back; "
      "bytes-host-to-device and "
      "bytes-device-to-host of frames that go there and back; learning, and background-frames learnt; "
      "noise-median and "
      "noise-spread; the values in effect of static-threshold, darkness-offset, temporal-compactness and "
      "compactness; backend; shaders; device");
  add_signals(G_TYPE_FROM_CLASS(klass));
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Colinearity segmentation", "Filter/Analyzer/Video/Hardware",
      "Separates foreground from a known background by the colinearity of colours "
      "and a Markov random field, in OpenGL, in CUDA or on the CPU",
      VIGIL_AUTHORS);
  GST_BASE_TRANSFORM_CLASS(klass)->transform_caps = transform_caps;
}

GST_ELEMENT_REGISTER_DEFINE(glcolinearseg, "glcolinearseg", GST_RANK_NONE, gst_gl_colinear_seg_get_type())
