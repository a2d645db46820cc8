// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clbilateral as a GObject, and its work.
#include "gst/clbilateral/gstclbilateral.h"

#include "gst/base/opencl.h"
#include "gst/base/video.h"
#include "gst/clbilateral/settings.h"
#include "kernels/bilateral/tune.h"

#include <mutex>

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clbilateral;

namespace {

struct Impl {
  std::mutex mutex; // held for moments, by any thread
  Settings settings;

  Settings snapshot() {
    const std::lock_guard lock(mutex);
    return settings;
  }
};

class Work final : public ClWork {
 public:
  Work(Device &device, Impl &impl) : device_(device), impl_(impl) {}

  void set_format(const GstVideoInfo &info) override {
    filter_.reset(); // before the next one takes memory
    const bilateral::Config config{pixel_format(info), GST_VIDEO_INFO_WIDTH(&info),
                                   GST_VIDEO_INFO_HEIGHT(&info)};
    if (device_.backend() == Backend::cuda) {
      filter_ = bilateral::make_cuda(device_, config);
      return;
    }
    const Settings settings = impl_.snapshot();
    auto &device = static_cast<ClDevice &>(device_);
    tuned_ = bilateral::tune(device, config.format, settings.params, settings.tune);
    filter_ = bilateral::make_opencl(device, config, *tuned_.variant);
  }
  ClUse next_use() override {
    current_ = impl_.snapshot();
    return ClUse::make;
  }
  void run(const ConstImage &in, const Image &out, Result *, Queue &queue) override {
    filter_->apply(in, out, current_.params, queue);
  }
  void add_stats(GstStructure *s) const override {
    if (filter_) add_tuning(s, tuned_.variant ? tuned_.variant->name : "cuda", tuned_.result);
  }

 private:
  Device &device_;
  Impl &impl_;
  std::unique_ptr<bilateral::Filter> filter_;
  bilateral::Tuned tuned_{};
  Settings current_; // of the frame that is to be worked on
};

} // namespace

struct GstClBilateral {
  VigilClTransform parent;
  Impl *impl;
};
struct GstClBilateralClass {
  VigilClTransformClass parent_class;
};
G_DEFINE_TYPE(GstClBilateral, gst_cl_bilateral, vigil_cl_transform_get_type())

#define FORMATS "RGBA, RGBx, BGRA, BGRx, NV12, I420, GRAY8, P010_10LE"
#define CAPS VIGIL_CL_CAPS("{ " FORMATS ", GRAY16_LE }", "{ " FORMATS " }") // libgstcuda knows no GRAY16_LE
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static Impl &impl_of(gpointer self) {
  return *static_cast<GstClBilateral *>(self)->impl;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  if (!properties().set(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  if (!properties().get(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static std::unique_ptr<ClWork> make_work(VigilClTransform *self, Device &device) {
  return std::make_unique<Work>(device, impl_of(self));
}

static ClChoice choice(VigilClTransform *self) {
  return impl_of(self).snapshot().backend;
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstClBilateral *>(object)->impl;
  G_OBJECT_CLASS(gst_cl_bilateral_parent_class)->finalize(object);
}

static void gst_cl_bilateral_init(GstClBilateral *self) {
  self->impl = new Impl;
}

static void gst_cl_bilateral_class_init(GstClBilateralClass *klass) {
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install(object);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Bilateral filter", "Filter/Effect/Video/Hardware",
                                        "Smooths noise and keeps edges, in OpenCL or CUDA",
                                        "The Vigil authors");
  auto *transform = reinterpret_cast<VigilClTransformClass *>(klass);
  transform->make_work = make_work;
  transform->choice = choice;
}

gboolean vigil_register_clbilateral(GstPlugin *plugin) {
  return gst_element_register(plugin, "clbilateral", GST_RANK_NONE, gst_cl_bilateral_get_type());
}
