// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and buffer pools of cudamog. The output keeps the input's memory; a mask is GRAY8, all else keeps the input's
// format.
#include "common/error.h"
#include "gst/cudamog/element.h"
#include "gst/errors.h"
#include "gst/transform/pools.h"
#include "gst/video/caps.h"
#include "gst/video/video.h"

namespace vigil::gst::cudamog {
namespace {

// The same caps in any of our formats: what the colours mean goes with the format.
void free_format(GstStructure *s, const char *only) {
  gst_structure_remove_fields(s, "format", "colorimetry", "chroma-site", nullptr);
  if (only) gst_structure_set(s, "format", G_TYPE_STRING, only, nullptr);
}

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter) {
  Impl &impl = impl_of(trans);
  const bool mask = impl.snapshot().output == Output::mask;
  GstCaps *out = caps_in_reach(caps, impl.only_cpu);
  for (guint i = 0; mask && i < gst_caps_get_size(out); i++)
    free_format(gst_caps_get_structure(out, i), direction == GST_PAD_SINK ? "GRAY8" : nullptr);
  GstCaps *template_caps = gst_pad_get_pad_template_caps(
      direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans) : GST_BASE_TRANSFORM_SINK_PAD(trans));
  GstCaps *possible = gst_caps_intersect_full(out, template_caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(out);
  gst_caps_unref(template_caps);
  return narrowed(possible, filter);
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *out) {
  drain(trans);
  return guard(trans, gboolean{FALSE}, [&]() -> gboolean {
    Impl &impl = impl_of(trans);
    const FrameKind in_kind = frame_kind(in), out_kind = frame_kind(out);
    const std::lock_guard lock(impl.work_mutex);
    if (!impl.pipeline) return FALSE;
    impl.pipeline->set_format(in_kind, out_kind);
    impl.in = in_kind;
    impl.out = out_kind;
    return TRUE;
  });
}

gboolean get_unit_size(GstBaseTransform *, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

// Upstream learns how many of its frames we hold, so that a pool of a fixed size does not run dry.
gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  Impl &impl = impl_of(trans);
  if (!parent_class()->propose_allocation(trans, decided, query)) return FALSE;
  propose_pool(&impl.cuda, query, static_cast<guint>(frames_held(impl.snapshot().flow)) + 1, &impl.gl);
  return TRUE;
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  Impl &impl = impl_of(trans);
  if (!decide_pool(&impl.cuda, query, static_cast<guint>(frames_held(impl.snapshot().flow)) + 1, &impl.gl))
    return FALSE;
  return parent_class()->decide_allocation(trans, query);
}

gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  return describes_a_place(meta) || parent_class()->transform_meta(trans, out, meta, in);
}

} // namespace

void install_negotiation(GstBaseTransformClass *klass) {
  klass->passthrough_on_same_caps = FALSE;
  klass->transform_caps = transform_caps;
  klass->set_caps = set_caps;
  klass->get_unit_size = get_unit_size;
  klass->propose_allocation = propose_allocation;
  klass->decide_allocation = decide_allocation;
  klass->transform_meta = transform_meta;
}

} // namespace vigil::gst::cudamog
