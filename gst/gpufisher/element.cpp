// SPDX-License-Identifier: LGPL-2.1-or-later
// The element gpufisher: its description, the model that it uses, its events. Frames pass as they are: what
// goes in comes out.
#include "gst/gpufisher/element.h"

#include "common/error.h"
#include "gst/elements.h"
#include "gst/errors.h"
#include "gst/gpufisher/meta.h"
#include "gst/gpufisher/processor.h"
#include "gst/memory/luma_mapping.h"
#include "gst/transform/transform.h"
#include "gst/video/caps.h"
#include "gst/video/formats.h"

#include <utility>

GST_DEBUG_CATEGORY_STATIC(gpu_fisher_debug);
#define GST_CAT_DEFAULT gpu_fisher_debug

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::gpufisher;

struct GstGpuFisher {
  VigilTransform parent;
};
struct GstGpuFisherClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstGpuFisher, gst_gpu_fisher, vigil_transform_get_type())

#define CAPS                                                                                                 \
  VIGIL_CUDA_CAPS(VIGIL_VIDEO_FORMATS)                                                                       \
  VIGIL_GL_CAPS("{ RGBA }")                                                                                  \
  GST_VIDEO_CAPS_MAKE(VIGIL_VIDEO_FORMATS) "; " GST_VIDEO_CAPS_MAKE(VIGIL_LUMA_FORMATS)
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

namespace vigil::gst::gpufisher {
namespace {

// Throws Error::bad_setting when there is no location, else as fisher::read_model().
std::shared_ptr<const fisher::Model> read_model(const std::string &location) {
  if (location.empty())
    fail(Error::Kind::bad_setting,
         "model-location is not set: it names the file of a model, which vigil-train makes");
  return std::make_shared<const fisher::Model>(fisher::read_model(location));
}

} // namespace

FisherElement::FisherElement(GstElement *gst)
    : ElementWith(properties()), gst_(gst), selector_(gst, [this] {
        return settings.read([](const Settings &s) {
          return CudaSelector::DeviceRequest{s.backend, s.device};
        });
      }) {}

bool FisherElement::set_property(guint id, const GValue *value) {
  const bool known = ElementWith::set_property(id, value);
  if (id == model_location_id()) model_wanted_++;
  return known;
}

void FisherElement::add_stats(GstStructure *s) const {
  gst_structure_set(s, "scored", G_TYPE_UINT64, guint64(scored), "descriptors", G_TYPE_INT,
                    descriptors.load(), nullptr);
}

PipelineDepth FisherElement::flow() const {
  return {1, settings.read([](const Settings &s) { return s.flow.async_depth; })};
}

std::unique_ptr<FrameProcessor> FisherElement::make_processor(Device &device) {
  return std::make_unique<FisherProcessor>(device, *this, model_);
}

void FisherElement::start() {
  const unsigned wanted = model_wanted_;
  const auto model = read_model(settings.snapshot().model_location);
  model_taken_ = wanted;
  scored = 0;
  frame = 0;
  last_time_ = {};
  begin_events(model);
}

// A new model-location takes over with this frame, unless it cannot be used: then the old model stays.
void FisherElement::before_frame() {
  const unsigned wanted = model_wanted_;
  if (std::exchange(model_taken_, wanted) == wanted) return;
  const std::string location = settings.snapshot().model_location;
  try {
    const auto model = read_model(location);
    change_work(reinterpret_cast<VigilTransform *>(gst_),
                [&](FrameProcessor &work) { static_cast<FisherProcessor &>(work).set_model(model); });
    end_events(); // they are the old model's
    begin_events(model);
    GST_INFO_OBJECT(gst_, "now uses the model %s", location.c_str());
  } catch (const std::exception &e) {
    post_warning(gst_, Error(Error::Kind::bad_data, text(e.what(), ". The old model stays")));
  }
}

void FisherElement::flushed() {
  events_.forget();
}

// The messages event-begin and event-end of what changed last. Fields: the frame's times as in motion-begin,
// and
//   class      gchararray
//   score      gdouble, the smoothed one that decided
//   threshold  gdouble, that it reached or fell below
//   active     GstValueArray of gchararray, the classes whose events go on after this frame
void FisherElement::post_changes(const FrameTime &time, const Tuning &tuning) {
  if (!tuning.post_messages) return;
  const fisher::Classifier &classifier = model_->classifier;
  for (int c = 0; c < events_.classes(); c++) {
    const Events::Change change = events_.change(c);
    if (change == Events::Change::none) continue;
    const bool begins = change == Events::Change::begin;
    const auto i = std::size_t(c);
    const double threshold =
        double((begins ? classifier.begin : classifier.end)[i]) + double(tuning.threshold_offset);
    GstStructure *s = new_timed_structure(begins ? "event-begin" : "event-end", time);
    gst_structure_set(s, "class", G_TYPE_STRING, classifier.classes[i].c_str(), "score", G_TYPE_DOUBLE,
                      double(events_.smoothed(c)), "threshold", G_TYPE_DOUBLE, threshold, nullptr);
    set_active(s, classifier.classes, events_);
    gst_element_post_message(gst_, gst_message_new_element(GST_OBJECT(gst_), s));
  }
}

void FisherElement::begin_events(std::shared_ptr<const fisher::Model> model) {
  events_ = Events(model->classifier.count());
  model_ = std::move(model);
}

void FisherElement::end_events() {
  if (!model_) return;
  events_.stop();
  post_changes(last_time_, settings.snapshot().tuning);
}

void FisherElement::take_scores(BufferPtr &buffer, const FrameTime &time, std::span<const float> scores,
                                GBytes *vector) {
  const Tuning tuning = settings.read([](const Settings &s) { return s.tuning; });
  const fisher::Classifier &classifier = model_->classifier;
  events_.step(scores, tuning.window, classifier, tuning.threshold_offset);
  last_time_ = time;
  scored++;
  buffer.reset(gst_buffer_make_writable(buffer.release()));
  add_meta(buffer.get(), classifier.classes, scores, events_, vector);
  post_changes(time, tuning);
}

} // namespace vigil::gst::gpufisher

static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection, GstCaps *caps, GstCaps *filter) {
  return filter_caps(caps_in_reach(caps, element_of(trans).device_selector().without_cuda()), filter);
}

static void gst_gpu_fisher_init(GstGpuFisher *self) {
  set_element(&self->parent, std::make_unique<FisherElement>(GST_ELEMENT(self)));
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_gpu_fisher_class_init(GstGpuFisherClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gpu_fisher_debug, "gpufisher", 0, "Fisher vectors of every frame, and events");
  register_meta();
  install_properties(
      klass, properties(),
      "Structure: frames that came out and how many were scored; kernel-time-us a scored frame, the mean, "
      "and kernel-time-last-us, by the device's clock; bytes-host-to-device and bytes-device-to-host of "
      "pictures; bytes-results, of scores and vectors read back; descriptors a frame; backend; device");
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Fisher vectors and events",
                                        "Filter/Analyzer/Video/Hardware",
                                        "Scores every frame by dense SIFT, a Fisher vector and linear "
                                        "classifiers, and reports events, on a GPU "
                                        "(CUDA) or the CPU",
                                        VIGIL_AUTHORS);
  GST_BASE_TRANSFORM_CLASS(klass)->transform_caps = transform_caps;
}

GST_ELEMENT_REGISTER_DEFINE(gpufisher, "gpufisher", GST_RANK_NONE, gst_gpu_fisher_get_type())
