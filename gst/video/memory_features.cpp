// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/memory_features.h"

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

} // namespace vigil::gst
