// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/elements/boxes.h"

#include <algorithm>

namespace vigil::test {

GstBuffer *frame_with(int number, std::initializer_list<Rect> boxes, int fps) {
  GstBuffer *b = gst_buffer_new_allocate(nullptr, 1, nullptr);
  GST_BUFFER_PTS(b) = GST_SECOND * guint64(number) / guint64(fps);
  for (const Rect &r : boxes)
    gst_buffer_add_video_region_of_interest_meta(b, "car", guint(r.x), guint(r.y), guint(r.width),
                                                 guint(r.height));
  return b;
}
Rect car(int number) {
  return {20 + 10 * number, 200, 60, 40};
}
std::string grey_caps(int columns, int rows) {
  return "video/x-raw,format=GRAY8,framerate=10/1,width=" + std::to_string(columns) +
         ",height=" + std::to_string(rows);
}

Boxes::Boxes(const std::string &settings, const std::string &before)
    : harness_(gst_harness_new_parse((before + "boxrules name=rules " + settings).c_str())),
      bus_(gst_bus_new()) {
  const bool bin = GST_IS_BIN(harness_->element);
  rules_ = GST_ELEMENT(bin ? gst_bin_get_by_name(GST_BIN(harness_->element), "rules")
                           : gst_object_ref(harness_->element));
  gst_element_set_bus(harness_->element, bus_);
  gst_harness_set_src_caps_str(harness_, grey_caps(640, 480).c_str());
}
Boxes::~Boxes() {
  gst_object_unref(rules_);
  gst_harness_teardown(harness_);
  gst_object_unref(bus_);
}
GstElement *Boxes::element(const char *name) {
  GstElement *e = gst_bin_get_by_name(GST_BIN(harness_->element), name);
  fail_unless(e != nullptr, "there is no %s", name);
  gst_object_unref(e);
  return e;
}
GstBuffer *Boxes::through(GstBuffer *b) {
  fail_unless_equals_int(gst_harness_push(harness_, b), GST_FLOW_OK);
  return gst_harness_pull(harness_);
}
std::vector<std::string> Boxes::heard() {
  std::vector<std::string> all;
  const auto add_text = [&](void (*parse)(GstMessage *, GError **, gchar **), GstMessage *m) {
    GError *e = nullptr;
    parse(m, &e, nullptr);
    all.emplace_back(e->message);
    g_error_free(e);
  };
  while (GstMessage *m = gst_bus_pop(bus_)) {
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT)
      all.emplace_back(gst_structure_get_name(gst_message_get_structure(m)));
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_WARNING) add_text(gst_message_parse_warning, m);
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) add_text(gst_message_parse_error, m);
    gst_message_unref(m);
  }
  return all;
}
int times(const std::vector<std::string> &heard, const char *name) {
  return int(std::count(heard.begin(), heard.end(), name));
}

} // namespace vigil::test
