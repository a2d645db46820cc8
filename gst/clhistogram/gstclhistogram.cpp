// SPDX-License-Identifier: LGPL-2.1-or-later
// The element clhistogram as a GObject.
#include "gst/clhistogram/gstclhistogram.h"

#include "gst/base/video.h"
#include "gst/clhistogram/work.h"

#include <mutex>

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::clhistogram;

namespace {
struct Impl {
  std::mutex mutex; // held for moments, by any thread
  Settings settings;
};
} // namespace

struct GstClHistogram {
  VigilClTransform parent;
  Impl *impl;
};
struct GstClHistogramClass {
  VigilClTransformClass parent_class;
};
G_DEFINE_TYPE(GstClHistogram, gst_cl_histogram, vigil_cl_transform_get_type())

#define CAPS VIGIL_CL_CAPS(VIGIL_VIDEO_FORMATS, VIGIL_VIDEO_FORMATS)
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

static Impl &impl_of(gpointer self) {
  return *static_cast<GstClHistogram *>(self)->impl;
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

static std::unique_ptr<ClWork> new_work(VigilClTransform *self, Device &device) {
  Impl *impl = reinterpret_cast<GstClHistogram *>(self)->impl;
  return make_work(GST_ELEMENT(self), static_cast<ClDevice &>(device), [impl] {
    const std::lock_guard lock(impl->mutex);
    return impl->settings;
  });
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstClHistogram *>(object)->impl;
  G_OBJECT_CLASS(gst_cl_histogram_parent_class)->finalize(object);
}

static void gst_cl_histogram_init(GstClHistogram *self) {
  self->impl = new Impl;
}

static void gst_cl_histogram_class_init(GstClHistogramClass *klass) {
  register_meta();
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install(object);
  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Histogram", "Filter/Analyzer/Video/Hardware",
      "Counts levels and intensities of each frame and says what they mean for the exposure, in OpenCL",
      "The Vigil authors");
  auto *transform = reinterpret_cast<VigilClTransformClass *>(klass);
  transform->make_work = new_work;
  transform->passes_frames = TRUE;
}

gboolean vigil_register_clhistogram(GstPlugin *plugin) {
  return gst_element_register(plugin, "clhistogram", GST_RANK_NONE, gst_cl_histogram_get_type());
}
