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

static Suite *boxes_suite() {
  Suite *suite = suite_create("boxes");
  TCase *tests = tcase_create("boxes");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_car_is_counted);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  return gst_check_run_suite(boxes_suite(), "boxes", __FILE__);
}
