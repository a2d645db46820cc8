// SPDX-License-Identifier: LGPL-2.1-or-later
// What boxtrack and boxrules do with input that is wrong: boxes, times, sizes, rules.
#include "tests/elements/boxes.h"

#include <atomic>
#include <limits>
#include <thread>

using namespace vigil::test;

namespace {

guint64 stat(GstElement *e, const char *field) {
  GstStructure *stats = nullptr;
  g_object_get(e, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, field, &value), "no field %s", field);
  gst_structure_free(stats);
  return value;
}
// The one warning since the last look.
std::string warning(Boxes &chain) {
  const auto heard = chain.heard();
  fail_unless(heard.size() == 1, "%zu messages", heard.size());
  return heard[0];
}
void says(const std::string &warning, const char *words) {
  fail_unless(warning.find(words) != std::string::npos, "\"%s\" does not say %s", warning.c_str(), words);
}
// The track 7 of another tracker, with its lower edge's middle at (x, y).
GstBuffer *tracked(int number, int x, int y, int id = 7) {
  GstBuffer *b = frame_with(number, {{x - 10, y - 40, 20, 40}});
  gst_video_region_of_interest_meta_add_param(gst_buffer_get_video_region_of_interest_meta_id(b, 0),
                                              gst_structure_new("track", "id", G_TYPE_UINT64, guint64(id),
                                                                "state", G_TYPE_STRING, "tracked", nullptr));
  return b;
}

} // namespace

GST_START_TEST(bad_rules_leave_the_old_ones) {
  Boxes chain;
  GstElement *rules = chain.rules();
  g_object_set(rules, "rules", gate, nullptr);
  gchar *before = nullptr, *after = nullptr;
  g_object_get(rules, "rules", &before, nullptr);
  const auto set = [&](const char *text) {
    g_object_set(rules, "rules", text, nullptr);
    return warning(chain);
  };
  says(set("{\n\"lines\": [}"), "line 2, column 11");
  says(set("{\"zones\":[{\"name\":\"a\",\"polygon\":[[0,0],[1,1],[1,0],[0,1]]}]}"), "crosses itself");
  says(set("{\"zones\":[{\"name\":\"a\",\"polygon\":[[0,0],[1,1]]}]}"), "2 points");
  says(set("{\"zones\":[{\"name\":\"a\",\"polygon\":[[2,2],[3,2],[3,3]]}]}"), "outside of the picture");
  says(set("{\"lines\":[{\"name\":\"a\",\"points\":[[2,0],[2,1]]}]}"), "outside of the picture");
  g_object_set(rules, "rules-location", "/nowhere/rules.json", nullptr);
  says(warning(chain), "/nowhere/rules.json");
  gboolean done = TRUE;
  g_signal_emit_by_name(rules, "add-zone", "{\"name\":\"x\",\"polygon\":[[0,0],[1,1]]}", &done);
  fail_if(done);
  says(warning(chain), "2 points");
  done = TRUE;
  g_signal_emit_by_name(rules, "add-line", nullptr, &done);
  fail_if(done);
  warning(chain);
  done = TRUE;
  g_signal_emit_by_name(rules, "remove", "nobody", &done);
  fail_if(done);
  says(warning(chain), "\"nobody\"");
  g_object_get(rules, "rules", &after, nullptr);
  fail_unless_equals_string(before, after);
  g_free(before);
  g_free(after);
}
GST_END_TEST

GST_START_TEST(pixel_rules_are_refused_at_another_size) {
  Boxes chain;
  const char *line = "{\"units\":\"pixels\",\"lines\":[{\"name\":\"a\",\"points\":[[300,0],[300,400]]}]}";
  g_object_set(chain.rules(), "rules", line, nullptr);
  chain.push(frame_with(0, {}));
  fail_unless(chain.heard().empty());
  gst_harness_set_src_caps_str(chain.harness(), grey_caps(320, 240).c_str());
  chain.push(frame_with(1, {}));
  const std::string why = warning(chain);
  says(why, "320x240 now");
  says(why, "pixels of 640x480");
  g_object_set(chain.rules(), "rules", line, nullptr); // for this size
  chain.push(frame_with(2, {}));
  fail_unless(chain.heard().empty());
}
GST_END_TEST

GST_START_TEST(normalised_rules_follow_the_size) {
  Boxes chain("", "");
  g_object_set(chain.rules(), "rules", gate, nullptr);
  for (int n = 0; n < 20; n++) chain.push(tracked(n, 440 - 10 * n, 300)); // over the line at 320
  fail_unless_equals_int(times(chain.heard(), "line-cross"), 1);
  // The same place of a picture of half the size, so nothing was crossed.
  gst_harness_set_src_caps_str(chain.harness(), grey_caps(320, 240).c_str());
  for (int n = 20; n < 40; n++) chain.push(tracked(n, 125, 150));
  fail_unless_equals_int(times(chain.heard(), "line-cross"), 0);
  for (int n = 40; n < 60; n++) chain.push(tracked(n, 125 + 5 * (n - 40), 150)); // over it at 160
  const auto heard = chain.heard();
  fail_unless_equals_int(times(heard, "line-cross"), 1);
  fail_unless_equals_int(times(heard, "zone-leave"), 1);
}
GST_END_TEST

// For a minute of video at 30 frames a second, in which most of the rules are good ones.
GST_START_TEST(rules_change_while_frames_go_by) {
  Boxes chain("draw=true post-messages=false");
  gst_harness_set_src_caps_str(chain.harness(), grey_caps(160, 120).c_str());
  GstElement *rules = chain.rules();
  std::atomic<bool> over = false;
  std::atomic<int> changes = 0;
  std::thread other([&] {
    for (int i = 0; !over; i++) {
      gboolean done = FALSE;
      g_signal_emit_by_name(rules, "add-line",
                            i % 2 ? "{\"name\":\"l\",\"points\":[[0.2,0],[0.2,1]]}"
                                  : "{\"name\":\"m\",\"points\":[[0,0.1],[1,0.9]]}",
                            &done);
      if (!done) g_error("a line is refused");
      g_signal_emit_by_name(rules, "remove", i % 2 ? "l" : "m", &done);
      if (!done) g_error("a line cannot be removed");
      g_object_set(rules, "rules", i % 3 ? gate : "{", "hysteresis", double(i % 20), nullptr);
      if (i % 5 == 0) g_signal_emit_by_name(rules, "reset-totals");
      g_object_set(chain.element("boxtrack0"), "pairs", i % 2, "lost-after", i % 3000, nullptr);
      stat(rules, "frames");
      changes++;
      g_usleep(500); // all the time would leave the frames none
    }
  });
  for (int n = 0; n < 1800; n++) {
    GstBuffer *b = frame_with(n, {{n % 140, 50, 20, 15}, {30, 10, 9, 9}}, 30);
    gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 160 * 120 - 1, nullptr));
    chain.push(b);
  }
  over = true;
  other.join();
  fail_unless(changes > 100, "%d changes", int(changes));
  fail_unless_equals_int(stat(rules, "frames"), 1800);
}
GST_END_TEST

GST_START_TEST(thousands_of_odd_boxes) {
  Boxes chain("draw=true");
  g_object_set(chain.rules(), "rules", gate, nullptr);
  const guint max = std::numeric_limits<guint>::max();
  for (int n = 0; n < 5; n++) {
    GstBuffer *b = frame_with(n, {{-5, -5, 0, 0}, {9, 9, 5, 0}, {100000, 2, 5, 5}, {600, 400, 90, 200}});
    gst_buffer_add_video_region_of_interest_meta(b, "car", 1, 1, max, 7);
    gst_buffer_add_video_region_of_interest_meta(b, "car", max, max, max, max);
    gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 640 * 480 - 1, nullptr));
    for (int i = 0; i < 5000; i++)
      gst_buffer_add_video_region_of_interest_meta(b, "car", guint(i * 7 % 640), guint(i * 13 % 480), 9, 9);
    chain.push(b);
  }
  GstElement *track = chain.element("boxtrack0");
  fail_unless_equals_int(stat(track, "boxes"), 5 * 5006);
  fail_unless_equals_int(stat(track, "passed-over"), 5 * (5006 - 400));
  fail_unless(stat(track, "tracks") <= 400);
}
GST_END_TEST

// As many tracks as another tracker likes, with numbers that are there twice, of which the first counts.
GST_START_TEST(thousands_of_tracks) {
  Boxes chain("draw=true", "");
  g_object_set(chain.rules(), "rules", gate, nullptr);
  for (int n = 0; n < 5; n++) {
    GstBuffer *b = tracked(n, 500, 400, 1);
    gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 640 * 480 - 1, nullptr));
    for (int i = 0; i < 5000; i++)
      gst_video_region_of_interest_meta_add_param(
          gst_buffer_add_video_region_of_interest_meta(b, "car", guint(i * 7 % 640), guint(i * 13 % 480), 9,
                                                       9),
          gst_structure_new("track", "id", G_TYPE_UINT64, guint64(1 + i % 4000), "vx", G_TYPE_STRING, "fast",
                            "state", G_TYPE_INT, 3, nullptr));
    chain.push(b);
  }
  fail_unless_equals_int(stat(chain.rules(), "tracks"), 4000);
}
GST_END_TEST

GST_START_TEST(odd_times) {
  Boxes chain;
  g_object_set(chain.rules(), "rules", gate, nullptr);
  const auto at = [&](guint64 time, int place) {
    GstBuffer *b = frame_with(0, {car(place)});
    GST_BUFFER_PTS(b) = time;
    chain.push(b);
  };
  // Without times the caps' frame rate tells them.
  for (int n = 0; n < 20; n++) at(GST_CLOCK_TIME_NONE, n);
  fail_unless_equals_int(times(chain.heard(), "track-begin"), 1);
  // Hours later it is somebody else.
  for (int n = 20; n < 40; n++) at(guint64(9000 + n) * GST_SECOND, n);
  auto heard = chain.heard();
  fail_unless(times(heard, "track-end") >= 1);
  // Back in time, as after a loop of the source.
  at(9040 * GST_SECOND, 40);
  chain.heard();
  at(0, 0);
  heard = chain.heard();
  fail_unless_equals_int(times(heard, "zone-enter"), 0);
  for (int n = 1; n < 50; n++) at(guint64(n) * GST_SECOND / 10, n);
  heard = chain.heard();
  fail_unless_equals_int(times(heard, "track-begin"), 1);
  fail_unless_equals_int(times(heard, "line-cross"), 1);
  at(GST_CLOCK_TIME_NONE - 1, 0); // the end of time
  at(GST_CLOCK_TIME_NONE, 0);
}
GST_END_TEST

static Suite *boxes_suite() {
  Suite *suite = suite_create("boxes-robust");
  TCase *tests = tcase_create("boxes-robust");
  tcase_set_timeout(tests, 200);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, bad_rules_leave_the_old_ones);
  tcase_add_test(tests, pixel_rules_are_refused_at_another_size);
  tcase_add_test(tests, normalised_rules_follow_the_size);
  tcase_add_test(tests, rules_change_while_frames_go_by);
  tcase_add_test(tests, thousands_of_odd_boxes);
  tcase_add_test(tests, thousands_of_tracks);
  tcase_add_test(tests, odd_times);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  return gst_check_run_suite(boxes_suite(), "boxes-robust", __FILE__);
}
