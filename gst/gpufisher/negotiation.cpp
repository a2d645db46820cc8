// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and buffer pools of gpufisher. Frames pass as they are: what goes in comes out.
#include "common/error.h"
#include "gst/errors.h"
#include "gst/gpufisher/element.h"
#include "gst/transform/pools.h"
#include "gst/video/caps.h"
#include "gst/video/video.h"

#include <algorithm>

namespace vigil::gst::gpufisher {
namespace {

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection, GstCaps *caps, GstCaps *filter) {
  return narrowed(caps_in_reach(caps, impl_of(trans).only_cpu), filter);
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  drain(trans);
  return guard(trans, gboolean{FALSE}, [&]() -> gboolean {
    Impl &impl = impl_of(trans);
    const FrameKind kind = frame_kind(in);
    const std::lock_guard lock(impl.work_mutex);
    if (!impl.scorer) return FALSE;
    impl.scorer->set_format(kind);
    impl.kind = kind;
    return TRUE;
  });
}

// Downstream's answer, as frames pass; upstream learns that we hold some of them besides. Where downstream has none, ours.
gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  Impl &impl = impl_of(trans);
  const guint held = static_cast<guint>(impl.snapshot().flow.async_depth) + 1;
  const bool answered = parent_class()->propose_allocation(trans, decided, query);
  withdraw_crops(query);
  if (!answered || gst_query_get_n_allocation_pools(query) == 0) {
    propose_pool(&impl.cuda, query, held);
    return TRUE;
  }
  for (guint i = 0; i < gst_query_get_n_allocation_pools(query); i++) {
    GstBufferPool *pool = nullptr;
    guint size = 0, min = 0, max = 0;
    gst_query_parse_nth_allocation_pool(query, i, &pool, &size, &min, &max);
    gst_query_set_nth_allocation_pool(query, i, max == 0 || max >= min + held ? pool : nullptr, size,
                                      min + held, max == 0 ? 0 : std::max(max, min + held));
    gst_clear_object(&pool);
  }
  return TRUE;
}

} // namespace

void install_negotiation(GstBaseTransformClass *klass) {
  klass->transform_caps = transform_caps;
  klass->set_caps = set_caps;
  klass->propose_allocation = propose_allocation;
}

} // namespace vigil::gst::gpufisher
