// SPDX-License-Identifier: LGPL-2.1-or-later
// 200 times from NULL to PLAYING and back, and whole pipelines made and destroyed, under GStreamer's leaks
// tracer (GST_TRACERS=leaks): no GstObject or buffer may be left, and the heap may not grow.
#include "tests/elements/fixture.h"

#include <malloc.h>

using namespace vigil::test;

namespace {

GstElement *make(int i) {
  const char *outputs[] = {"mask", "foreground", "background", "overlay", "passthrough"};
  const std::string line =
      std::string(
          "videotestsrc num-buffers=6 pattern=ball ! video/x-raw,format=NV12,width=96,height=64 ! cudamog "
          "backend=cpu group-size=2 async-depth=1 output=") +
      outputs[i % 5] + " ! fakesink sync=false";
  GstElement *pipeline = gst_parse_launch(line.c_str(), nullptr);
  fail_unless(pipeline);
  return pipeline;
}

} // namespace

GST_START_TEST(nothing_is_left_after_200_state_cycles) {
  constexpr int warm_up = 10, cycles = 200;
  const guint before = live_objects();
  GstElement *pipeline = make(0);
  std::size_t heap = 0;
  for (int i = 0; i < warm_up + cycles; i++) {
    if (i % 5 == 0) { // a new one now and then
      gst_object_unref(pipeline);
      pipeline = make(i / 5);
    }
    if (i == warm_up) heap = mallinfo2().uordblks;
    play_to_the_end(pipeline);
  }
  const std::size_t grown = mallinfo2().uordblks - heap;
  gst_object_unref(pipeline);
  expect_no_more_objects_than(before);
  fail_unless(std::ptrdiff_t(grown) < 400 * 1024, "the heap has grown by %ld kB in %d cycles",
              long(grown) / 1024, cycles);
}
GST_END_TEST

// Caps that an element keeps until the process ends are marked: who looks for leaks does not find them.
GST_START_TEST(the_tracer_finds_no_caps) {
  GstElement *pipeline = make(0);
  play_to_the_end(pipeline);
  gst_object_unref(pipeline);
  gst_task_cleanup_all();
  GList *tracers = gst_tracing_get_active_tracers();
  GstStructure *s = nullptr;
  g_signal_emit_by_name(tracers->data, "get-live-objects", &s);
  g_list_free_full(tracers, gst_object_unref);
  const GValue *all = gst_structure_get_value(s, "live-objects-list");
  for (guint i = 0; i < gst_value_list_get_size(all); i++) {
    const GValue *one =
        gst_structure_get_value(gst_value_get_structure(gst_value_list_get_value(all, i)), "object");
    if (!GST_VALUE_HOLDS_CAPS(one)) continue;
    const GstCaps *caps = gst_value_get_caps(one);
    fail_unless(GST_MINI_OBJECT_FLAG_IS_SET(caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED), "left: %s",
                gst_caps_to_string(caps));
  }
  gst_structure_free(s);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cudamog-leaks");
  TCase *tests = tcase_create("leaks");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, the_tracer_finds_no_caps);
  tcase_add_test(tests, nothing_is_left_after_200_state_cycles);
  return run(suite, argc, argv);
}
