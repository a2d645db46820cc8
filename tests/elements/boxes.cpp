// SPDX-License-Identifier: LGPL-2.1-or-later
// boxtrack and boxrules in a pipeline without pixels: numbers and messages.
#include "tests/elements/boxes.h"

using namespace vigil::test;

GST_START_TEST(a_car_is_counted) {
  Boxes chain;
  g_object_set(chain.rules(), "rules", gate, nullptr);
  for (int n = 0; n < 50; n++) {
    GstBuffer *out = chain.through(frame_with(n, {car(n)}));
    auto *roi = gst_buffer_get_video_region_of_interest_meta_id(out, 0);
    fail_unless(roi != nullptr);
    GstStructure *track = gst_video_region_of_interest_meta_get_param(roi, "track");
    fail_unless((track != nullptr) == (n > 2), "frame %d", n);
    guint64 id = 0;
    if (track) fail_unless(gst_structure_get_uint64(track, "id", &id) && id == 1);
    gst_buffer_unref(out);
  }
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  const auto names = chain.heard();
  fail_unless_equals_int(times(names, "line-cross"), 1);
  fail_unless_equals_int(times(names, "zone-enter"), 1);
  fail_unless_equals_int(times(names, "zone-leave"), 1);
  fail_unless_equals_int(times(names, "track-begin"), 1);
  fail_unless_equals_int(times(names, "track-end"), 1);
}
GST_END_TEST

// Elements that draw compositions look at one of a frame, so what another element put there before goes on in
// the same one.
GST_START_TEST(drawings_join_what_is_on_the_frame) {
  Boxes chain("draw=true", "");
  gst_harness_add_propose_allocation_meta(chain.harness(), GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE,
                                          nullptr);
  // Frames in this memory cannot be drawn into.
  gst_harness_set_src_caps_str(
      chain.harness(), "video/x-raw(memory:GLMemory),format=RGBA,width=320,height=240,framerate=10/1");
  g_object_set(chain.rules(), "rules", gate, nullptr);
  constexpr guint side = 4;
  GstBuffer *pixels = gst_buffer_new_allocate(nullptr, 4 * side * side, nullptr);
  gst_buffer_memset(pixels, 0, 255, gst_buffer_get_size(pixels));
  gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, side,
                            side);
  GstVideoOverlayRectangle *clock =
      gst_video_overlay_rectangle_new_raw(pixels, 0, 0, side, side, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  GstVideoOverlayComposition *before = gst_video_overlay_composition_new(clock);
  GstBuffer *frame = frame_with(0, {});
  gst_buffer_add_video_overlay_composition_meta(frame, before);
  GstBuffer *out = chain.through(frame);
  fail_unless_equals_int(gst_buffer_get_n_meta(out, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE), 1);
  GstVideoOverlayComposition *all = gst_buffer_get_video_overlay_composition_meta(out)->overlay;
  // The zone, the line with its stroke, and a label for each.
  fail_unless_equals_int(gst_video_overlay_composition_n_rectangles(all), 1 + 5);
  fail_unless(gst_video_overlay_composition_get_rectangle(all, 0) == clock);
  fail_unless_equals_int(gst_video_overlay_composition_n_rectangles(before), 1);
  gst_buffer_unref(out);
  gst_video_overlay_composition_unref(before);
  gst_video_overlay_rectangle_unref(clock);
  gst_buffer_unref(pixels);
}
GST_END_TEST

static Suite *boxes_suite() {
  Suite *suite = suite_create("boxes");
  TCase *tests = tcase_create("boxes");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_car_is_counted);
  tcase_add_test(tests, drawings_join_what_is_on_the_frame);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  return gst_check_run_suite(boxes_suite(), "boxes", __FILE__);
}
