// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/caps.h"

namespace vigil::gst {
namespace {

[[maybe_unused]] bool first_has(const GstCaps *caps, const char *feature) {
  if (gst_caps_is_empty(caps)) return false;
  const GstCapsFeatures *features = gst_caps_get_features(caps, 0);
  return features && gst_caps_features_contains(features, feature);
}

} // namespace

bool is_cuda_caps([[maybe_unused]] const GstCaps *caps) {
#ifdef VIGIL_HAVE_CUDA
  return first_has(caps, cuda_memory_feature);
#else
  return false;
#endif
}

bool is_gl_caps([[maybe_unused]] const GstCaps *caps) {
#ifdef VIGIL_HAVE_GL
  return first_has(caps, gl_memory_feature);
#else
  return false;
#endif
}

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
