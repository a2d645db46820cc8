// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clhistogram: its description. The simplest of the elements, and the one to copy.
#include "gst/elements.h"

#include "gst/clhistogram/processor.h"
#include "gst/transform/transform.h"
#include "gst/video/formats.h"

GST_DEBUG_CATEGORY(cl_histogram_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clhistogram;

namespace {

class HistogramElement final : public ElementWith<Settings> {
 public:
  explicit HistogramElement(GstElement *gst)
      : ElementWith(properties()), gst_(gst), selector_(gst, [this] {
          return settings.read([](const Settings &s) {
            return OpenClSelector::DeviceRequest{s.device, s.cuda};
          });
        }) {}

  PipelineDepth flow() const override {
    return {1, settings.read([](const Settings &s) { return s.flow.async_depth; })};
  }
  bool passes_buffers() const override { return true; }
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &device) override {
    return clhistogram::make_processor(gst_, device_cast<ClDevice>(device), settings);
  }

 private:
  GstElement *gst_;
  OpenClSelector selector_;
};

} // namespace

struct GstClHistogram {
  VigilTransform parent;
};
struct GstClHistogramClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstClHistogram, gst_cl_histogram, vigil_transform_get_type())

#define FORMATS "NV12, I420, GRAY8, RGBA, RGBx, BGRA, BGRx, YV12, NV21, P010_10LE, I420_10LE"
#define CAPS VIGIL_CL_CAPS("{ " FORMATS ", GRAY16_LE, RGBA64_LE }", "{ " FORMATS " }")
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static void gst_cl_histogram_init(GstClHistogram *self) {
  set_element(&self->parent, std::make_unique<HistogramElement>(GST_ELEMENT(self)));
}

static void gst_cl_histogram_class_init(GstClHistogramClass *klass) {
  GST_DEBUG_CATEGORY_INIT(cl_histogram_debug, "clhistogram", 0, "Histograms and equalization");
  register_meta();
  install_properties(klass, properties(), cl_stats_fields);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Histogram", "Filter/Analyzer/Video/Hardware",
      "Counts levels and intensities of each frame and says what they mean for the exposure, in OpenCL",
      VIGIL_AUTHORS);
}

GST_ELEMENT_REGISTER_DEFINE(clhistogram, "clhistogram", GST_RANK_NONE, gst_cl_histogram_get_type())
