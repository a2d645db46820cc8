// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clfilter: its description.
#include "gst/elements.h"

#include "gst/clfilter/processor.h"
#include "gst/errors.h"
#include "gst/transform/transform.h"
#include "kernels/filter/filter.h"

#include <algorithm>
#include <gst/video/video.h>
#include <optional>

GST_DEBUG_CATEGORY(cl_filter_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clfilter;

namespace {

class FilterElement final : public ElementWith<Settings> {
 public:
  explicit FilterElement(GstElement *gst)
      : ElementWith(properties()), gst_(gst), selector_(gst, [this] {
          return settings.read([](const Settings &s) {
            return OpenClSelector::DeviceRequest{s.device, s.cuda};
          });
        }) {}

  bool set_property(guint id, const GValue *value) override;
  void add_stats(GstStructure *s) const override {
    gst_structure_set(s, "kernels", G_TYPE_UINT, stats_.kernels.load(), "builds", G_TYPE_UINT,
                      stats_.builds.load(), nullptr);
    stats_.tuning.add(s);
  }
  PipelineDepth flow() const override {
    return {1, settings.read([](const Settings &s) { return s.flow.async_depth; })};
  }
  bool passes_buffers() const override {
    return settings.read([](const Settings &s) { return s.chain.empty(); });
  }
  DeviceSelector &device_selector() override { return selector_; }
  void start() override { stats_.kernels = stats_.builds = 0; }
  std::unique_ptr<FrameProcessor> make_processor(Device &device) override {
    return clfilter::make_processor(gst_, device_cast<ClDevice>(device), settings, stats_);
  }

 private:
  GstElement *gst_;
  OpenClSelector selector_;
  FilterStats stats_;
};

// While frames flow, a chain that cannot be read is refused at once, and the one before stays. Before that it
// is an error when the element starts.
bool FilterElement::set_property(guint id, const GValue *value) {
  Settings wanted = settings.snapshot();
  if (!properties().set(wanted, id, value)) return false;
  if (GST_STATE(gst_) >= GST_STATE_PAUSED) {
    try {
      filter::parse(wanted.chain);
    } catch (const Error &e) {
      const std::string kept = settings.snapshot().chain;
      post_warning(gst_, Error(e.kind(), text(e.what(), "; the chain stays \"", kept, "\"")));
      return true;
    }
  }
  return ElementWith::set_property(id, value);
}

} // namespace

struct GstClFilter {
  VigilTransform parent;
};
struct GstClFilterClass {
  VigilTransformClass parent_class;
};
G_DEFINE_TYPE(GstClFilter, gst_cl_filter, vigil_transform_get_type())

#define COLOUR_FORMATS "RGBA, RGBx, BGRA, BGRx"
// GStreamer's CUDA memory has no GRAY16_LE and no RGBA64_LE.
#define CAPS                                                                                                 \
  VIGIL_CL_CAPS("{ " COLOUR_FORMATS ", GRAY8, GRAY16_LE, RGBA64_LE, P010_10LE }",                            \
                "{ " COLOUR_FORMATS ", GRAY8 }")
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticCaps colour_caps =
    GST_STATIC_CAPS(VIGIL_CL_CAPS("{ " COLOUR_FORMATS ", RGBA64_LE, P010_10LE }", "{ " COLOUR_FORMATS " }"));

// Stages that make colours leave no room for grey pictures.
static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  GstCaps *result =
      GST_BASE_TRANSFORM_CLASS(gst_cl_filter_parent_class)->transform_caps(trans, direction, caps, filter);
  return guard(trans, result, [&] {
    filter::Chain chain;
    try {
      chain = filter::parse(static_cast<FilterElement &>(element_of(trans)).settings.snapshot().chain);
    } catch (const filter::ChainError &) {
      return result; // start() says it
    }
    if (std::none_of(chain.begin(), chain.end(), [](const filter::Stage &s) { return s.type->needs_colour; }))
      return result;
    GstCaps *colour = gst_static_caps_get(&colour_caps);
    GstCaps *less = gst_caps_intersect_full(result, colour, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref(colour);
    gst_caps_unref(result);
    return less;
  });
}

static void gst_cl_filter_init(GstClFilter *self) {
  set_element(&self->parent, std::make_unique<FilterElement>(GST_ELEMENT(self)));
}

static void gst_cl_filter_class_init(GstClFilterClass *klass) {
  GST_DEBUG_CATEGORY_INIT(cl_filter_debug, "clfilter", 0, "Chains of image filters");
  install_properties(klass, properties(), cl_stats_fields);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Filter chain", "Filter/Effect/Video/Hardware",
      "Runs a chain of point and stencil filters in as few kernels as pay, in OpenCL", VIGIL_AUTHORS);
  GST_BASE_TRANSFORM_CLASS(klass)->transform_caps = transform_caps;
}

GST_ELEMENT_REGISTER_DEFINE(clfilter, "clfilter", GST_RANK_NONE, gst_cl_filter_get_type())
