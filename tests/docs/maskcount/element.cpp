// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the blobs of masks: the work, the description, the GObject class.
#include "gst/elements.h"
#include "tests/docs/maskcount/settings.h"

#include "gst/transform/cuda_selector.h"
#include "gst/transform/transform.h"
#include "kernels/blobs/blobs.h"

#include <cstdint>
#include <memory>
#include <span>

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::maskcount;

namespace {

// What is found in one frame: made once for each frame that may be held, then used again.
struct Found final : FrameProcessor::PerFrameData {
  Found(Device &device, const blobs::Config &config) : results(device, config) {}
  int min_area = 1;       // as it was set when the frame came
  blobs::Results results; // host memory that the device writes to
};

class CountWork final : public FrameProcessor {
 public:
  CountWork(Device &device, GstElement *element, const SharedSettings<Settings> &settings)
      : device_(device), element_(element), settings_(settings) {}

  void set_format(const FrameKind &in, const FrameKind &) override {
    config_ = {in.info.width, in.info.height};
    finder_ = blobs::make(device_, config_);
    number_ = 0;
  }
  // Called after set_format(), so the memory has the size that the format needs.
  std::unique_ptr<PerFrameData> make_frame_data() override {
    return std::make_unique<Found>(device_, config_);
  }
  // What holds for this frame is kept in its result: the settings may have changed when run() comes.
  Plan plan(const FrameTime &, PerFrameData *result) override {
    const Tuning tuning = settings_.read([](const Settings &s) { return s.tuning; });
    static_cast<Found &>(*result).min_area = tuning.min_area;
    return {number_++ % tuning.every == 0 ? Use::inspect : Use::none};
  }
  // Only submits: the device may still be at work when it returns.
  void run(std::span<FrameTask *const> tasks, Queue &queue) override {
    for (FrameTask *task : tasks) {
      Found &f = found(*task);
      finder_->apply(task->in.plane(0), {.min_area = std::uint32_t(f.min_area)}, {}, f.results, queue);
    }
  }
  // The results are on the host.
  void complete(FrameTask &task, Queue &) override {
    if (device_.backend() != Backend::cpu)
      bytes_ += found(task).results.bytes(); // the CPU writes them where they are read
  }
  void publish(BufferPtr &, const FrameTask &task) override {
    if (task.plan.use == Use::none) return;
    blobs::Results &results = found(task).results;
    GstStructure *s = new_timed_structure("mask-count", task.time);
    gst_structure_set(s, "blobs", G_TYPE_INT, int(results.blobs().size()), "foreground", G_TYPE_UINT64,
                      guint64(results.head().foreground), nullptr);
    gst_element_post_message(element_, gst_message_new_element(GST_OBJECT(element_), s));
  }
  std::uint64_t result_bytes() const override { return bytes_; }

 private:
  static Found &found(const FrameTask &task) { return static_cast<Found &>(*task.result); }

  Device &device_;
  GstElement *element_;
  const SharedSettings<Settings> &settings_;
  blobs::Config config_;
  std::unique_ptr<blobs::Finder> finder_;
  std::uint64_t number_ = 0, bytes_ = 0;
};

class CountElement final : public ElementWith<Settings> {
 public:
  explicit CountElement(GstElement *gst)
      : ElementWith(properties()), gst_(gst), selector_(gst, [] {
          return CudaSelector::DeviceRequest{BackendChoice::cpu, {}};
        }) {}

  PipelineDepth flow() const override {
    return {.depth = settings.read([](const Settings &s) { return s.flow.async_depth; })};
  }
  bool passes_buffers() const override { return true; } // what comes in goes out
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &device) override {
    return std::make_unique<CountWork>(device, gst_, settings);
  }

 private:
  GstElement *gst_;
  CudaSelector selector_; // here the processor only
};

} // namespace

struct GstMaskCount {
  VigilTransform parent;
};
struct GstMaskCountClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstMaskCount, gst_mask_count, vigil_transform_get_type())

#define CAPS GST_VIDEO_CAPS_MAKE("{ GRAY8 }")
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static void gst_mask_count_init(GstMaskCount *self) {
  set_element(&self->parent, std::make_unique<CountElement>(GST_ELEMENT(self)));
}

static void gst_mask_count_class_init(GstMaskCountClass *klass) {
  install_properties(klass, properties(), "Structure: the fields of all elements");
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Mask count", "Filter/Analyzer/Video",
                                        "Counts the blobs of masks", VIGIL_AUTHORS);
}

GST_ELEMENT_REGISTER_DEFINE(maskcount, "maskcount", GST_RANK_NONE, gst_mask_count_get_type())
