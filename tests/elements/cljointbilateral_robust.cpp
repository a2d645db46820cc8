// SPDX-License-Identifier: LGPL-2.1-or-later
// cljointbilateral between neighbours that misbehave, change, end, flush, leave, or begin again.
#include "tests/elements/cljointbilateral.h"

#include <tuple>

using namespace vigil;
using namespace vigil::test;

GST_START_TEST(the_stream_ends_with_the_pictures) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  gst_harness_push(e.guide, guide_of(0).buffer(0));
  gst_harness_push(e.picture, picture_of(0).buffer(0));
  e.pull();
  gst_harness_push_event(e.picture, gst_event_new_eos());
  bool ended = false;
  while (GstEvent *event = gst_harness_pull_event(e.picture)) {
    ended = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    gst_event_unref(event);
    if (ended) break;
  }
  fail_unless(ended, "no end of the stream came out");
  e.no_error();
}
GST_END_TEST

// Neither has a picture: no frame, no error, and the end comes out.
GST_START_TEST(streams_that_end_before_they_begin) {
  GstElement *pipeline = gst_parse_launch(
      "cljointbilateral name=j tune=off ! fakesink  videotestsrc num-buffers=0 ! video/x-raw,format=GRAY8 ! "
      "j.sink  videotestsrc num-buffers=0 ! video/x-raw,format=GRAY8 ! j.guide",
      nullptr);
  play_to_the_end(pipeline);
  gst_object_unref(pipeline);
}
GST_END_TEST

GST_START_TEST(frames_of_the_guide_that_cannot_be_used) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  const auto lying = [] { // says that it is larger than its caps and its memory
    GstBuffer *b = guide_of(0).buffer(0);
    gst_buffer_add_video_meta(b, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4 * width, 4 * height);
    return b;
  };
  GstBuffer *const bad[] = {gst_buffer_new(), gst_buffer_new_allocate(nullptr, 7, nullptr), lying()};
  int n = 0;
  for (GstBuffer *b : bad) {
    gst_harness_push(e.guide, at(b, GstClockTime(40 * n) * ms));
    gst_harness_push(e.picture, picture_of(n).buffer(n));
    expect_near(wanted(picture_of(n), nullptr), e.pull(), false, "bad guide " + std::to_string(n));
    n++;
  }
  fail_unless_equals_int(e.messages(GST_MESSAGE_WARNING), 1); // once, not for each frame
  // The same where the guide is converted.
  e.guide_caps("RGBA", 2 * width, height);
  gst_harness_push(e.guide, at(gst_buffer_new_allocate(nullptr, 7, nullptr), GstClockTime(40 * n) * ms));
  gst_harness_push(e.picture, picture_of(n).buffer(n));
  expect_near(wanted(picture_of(n), nullptr), e.pull(), false, "bad guide to be converted");
  fail_unless_equals_uint64(e.stat("guided"), 0);
  n++;
  e.guide_caps("GRAY8");
  gst_harness_push(e.guide, guide_of(n).buffer(n));
  gst_harness_push(e.picture, picture_of(n).buffer(n));
  Picture good = guide_of(n);
  expect_near(wanted(picture_of(n), &good), e.pull(), false, "a good one again");
  e.no_error();
}
GST_END_TEST

GST_START_TEST(a_picture_that_is_too_small_is_an_error) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  gst_harness_push(e.guide, guide_of(0).buffer(0));
  gst_harness_push(e.picture, at(gst_buffer_new_allocate(nullptr, 7, nullptr), 0));
  GstMessage *m = gst_bus_timed_pop_filtered(e.bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless(m, "no error was posted");
  gst_message_unref(m);
}
GST_END_TEST

GST_START_TEST(sizes_and_formats_change_while_it_plays) {
  Joint e;
  int n = 0;
  for (const auto &[format, w, h, guide_w, guide_h] : {std::tuple{"GRAY8", 75, 41, 75, 41},
                                                       {"RGBA", 64, 48, 64, 48},
                                                       {"GRAY8", 1, 1, 1, 1},
                                                       {"GRAY8", 1, 1, 320, 200},
                                                       {"NV12", 320, 180, 1, 1},
                                                       {"GRAY8", 75, 41, 75, 41}}) {
    e.caps(format, w, h);
    e.guide_caps(format, guide_w, guide_h);
    Picture in = scene(format, w, h, n), guide = scene(format, guide_w, guide_h, 500 + n);
    gst_harness_push(e.guide, guide.buffer(n));
    gst_harness_push(e.picture, in.buffer(n));
    const auto got = e.pull();
    fail_unless_equals_uint64(got.size(), bytes_of(in.image()).size());
    if (w == guide_w && h == guide_h) expect_near(wanted(in, &guide), got, false, format);
    n++;
  }
  fail_unless_equals_uint64(e.stat("guided"), guint64(n));
  e.no_error();
}
GST_END_TEST

// A guide that is sought or restarted is not compared with what was before.
GST_START_TEST(a_flushed_guide_is_forgotten) {
  Joint e("guide-tolerance=-1");
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  gst_harness_push(e.guide, guide_of(0).buffer(0));
  gst_harness_push(e.picture, picture_of(2).buffer(2));
  e.nothing_comes(); // the next frame of the guide may be nearer
  gst_harness_push_event(e.guide, gst_event_new_flush_start());
  gst_harness_push_event(e.guide, gst_event_new_flush_stop(FALSE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.guide, gst_event_new_segment(&segment));
  gst_harness_push(e.guide, guide_of(7).buffer(7));
  Picture guide = guide_of(7);
  expect_near(wanted(picture_of(2), &guide), e.pull(), false, "after the flush");
  e.no_error();
}
GST_END_TEST

GST_START_TEST(frames_without_times_go_together_as_they_come) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  for (int n = 0; n < 3; n++) {
    const bool guide_timed = n == 1, picture_timed = n == 2;
    GstBuffer *g = guide_of(n).buffer(n), *p = picture_of(n).buffer(n);
    if (!guide_timed) at(g, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
    if (!picture_timed) at(p, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
    gst_harness_push(e.guide, g);
    gst_harness_push(e.picture, p);
    Picture guide = guide_of(n);
    expect_near(wanted(picture_of(n), &guide), e.pull(), false, "without times, " + std::to_string(n));
  }
  e.no_error();
}
GST_END_TEST

GST_START_TEST(gaps_make_no_pictures) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  gst_harness_push_event(e.guide, gst_event_new_gap(0, 40 * ms));
  gst_harness_push_event(e.picture, gst_event_new_gap(0, 40 * ms));
  gst_harness_push(e.guide, guide_of(1).buffer(1));
  gst_harness_push(e.picture, picture_of(1).buffer(1));
  Picture guide = guide_of(1);
  expect_near(wanted(picture_of(1), &guide), e.pull(), false, "after the gaps");
  fail_unless_equals_uint64(e.stat("frames"), 1);
}
GST_END_TEST

GST_START_TEST(there_is_one_guide_which_may_leave) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  GstPadTemplate *templ = gst_element_get_pad_template(e.element, "guide");
  fail_unless(gst_element_request_pad(e.element, templ, nullptr, nullptr) == nullptr, "there are two guides");
  gst_harness_push(e.picture, picture_of(0).buffer(0));
  e.nothing_comes();
  GstPad *pad = gst_element_get_static_pad(e.element, "guide");
  gst_element_release_request_pad(e.element, pad);
  gst_object_unref(pad);
  expect_near(wanted(picture_of(0), nullptr), e.pull(), false, "the guide left");
  e.no_error();
}
GST_END_TEST

// Sources that are not live, one of them faster, with seeks to the beginning and states in between.
GST_START_TEST(it_plays_again_and_again) {
  GstElement *pipeline = gst_parse_launch(
      "cljointbilateral name=j tune=off ! fakesink  scenetestsrc num-buffers=20 ! "
      "video/x-raw,format=GRAY8,width=80,height=60,framerate=25/1 ! j.sink  scenetestsrc num-buffers=40 ! "
      "video/x-raw,format=RGBA,width=160,height=120,framerate=50/1 ! j.guide",
      nullptr);
  GstElement *j = gst_bin_get_by_name(GST_BIN(pipeline), "j");
  for (int i = 0; i < 3; i++) {
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *m =
        gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    fail_unless(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS, "run %d", i);
    gst_message_unref(m);
    GstStructure *s = nullptr;
    g_object_get(j, "stats", &s, nullptr);
    guint64 frames = 0, guided = 0;
    gst_structure_get(s, "frames", G_TYPE_UINT64, &frames, "guided", G_TYPE_UINT64, &guided, nullptr);
    gst_structure_free(s);
    fail_unless_equals_uint64(frames, 20);
    fail_unless_equals_uint64(guided, 20);
    if (i == 1) { // a seek of the whole pipeline
      fail_unless(gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
      m = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                     GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
      fail_unless(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS, "after the seek");
      gst_message_unref(m);
    }
    gst_object_unref(bus);
    gst_element_set_state(pipeline, i % 2 ? GST_STATE_READY : GST_STATE_NULL);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(j);
  gst_object_unref(pipeline);
}
GST_END_TEST

GST_START_TEST(a_device_that_is_not_there) {
  GstElement *e = gst_parse_launch("cljointbilateral device=nosuchdevice", nullptr);
  gst_object_ref_sink(e);
  not_found(e);
  gst_object_unref(e);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cljointbilateral-robust");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, the_stream_ends_with_the_pictures);
  tcase_add_test(tests, streams_that_end_before_they_begin);
  tcase_add_test(tests, frames_of_the_guide_that_cannot_be_used);
  tcase_add_test(tests, a_picture_that_is_too_small_is_an_error);
  tcase_add_test(tests, sizes_and_formats_change_while_it_plays);
  tcase_add_test(tests, a_flushed_guide_is_forgotten);
  tcase_add_test(tests, frames_without_times_go_together_as_they_come);
  tcase_add_test(tests, gaps_make_no_pictures);
  tcase_add_test(tests, there_is_one_guide_which_may_leave);
  tcase_add_test(tests, it_plays_again_and_again);
  tcase_add_test(tests, a_device_that_is_not_there);
  return run(suite, argc, argv);
}
