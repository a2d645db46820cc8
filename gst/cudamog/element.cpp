// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cudamog: its description. The output keeps the input's memory; a mask is GRAY8, all else keeps
// the input's format.
#include "gst/cudamog/element.h"

#include "common/error.h"
#include "common/on_device_thread.h"
#include "gst/cudamog/debug.h"
#include "gst/cudamog/processor.h"
#include "gst/cudamog/properties.h"
#include "gst/cudamog/try_out.h"
#include "gst/elements.h"
#include "gst/errors.h"
#include "gst/metadata/blob_mode.h"
#include "gst/metadata/png.h"
#include "gst/transform/transform.h"
#include "gst/video/caps.h"
#include "gst/video/formats.h"

#include <exception>
#include <utility>

GST_DEBUG_CATEGORY(cuda_mog_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::cudamog;

struct GstCudaMog {
  VigilTransform parent;
};
struct GstCudaMogClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstCudaMog, gst_cuda_mog, vigil_transform_get_type())

// Textures: one for each plane. P010 is only read, by its upper 8 bits, and no picture is made of it.
#define VIGIL_MOG_CAPS(more)                                                                                 \
  VIGIL_CUDA_CAPS("{ " VIGIL_VIDEO_FORMAT_NAMES more " }")                                                   \
  VIGIL_GL_CAPS("{ RGBA, NV12, I420, GRAY8" more " }")                                                       \
  GST_VIDEO_CAPS_MAKE("{ " VIGIL_VIDEO_FORMAT_NAMES more " }")
static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(VIGIL_MOG_CAPS(", P010_10LE")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(VIGIL_MOG_CAPS(", P010_10LE")));
static GstStaticCaps written_caps = GST_STATIC_CAPS(VIGIL_MOG_CAPS("")); // those that pictures are made in

static MogElement &mog_of(gpointer self) {
  return static_cast<MogElement &>(element_of(self));
}

namespace vigil::gst::cudamog {
MogElement::MogElement(GstElement *gst)
    : ElementWith(properties()), gst_(gst),
      selector_(
          gst,
          [this] {
            return settings.read([](const Settings &s) {
              return ComputeSelector::DeviceRequest{s.backend, s.device,
                                                    s.precision != PrecisionChoice::double_};
            });
          },
          try_out),
      session_(gst, settings), model_file_(gst) {}

bool MogElement::set_property(guint id, const GValue *value) {
  const auto output = [](const Settings &s) { return s.output; };
  const Output before = settings.read(output);
  const bool known = ElementWith::set_property(id, value);
  if (known && is_blob_mode_cells(value)) GST_WARNING_OBJECT(gst_, "%s", blob_mode_warning);
  if (settings.read(output) != before) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(gst_));
  return known;
}

void MogElement::add_stats(GstStructure *s) const {
  session_.stats.add_to(s);
}

PipelineDepth MogElement::flow() const {
  return settings.read([](const Settings &s) {
    return PipelineDepth{s.flow.group_size, s.flow.async_depth};
  });
}

bool MogElement::passes_buffers() const {
  return settings.read([](const Settings &s) { return s.output == Output::passthrough; });
}

std::unique_ptr<FrameProcessor> MogElement::make_processor(Device &device) {
  std::unique_ptr<MogProcessor> processor;
  on_device_thread(device, [&] { processor = std::make_unique<MogProcessor>(device, session_); });
  if (to_load_) processor->load(*std::exchange(to_load_, {}));
  return processor;
}

void MogElement::start() {
  const Settings s = settings.snapshot();
  if (!s.mask_location.empty()) check_png(s.mask_location);
  to_load_ = model_file_.open(s.model_location);
  to_save_.reset();
  session_.start();
}

void MogElement::stop(FrameProcessor *work) {
  if (work && model_file_.named()) to_save_ = static_cast<MogProcessor *>(work)->model().save_if_changed();
}

void MogElement::stopped() {
  if (to_save_) model_file_.write(*std::exchange(to_save_, {}));
  model_file_.close();
}

// Reports a model that was lost, or a saved one that did not fit the frames, and saves the model when it is
// time. The copy is made here, under the work lock; during the stream a thread of its own writes the file.
void MogElement::update_model_file(bool at_the_end) {
  std::optional<Error> refusal, lost;
  std::optional<mog::SavedModel> model;
  const auto save_interval = [](const Settings &s) { return s.keeping.save_interval; };
  const bool save = at_the_end ? model_file_.named() : model_file_.due(settings.read(save_interval));
  with_work(reinterpret_cast<VigilTransform *>(gst_), [&](FrameProcessor *work) {
    lost = std::exchange(session_.lost, {});
    if (!work) return;
    BackgroundModel &learnt = static_cast<MogProcessor &>(*work).model();
    refusal = learnt.take_refusal();
    if (save) model = learnt.save_if_changed();
  });
  if (lost) post_warning(gst_, *lost);
  if (refusal) model_file_.refused(*refusal);
  if (!model) return;
  if (at_the_end)
    model_file_.write(*model);
  else
    model_file_.write_in_background(std::move(*model));
}

void MogElement::after_frame() {
  update_model_file(false);
}

void MogElement::end_of_stream() {
  std::optional<tamper::Event> tamper;
  with_work(reinterpret_cast<VigilTransform *>(gst_),
            [&](FrameProcessor *) { tamper = session_.tamper_detector.stop(); });
  session_.publisher.end_of_stream(settings.snapshot().motion, tamper);
  try {
    update_model_file(true);
  } catch (const std::exception &e) { // the stream has come to its end all the same
    post_warning(gst_, e);
  }
}

} // namespace vigil::gst::cudamog

// Signals

static void reset(GstCudaMog *self) {
  guard(self, false, [&] {
    with_work(&self->parent, [](FrameProcessor *work) {
      if (work) static_cast<MogProcessor *>(work)->reset();
    });
    return true;
  });
}

// Runs fn(path) for a signal; what goes wrong becomes a warning on the bus and FALSE.
template <class Fn>
static gboolean with_model_file(GstCudaMog *self, const gchar *location, Fn fn) noexcept {
  try {
    if (!location || !*location) fail(Error::Kind::bad_setting, "no location was given for the model");
    fn(std::string(location));
    return TRUE;
  } catch (const std::exception &e) {
    post_warning(GST_ELEMENT(self), e);
    return FALSE;
  }
}

static MogProcessor &running(FrameProcessor *work) {
  if (!work) fail(Error::Kind::bad_setting, "the element has no model now: it has one from PAUSED on");
  return static_cast<MogProcessor &>(*work);
}

static gboolean save_model(GstCudaMog *self, const gchar *location) {
  return with_model_file(self, location, [self](const std::string &path) {
    mog::SavedModel model;
    with_work(&self->parent, [&](FrameProcessor *work) { model = running(work).model().save(); });
    mog::write_file(path, model);
  });
}

static gboolean load_model(GstCudaMog *self, const gchar *location) {
  return with_model_file(self, location, [self](const std::string &path) {
    mog::SavedModel model = mog::read_file(path);
    with_work(&self->parent, [&](FrameProcessor *work) { running(work).load(std::move(model)); });
  });
}

// Caps

// The same caps in any of our formats: what the colours mean goes with the format.
static void free_format(GstStructure *s, const char *only) {
  gst_structure_remove_fields(s, "format", "colorimetry", "chroma-site", nullptr);
  if (only) gst_structure_set(s, "format", G_TYPE_STRING, only, nullptr);
}

static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  MogElement &element = mog_of(trans);
  const Output output = element.settings.snapshot().output;
  const bool mask = output == Output::mask;
  GstCaps *out = caps_in_reach(caps, element.device_selector().without_cuda());
  for (guint i = 0; mask && i < gst_caps_get_size(out); i++)
    free_format(gst_caps_get_structure(out, i), direction == GST_PAD_SINK ? "GRAY8" : nullptr);
  GstCaps *template_caps =
      mask || output == Output::passthrough
          ? gst_pad_get_pad_template_caps(direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans)
                                                                    : GST_BASE_TRANSFORM_SINK_PAD(trans))
          : gst_static_caps_get(&written_caps);
  GstCaps *possible = gst_caps_intersect_full(out, template_caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(out);
  gst_caps_unref(template_caps);
  return filter_caps(possible, filter);
}

// The class

static void gst_cuda_mog_init(GstCudaMog *self) {
  set_element(&self->parent, std::make_unique<MogElement>(GST_ELEMENT(self)));
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
  install_properties(
      klass, properties(),
      "Structure: frames that came out; kernel-time-us a frame, the mean, and "
      "kernel-time-last-us, by the device's clock; bytes-host-to-device and "
      "bytes-device-to-host of pictures; bytes-results read back or sent for blobs; "
      "model-frames learnt; precision of the model: single, double or compact; exposure-gain and "
      "exposure-offset of the last frame against the "
      "background; shift-x and shift-y in pixels of that frame against it; ghost-cells and "
      "object-cells that foreground stands in; relearning, whether the last frame says nothing since the "
      "scene is learnt anew; with stage-times stages, a structure with one for "
      "each stage, whose fields are frames and the means of a frame submit-us and finish-us (by "
      "the host's clock) and device-us; backend; device");
  add_signals(G_TYPE_FROM_CLASS(klass));
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Mixture-of-Gaussians background subtraction", "Filter/Analyzer/Video/Hardware",
      "Learns the background of a fixed camera and finds what moves, on a GPU (CUDA, OpenGL) or the CPU",
      VIGIL_AUTHORS);
  GST_BASE_TRANSFORM_CLASS(klass)->transform_caps = transform_caps;
}

GST_ELEMENT_REGISTER_DEFINE(cudamog, "cudamog", GST_RANK_NONE, gst_cuda_mog_get_type())
