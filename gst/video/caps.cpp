// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/caps.h"

#include "gst/video/memory_features.h"

namespace vigil::gst {

GstCaps *caps_in_reach(GstCaps *caps, bool without_cuda) {
  GstCaps *some = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features(caps, i);
    if (without_cuda && features && gst_caps_features_contains(features, cuda_memory_feature)) continue;
    gst_caps_append_structure_full(some, gst_structure_copy(gst_caps_get_structure(caps, i)),
                                   features ? gst_caps_features_copy(features) : nullptr);
  }
  return some;
}

GstCaps *filter_caps(GstCaps *caps, GstCaps *filter) {
  if (!filter) return caps;
  GstCaps *some = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(caps);
  return some;
}

} // namespace vigil::gst
