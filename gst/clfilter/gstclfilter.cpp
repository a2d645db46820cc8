// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clfilter as a GObject.
#include "gst/clfilter/gstclfilter.h"

#include "gst/base/errors.h"
#include "gst/clfilter/work.h"
#include "kernels/filter/filter.h"

#include <algorithm>
#include <gst/video/video.h>
#include <optional>

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clfilter;

struct GstClFilter {
  VigilClTransform parent;
  SharedSettings *settings;
};
struct GstClFilterClass {
  VigilClTransformClass parent_class;
};
G_DEFINE_TYPE(GstClFilter, gst_cl_filter, vigil_cl_transform_get_type())

#define COLOUR_FORMATS "RGBA, RGBx, BGRA, BGRx"
#define CAPS VIGIL_CL_CAPS("{ " COLOUR_FORMATS ", GRAY8 }", "{ " COLOUR_FORMATS ", GRAY8 }")
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticCaps colour_caps =
    GST_STATIC_CAPS(VIGIL_CL_CAPS("{ " COLOUR_FORMATS " }", "{ " COLOUR_FORMATS " }"));

static SharedSettings &settings_of(gpointer self) {
  return *static_cast<GstClFilter *>(self)->settings;
}

// While frames flow, a chain that cannot be read is refused at once, and the one before stays. Before that it is an error when
// the element starts.
static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  SharedSettings &settings = settings_of(object);
  Settings wanted = settings.snapshot();
  if (!properties().set(wanted, id, value)) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    return;
  }
  if (GST_STATE(object) >= GST_STATE_PAUSED) {
    try {
      filter::parse(wanted.chain);
    } catch (const Error &e) {
      const std::string kept = settings.snapshot().chain;
      post_warning(GST_ELEMENT(object), Error(e.kind(), text(e.what(), "; the chain stays \"", kept, "\"")));
      return;
    }
  }
  settings.change([&](Settings &s) { properties().set(s, id, value); });
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  if (!properties().get(settings_of(object).snapshot(), id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

// Stages that make colours leave no room for grey pictures.
static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter) {
  GstCaps *result =
      GST_BASE_TRANSFORM_CLASS(gst_cl_filter_parent_class)->transform_caps(trans, direction, caps, filter);
  return guard(trans, result, [&] {
    filter::Chain chain;
    try {
      chain = filter::parse(settings_of(trans).snapshot().chain);
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

static std::unique_ptr<ClWork> new_work(VigilClTransform *self, Device &device) {
  return make_work(GST_ELEMENT(self), static_cast<ClDevice &>(device), settings_of(self));
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstClFilter *>(object)->settings;
  G_OBJECT_CLASS(gst_cl_filter_parent_class)->finalize(object);
}

static void gst_cl_filter_init(GstClFilter *self) {
  self->settings = new SharedSettings;
}

static void gst_cl_filter_class_init(GstClFilterClass *klass) {
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install(object);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Filter chain", "Filter/Effect/Video/Hardware",
      "Runs a chain of point and stencil filters in as few kernels as pay, in OpenCL", "The Vigil authors");
  GST_BASE_TRANSFORM_CLASS(klass)->transform_caps = transform_caps;
  reinterpret_cast<VigilClTransformClass *>(klass)->make_work = new_work;
}

gboolean vigil_register_clfilter(GstPlugin *plugin) {
  return gst_element_register(plugin, "clfilter", GST_RANK_NONE, gst_cl_filter_get_type());
}
