// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and pools of VigilTransform.
#include "gst/errors.h"
#include "gst/transform/impl.h"
#include "gst/video/formats.h"

namespace vigil::gst {
namespace {

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *out) {
  TransformImpl &impl = impl_of(trans);
  impl.outlet.drain();
  return guard(trans, gboolean{FALSE}, [&]() -> gboolean {
    // What throws here leaves the format as it was: the base class goes on with it when the old caps come
    // again.
    const FrameKind come = frame_kind(in), go = frame_kind(out);
    take_format(impl, come, go);
    return TRUE;
  });
}

gboolean get_unit_size(GstBaseTransform *, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

// Upstream learns how many of its frames are held, so that a pool of a fixed size does not run dry.
gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  TransformImpl &impl = impl_of(trans);
  impl.inputs.forget(); // the pool that is known may be set up anew
  DeviceSelector &place = impl.element->device_selector();
  const guint held = guint(impl.flow().held());
  if (impl.element->passes_buffers()) {
    propose_downstream_pool(&place.cuda, &place.gl, GST_BASE_TRANSFORM_SRC_PAD(trans), query, held);
    return TRUE;
  }
  if (!parent_class()->propose_allocation(trans, decided, query)) return FALSE;
  propose_pool(&place.cuda, &place.gl, query, held);
  return TRUE;
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  TransformImpl &impl = impl_of(trans);
  DeviceSelector &place = impl.element->device_selector();
  guint min = 0;
  if (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, nullptr, nullptr, &min, nullptr);
  impl.inputs.downstream_needs(min);
  return decide_pool(&place.cuda, &place.gl, query, guint(impl.flow().held()) + 1, place.makes_textures()) &&
         parent_class()->decide_allocation(trans, query);
}

gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  return describes_a_place(meta) || parent_class()->transform_meta(trans, out, meta, in);
}

} // namespace

// The place may choose another device for frames of another kind; the work then goes over to it.
void take_format(TransformImpl &impl, const FrameKind &in, const FrameKind &out) {
  const FrameKind come = in, go = out; // which may be the ones that are forgotten next
  impl.in.reset();
  impl.out.reset();
  impl.inputs.forget();
  DeviceSelector &place = impl.element->device_selector();
  const int held = impl.flow().held();
  place.prepare(come);
  {
    const ActiveProcessor::Lock lock(impl.work);
    Device &device = place.device_for(come);
    if (!impl.work.is_on(device)) {
      impl.work.stop();
      impl.start_work(device);
    }
    impl.work.frames->set_format(come, go,
                                 [&place](const FrameKind &kind) { return place.make_mapping(kind); });
  }
  impl.in = come;
  impl.out = go;
  post_place_warning(impl);
  if (impl.flow().held() != held)
    gst_element_post_message(GST_ELEMENT(impl.trans), gst_message_new_latency(GST_OBJECT(impl.trans)));
}

void post_place_warning(TransformImpl &impl) {
  if (const std::optional<Error> warning = impl.element->device_selector().take_warning())
    post_warning(GST_ELEMENT(impl.trans), *warning);
}

void install_negotiation(GstBaseTransformClass *klass) {
  klass->passthrough_on_same_caps = FALSE;
  klass->set_caps = set_caps;
  klass->get_unit_size = get_unit_size;
  klass->propose_allocation = propose_allocation;
  klass->decide_allocation = decide_allocation;
  klass->transform_meta = transform_meta;
}

} // namespace vigil::gst
