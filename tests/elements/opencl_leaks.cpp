// SPDX-License-Identifier: LGPL-2.1-or-later
// From NULL to PLAYING and back again and again, and pipelines made and destroyed, under GStreamer's leaks
// tracer: no GstObject or buffer may be left. (The heap is not looked at: OpenCL drivers keep caches.)
#include "tests/elements/fixture.h"

using namespace vigil::test;

namespace {

constexpr const char *elements[] = {"clhistogram overlay=true post-messages=true", "clhistogram every=2",
                                    "clbilateral", "clbilateral algorithm=grid chroma=true"};

GstElement *make(const char *element, int i) {
  const std::string line = std::string("videotestsrc num-buffers=6 pattern=ball ! "
                                       "video/x-raw,format=NV12,width=96,height=64 ! ") +
                           element + " async-depth=" + std::to_string(i % 3) + " ! fakesink sync=false";
  GstElement *pipeline = gst_parse_launch(line.c_str(), nullptr);
  fail_unless(pipeline);
  return pipeline;
}

} // namespace

GST_START_TEST(nothing_is_left_after_state_cycles) {
  const guint before = live_objects();
  GstElement *pipeline = make(elements[__i__], 0);
  for (int i = 0; i < 40; i++) {
    if (i % 5 == 0) { // a new one now and then
      gst_object_unref(pipeline);
      pipeline = make(elements[__i__], i / 5);
    }
    play_to_the_end(pipeline);
  }
  gst_object_unref(pipeline);
  expect_no_more_objects_than(before);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("opencl-leaks");
  TCase *tests = tcase_create("leaks");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, nothing_is_left_after_state_cycles, 0, int(std::size(elements)));
  return run(suite, argc, argv);
}
