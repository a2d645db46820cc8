// SPDX-License-Identifier: LGPL-2.1-or-later
// boxtrack and boxrules in pipelines without pixels: numbers, messages, rules that change, bad input.
#include "tests/elements/fixture.h"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <thread>

using namespace vigil::test;

namespace {

constexpr const char *gate = "{\"lines\":[{\"name\":\"gate\",\"points\":[[0.5,0],[0.5,1]]}],"
                             "\"zones\":[{\"name\":\"left\",\"polygon\":[[0,0],[0.5,0],[0.5,1],[0,1]]}]}";

GstBuffer *frame(int n, std::initializer_list<Rect> boxes, int fps = 10) {
  GstBuffer *b = gst_buffer_new_allocate(nullptr, 1, nullptr);
  GST_BUFFER_PTS(b) = GST_SECOND * guint64(n) / guint64(fps);
  for (const Rect &r : boxes)
    gst_buffer_add_video_region_of_interest_meta(b, "car", guint(r.x), guint(r.y), guint(r.width),
                                                 guint(r.height));
  return b;
}
Rect car(int n) {
  return {20 + 10 * n, 200, 60, 40};
}
GstElement *chain(const char *settings, GstHarness **h) {
  const std::string text = std::string("boxtrack ! boxrules name=rules ") + settings;
  *h = gst_harness_new_parse(text.c_str());
  gst_harness_set_src_caps_str(*h, "video/x-raw,format=GRAY8,width=640,height=480,framerate=10/1");
  return gst_bin_get_by_name(GST_BIN((*h)->element), "rules");
}
std::vector<std::string> heard(GstBus *bus) {
  std::vector<std::string> names;
  while (GstMessage *m = gst_bus_pop(bus)) {
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT)
      names.emplace_back(gst_structure_get_name(gst_message_get_structure(m)));
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_WARNING) names.emplace_back("warning");
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) names.emplace_back("error");
    gst_message_unref(m);
  }
  return names;
}
int times(const std::vector<std::string> &names, const char *name) {
  return int(std::count(names.begin(), names.end(), name));
}

} // namespace

GST_START_TEST(a_car_is_counted) {
  GstHarness *h = nullptr;
  GstElement *rules = chain("", &h);
  g_object_set(rules, "rules", gate, nullptr);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(h->element, bus);
  for (int n = 0; n < 50; n++) {
    fail_unless_equals_int(gst_harness_push(h, frame(n, {car(n)})), GST_FLOW_OK);
    GstBuffer *out = gst_harness_pull(h);
    auto *roi = gst_buffer_get_video_region_of_interest_meta_id(out, 0);
    fail_unless(roi != nullptr);
    GstStructure *track = gst_video_region_of_interest_meta_get_param(roi, "track");
    fail_unless((track != nullptr) == (n > 2), "frame %d", n);
    guint64 id = 0;
    if (track) fail_unless(gst_structure_get_uint64(track, "id", &id) && id == 1);
    gst_buffer_unref(out);
  }
  gst_harness_push_event(h, gst_event_new_eos());
  const auto names = heard(bus);
  fail_unless_equals_int(times(names, "line-cross"), 1);
  fail_unless_equals_int(times(names, "zone-enter"), 1);
  fail_unless_equals_int(times(names, "zone-leave"), 1);
  fail_unless_equals_int(times(names, "track-begin"), 1);
  fail_unless_equals_int(times(names, "track-end"), 1);
  gst_object_unref(bus);
  gst_object_unref(rules);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(bad_rules_leave_the_old_ones) {
  GstHarness *h = nullptr;
  GstElement *rules = chain("", &h);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(h->element, bus);
  g_object_set(rules, "rules", gate, nullptr);
  gchar *before = nullptr, *after = nullptr;
  g_object_get(rules, "rules", &before, nullptr);
  gboolean done = TRUE;
  g_object_set(rules, "rules", "{\"lines\":[", nullptr);
  g_object_set(rules, "rules-location", "/nowhere/rules.json", nullptr);
  g_signal_emit_by_name(rules, "add-zone", "{\"name\":\"x\",\"polygon\":[[0,0],[1,1]]}", &done);
  fail_if(done);
  g_signal_emit_by_name(rules, "remove", "nobody", &done);
  fail_if(done);
  g_object_get(rules, "rules", &after, nullptr);
  fail_unless_equals_string(before, after);
  fail_unless_equals_int(times(heard(bus), "warning"), 4);
  g_free(before);
  g_free(after);
  // Rules in pixels are refused when the picture changes its size, normalised ones follow.
  g_object_set(rules, "rules",
               "{\"units\":\"pixels\",\"lines\":[{\"name\":\"a\",\"points\":[[300,0],[300,400]]}]}", nullptr);
  gst_harness_push(h, frame(0, {}));
  fail_unless_equals_int(times(heard(bus), "warning"), 0);
  gst_harness_set_src_caps_str(h, "video/x-raw,format=GRAY8,width=320,height=240,framerate=10/1");
  gst_harness_push(h, frame(1, {}));
  fail_unless_equals_int(times(heard(bus), "warning"), 1);
  gst_object_unref(bus);
  gst_object_unref(rules);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(rules_change_while_frames_go_by) {
  GstHarness *h = nullptr;
  GstElement *rules = chain("draw=true post-messages=false", &h);
  std::atomic<bool> over = false;
  std::thread other([&] {
    for (int i = 0; !over; i++) {
      gboolean done = FALSE;
      g_signal_emit_by_name(rules, "add-line",
                            i % 2 ? "{\"name\":\"l\",\"points\":[[0.2,0],[0.2,1]]}"
                                  : "{\"name\":\"m\",\"points\":[[0,0.1],[1,0.9]]}",
                            &done);
      if (!done) g_error("a line is refused");
      g_signal_emit_by_name(rules, "remove", i % 2 ? "l" : "m", &done);
      g_object_set(rules, "rules", gate, nullptr);
      GstStructure *stats = nullptr;
      g_object_get(rules, "stats", &stats, nullptr);
      gst_structure_free(stats);
    }
  });
  for (int n = 0; n < 150; n++) {
    GstBuffer *b = frame(n, {car(n % 50), {30, 30, 20, 20}});
    gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 640 * 480 - 1, nullptr));
    fail_unless_equals_int(gst_harness_push(h, b), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(h));
  }
  over = true;
  other.join();
  gst_object_unref(rules);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(odd_boxes_and_times) {
  GstHarness *h = nullptr;
  GstElement *rules = chain("", &h);
  g_object_set(rules, "rules", gate, nullptr);
  int n = 0;
  for (const guint64 t : std::initializer_list<guint64>{5 * GST_SECOND, GST_CLOCK_TIME_NONE, 0,
                                                        9000 * GST_SECOND, GST_SECOND}) {
    GstBuffer *b =
        frame(n++, {{-5, -5, 0, 0}, {100000, 2, 5, 5}, {1, 1, 2000000000, 7}, {600, 400, 90, 200}});
    for (int i = 0; i < 3000; i++)
      gst_buffer_add_video_region_of_interest_meta(b, "car", guint(i % 640), guint(i % 480), 9, 9);
    GST_BUFFER_PTS(b) = t;
    fail_unless_equals_int(gst_harness_push(h, b), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(h));
  }
  gst_object_unref(rules);
  gst_harness_teardown(h);
}
GST_END_TEST

static Suite *boxes_suite() {
  Suite *suite = suite_create("boxes");
  TCase *tests = tcase_create("boxes");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_car_is_counted);
  tcase_add_test(tests, bad_rules_leave_the_old_ones);
  tcase_add_test(tests, rules_change_while_frames_go_by);
  tcase_add_test(tests, odd_boxes_and_times);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  return gst_check_run_suite(boxes_suite(), "boxes", __FILE__);
}
