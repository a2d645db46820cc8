// SPDX-License-Identifier: LGPL-2.1-or-later
// What gpufisher puts on frames.
#pragma once

#include "tests/elements/fixture.h"

#include <string>
#include <vector>

namespace vigil::test {

inline const GstStructure *meta_of(GstBuffer *b) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(b, "vigil-fisher");
  return meta ? gst_custom_meta_get_structure(meta) : nullptr;
}
inline std::vector<double> doubles(const GstStructure *s, const char *name) {
  const GValue *array = gst_structure_get_value(s, name);
  fail_unless(array && GST_VALUE_HOLDS_ARRAY(array), "no array %s", name);
  std::vector<double> v;
  for (guint i = 0; i < gst_value_array_get_size(array); i++)
    v.push_back(g_value_get_double(gst_value_array_get_value(array, i)));
  return v;
}
inline std::vector<std::string> names(const GstStructure *s, const char *name) {
  const GValue *array = gst_structure_get_value(s, name);
  fail_unless(array && GST_VALUE_HOLDS_ARRAY(array), "no array %s", name);
  std::vector<std::string> v;
  for (guint i = 0; i < gst_value_array_get_size(array); i++)
    v.emplace_back(g_value_get_string(gst_value_array_get_value(array, i)));
  return v;
}
inline std::vector<double> scores_of(GstBuffer *b) {
  const GstStructure *meta = b ? meta_of(b) : nullptr;
  fail_unless(meta, "a frame without scores");
  return doubles(meta, "scores");
}

} // namespace vigil::test
