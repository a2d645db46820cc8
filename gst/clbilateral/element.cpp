// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clbilateral: its work and its description.
#include "gst/elements.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/opencl/device.h"
#include "gst/clbilateral/settings.h"
#include "gst/transform/transform.h"
#include "gst/video/formats.h"
#include "kernels/bilateral/background.h"
#include "kernels/bilateral/tune.h"

GST_DEBUG_CATEGORY_STATIC(cl_bilateral_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cl_bilateral_debug

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clbilateral;

namespace {

class BilateralProcessor final : public FrameProcessor {
 public:
  BilateralProcessor(Device &device, const SharedSettings<Settings> &settings, TuningStats &stats)
      : device_(device), settings_(settings), stats_(stats) {}

  void set_format(const FrameKind &in, const FrameKind &) override {
    filter_.reset(); // before the next one takes memory
    background_.reset();
    const bilateral::Config config{pixel_format(in.info), GST_VIDEO_INFO_WIDTH(&in.info),
                                   GST_VIDEO_INFO_HEIGHT(&in.info)};
    const Guide guide = settings_.read([](const Settings &s) { return s.guide; });
    if (device_.backend() == Backend::cuda && guide == Guide::background)
      fail(Error::Kind::bad_setting,
           "guide=background is made in OpenCL alone; leave backend to auto, or set opencl");
    if (device_.backend() == Backend::cuda) {
      filter_ = bilateral::make_cuda(device_, config);
      stats_.set("cuda", {});
      return;
    }
    const Settings settings = settings_.snapshot();
    auto &device = device_cast<ClDevice>(device_);
    const bilateral::Tuned tuned = bilateral::tune(device, config.format, settings.params, settings.tune);
    filter_ = bilateral::make_opencl(device, config, *tuned.variant);
    stats_.set(tuned.variant->name, tuned.result);
    GST_INFO("kernel %s for %dx%d", tuned.variant->name, config.width, config.height);
    if (guide == Guide::background) background_ = std::make_unique<bilateral::ClBackground>(device, config);
  }
  Plan plan(const FrameTime &, PerFrameData *) override {
    settings_.read([&](const Settings &s) {
      params_ = s.params;
      guiding_ = {s.guiding.weight, s.guiding.motion};
      return 0;
    });
    return {Use::produce};
  }
  void run(std::span<FrameTask *const> tasks, Queue &queue) override {
    for (FrameTask *task : tasks)
      filter_->apply(task->in, background_ ? background_->update(task->in, guiding_, queue) : ConstImage{},
                     task->out, params_, queue);
  }
  void flushed() override {
    if (background_) background_->forget();
  }

 private:
  Device &device_;
  const SharedSettings<Settings> &settings_;
  TuningStats &stats_;
  std::unique_ptr<bilateral::Filter> filter_;
  std::unique_ptr<bilateral::ClBackground> background_; // null without guide=background
  bilateral::Params params_; // of the frame that came last; frames are run one by one
  bilateral::GuideParams guiding_;
};

class BilateralElement final : public ElementWith<Settings> {
 public:
  explicit BilateralElement(GstElement *gst)
      : ElementWith(properties()), selector_(gst, [this] {
          return settings.read([](const Settings &s) {
            // The guide is made in OpenCL alone.
            const bool guided = s.guide == Guide::background && s.backend == ClChoice::automatic;
            return OpenClSelector::DeviceRequest{s.device, s.cuda, guided ? ClChoice::opencl : s.backend};
          });
        }) {}

  void add_stats(GstStructure *s) const override { stats_.add(s); }
  PipelineDepth flow() const override {
    return {1, settings.read([](const Settings &s) { return s.flow.async_depth; })};
  }
  bool passes_buffers() const override { return false; }
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &device) override {
    return std::make_unique<BilateralProcessor>(device, settings, stats_);
  }

 private:
  OpenClSelector selector_;
  TuningStats stats_;
};

} // namespace

struct GstClBilateral {
  VigilTransform parent;
};
struct GstClBilateralClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstClBilateral, gst_cl_bilateral, vigil_transform_get_type())

#define FORMATS "RGBA, RGBx, BGRA, BGRx, NV12, I420, GRAY8, P010_10LE, YV12, NV21"
#define CAPS VIGIL_CL_CAPS("{ " FORMATS ", GRAY16_LE }", "{ " FORMATS " }") // libgstcuda knows no GRAY16_LE
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static void gst_cl_bilateral_init(GstClBilateral *self) {
  set_element(&self->parent, std::make_unique<BilateralElement>(GST_ELEMENT(self)));
}

static void gst_cl_bilateral_class_init(GstClBilateralClass *klass) {
  GST_DEBUG_CATEGORY_INIT(cl_bilateral_debug, "clbilateral", 0, "Bilateral filter");
  install_properties(klass, properties(), cl_stats_fields);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Bilateral filter", "Filter/Effect/Video/Hardware",
                                        "Smooths noise and keeps edges, in OpenCL or CUDA", VIGIL_AUTHORS);
}

GST_ELEMENT_REGISTER_DEFINE(clbilateral, "clbilateral", GST_RANK_NONE, gst_cl_bilateral_get_type())
