// SPDX-License-Identifier: LGPL-2.1-or-later
// The element that docs/adding-an-element.md prints, built from there, does what the page says.
#include "gst/frames/buffer_ptr.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <string>
#include <vector>

GST_ELEMENT_REGISTER_DECLARE(framemean)

using namespace vigil::test;

GST_START_TEST(it_tells_how_bright_frames_are) {
  Harness e("framemean every=2");
  e.caps(caps_of("GRAY8", 32, 16));
  for (int n = 0; n < 4; n++) {
    Picture p("GRAY8", 32, 16);
    std::fill(p.bytes.begin(), p.bytes.end(), std::uint8_t(10 * n));
    fail_unless_equals_int(e.push(p, n), GST_FLOW_OK);
    const vigil::gst::BufferPtr out(e.pull());
    fail_unless(out != nullptr);
  }
  fail_unless(e.stat("frames") == 4);
  for (const double level : {0., 20.}) {
    GstMessage *m = e.message(GST_MESSAGE_ELEMENT);
    fail_unless(m != nullptr);
    double told = -1;
    fail_unless(gst_structure_get_double(gst_message_get_structure(m), "level", &told));
    fail_unless_equals_float(told, level);
    gst_message_unref(m);
  }
  e.no_error();
}
GST_END_TEST

GST_START_TEST(it_refuses_frames_without_caps) {
  Harness e("framemean");
  gst_harness_push_event(e.harness(), gst_event_new_stream_start("a"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.harness(), gst_event_new_segment(&segment));
  fail_unless_equals_int(gst_pad_push(e.harness()->srcpad, gst_buffer_new_and_alloc(10)),
                         GST_FLOW_NOT_NEGOTIATED);
}
GST_END_TEST

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  GST_ELEMENT_REGISTER(framemean, nullptr);
  Suite *suite = suite_create("guide");
  TCase *tests = tcase_create("guide");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, it_tells_how_bright_frames_are);
  tcase_add_test(tests, it_refuses_frames_without_caps);
  return run(suite, argc, argv);
}
