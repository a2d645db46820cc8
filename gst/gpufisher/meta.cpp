// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/meta.h"

#include "gst/compat.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vigil::gst::gpufisher {
namespace {

// An array of `count` values; fill(value, i) sets one that was initialised to `type`.
template <class Fill>
void set_array(GstStructure *s, const char *name, std::size_t count, GType type, Fill fill) {
  GValue array = G_VALUE_INIT;
  gst_value_array_init(&array, static_cast<guint>(count));
  for (std::size_t i = 0; i < count; i++) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, type);
    fill(&value, i);
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(s, name, &array);
}

} // namespace

float confidence_of(float score) {
  return 1 / (1 + std::exp(-score));
}

void set_active(GstStructure *s, const std::vector<std::string> &classes, const Events &events) {
  std::vector<const char *> names;
  for (int c = 0; c < events.classes(); c++)
    if (events.active(c)) names.push_back(classes[std::size_t(c)].c_str());
  set_array(s, "active", names.size(), G_TYPE_STRING,
            [&](GValue *v, std::size_t i) { g_value_set_string(v, names[i]); });
}

void register_meta() {
  static const gchar *tags[] = {nullptr};
  if (!gst_meta_get_info(meta_name)) gst_meta_register_custom(meta_name, tags, nullptr, nullptr, nullptr);
}

void add_meta(GstBuffer *buffer, const std::vector<std::string> &classes, std::span<const float> scores,
              const Events &events, GBytes *vector) {
  GstStructure *s = gst_custom_meta_get_structure(gst_buffer_add_custom_meta(buffer, meta_name));
  set_array(s, "classes", classes.size(), G_TYPE_STRING,
            [&](GValue *v, std::size_t i) { g_value_set_string(v, classes[i].c_str()); });
  set_array(s, "scores", classes.size(), G_TYPE_DOUBLE,
            [&](GValue *v, std::size_t i) { g_value_set_double(v, double(scores[i])); });
  set_array(s, "smoothed", classes.size(), G_TYPE_DOUBLE,
            [&](GValue *v, std::size_t i) { g_value_set_double(v, double(events.smoothed(int(i)))); });
  set_active(s, classes, events);
  if (vector) {
    gst_structure_set(s, "vector", G_TYPE_BYTES, vector, nullptr);
    add_tensor_meta(buffer, "vigil-fisher-vector", vector);
  }
  if (classes.empty()) return;
  std::vector<float> confidences(scores.size());
  std::ranges::transform(scores, confidences.begin(), confidence_of);
  add_classification_meta(buffer, classes, confidences);
}

} // namespace vigil::gst::gpufisher
