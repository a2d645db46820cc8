// SPDX-License-Identifier: LGPL-2.1-or-later
// cljointbilateral: which frame of the guide goes with which picture, the pixels against the kernel's
// reference, guides that are late or missing, of another rate, size or format.
#include "tests/elements/cljointbilateral.h"
#include "gst/cljointbilateral/pairing.h"

#include <cmath>
#include <thread>

using namespace vigil;
using namespace vigil::test;
using gst::cljointbilateral::GuideTime;
using gst::cljointbilateral::Pair;
using gst::cljointbilateral::pair_for;

GST_START_TEST(the_nearest_frame_is_taken) {
  using Time = std::optional<GuideTime>;
  const GstClockTime any = GST_CLOCK_TIME_NONE;
  struct Case {
    GstClockTime picture;
    Time before, after;
    bool more;
    GstClockTime tolerance;
    Pair want;
  };
  const Case cases[] = {
      {100, {}, {}, true, any, Pair::wait},
      {100, {}, {}, false, any, Pair::none},
      {100, GuideTime{100, 40}, {}, true, any, Pair::before}, // at once
      {100, GuideTime{80, 40}, {}, true, any, Pair::before},  // half a frame after it
      {100, GuideTime{79, 40}, {}, true, any, Pair::wait},    // the next one may be nearer
      {100, GuideTime{79, 40}, {}, false, any, Pair::before}, // there is none
      {100, GuideTime{79, 0}, {}, true, any, Pair::wait},     // nothing known of its duration
      {100, GuideTime{60, 40}, GuideTime{120, 40}, true, any, Pair::after},
      {100, GuideTime{60, 40}, GuideTime{150, 40}, true, any, Pair::before},
      {100, GuideTime{80, 10}, GuideTime{120, 10}, true, any, Pair::before}, // as near: the earlier one
      {100, {}, GuideTime{120, 40}, true, any, Pair::after},
      {100, {}, GuideTime{120, 40}, true, 19, Pair::none},
      {100, {}, GuideTime{120, 40}, true, 20, Pair::after},
      {100, GuideTime{60, 40}, {}, false, 39, Pair::none},
      {100, GuideTime{100, 40}, {}, false, 0, Pair::before},
  };
  for (const Case &c : cases)
    fail_unless(pair_for(c.picture, c.before, c.after, c.more, c.tolerance) == c.want, "case %td",
                &c - cases);
}
GST_END_TEST

GST_START_TEST(pixels_are_the_references) {
  for (const char *format : {"GRAY8", "RGBA", "BGRx", "NV12", "I420", "P010_10LE", "GRAY16_LE"}) {
    Joint e;
    e.caps(format);
    e.guide_caps(format);
    for (int n = 0; n < 3; n++) {
      Picture in = picture_of(n, format), guide = guide_of(n, format);
      const auto want = wanted(in, &guide);
      fail_unless(want != wanted(in, nullptr), "%s: the guide changes nothing", format);
      fail_unless_equals_int(gst_harness_push(e.guide, guide.buffer(n)), GST_FLOW_OK);
      fail_unless_equals_int(gst_harness_push(e.picture, in.buffer(n)), GST_FLOW_OK);
      expect_near(want, e.pull(), is_16_bit(in.image().format), format);
    }
    fail_unless_equals_uint64(e.stat("frames"), 3);
    fail_unless_equals_uint64(e.stat("guided"), 3);
    e.no_error();
  }
}
GST_END_TEST

// A noisy depth picture of 16 bits and a colour camera with twice as many pixels: the guide's edge stays in
// the picture, the noise next to it goes.
GST_START_TEST(a_colour_camera_cleans_up_a_depth_picture) {
  constexpr int w = 64, h = 32;
  const auto level = [](int x) { return x < w / 2 ? 20000 : 26000; };
  Picture depth("GRAY16_LE", w, h), colour("RGBA", 2 * w, 2 * h);
  const auto put = [](std::uint8_t *p, int v) {
    p[0] = std::uint8_t(v & 255);
    p[1] = std::uint8_t(v >> 8);
  };
  double noise = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int off = (x * 7919 + y * 104729 + x * y * 31) % 2001 - 1000;
      noise += double(off) * off / (w * h);
      put(depth.image().data[0] + y * depth.image().stride[0] + 2 * x, level(x) + off);
    }
  for (int y = 0; y < 2 * h; y++)
    for (int x = 0; x < 2 * w; x++)
      for (int c = 0; c < 4; c++)
        colour.image().data[0][y * colour.image().stride[0] + 4 * x + c] = x < w ? 40 : 200;
  Joint e;
  e.caps("GRAY16_LE", w, h);
  e.guide_caps("RGBA", 2 * w, 2 * h);
  gst_harness_push(e.guide, colour.buffer(0));
  gst_harness_push(e.picture, depth.buffer(0));
  const auto got = e.pull();
  e.no_error();
  fail_unless_equals_uint64(e.stat("guided"), 1);
  double left = 0;
  int seen = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (std::abs(2 * x + 1 - w) <= 2) continue; // where scaling has mixed the two sides of the edge
      const std::size_t i = 2 * std::size_t(y * w + x);
      const int v = got[i] | got[i + 1] << 8;
      left += std::pow(v - level(x), 2);
      seen++;
    }
  left = std::sqrt(left / seen);
  noise = std::sqrt(noise);
  fail_unless(left < noise / 2, "noise of %g became %g, so that the edge was blurred or the noise stays",
              noise, left);
}
GST_END_TEST

// 25 pictures a second, 10 frames of the guide, which begin 15 ms later.
GST_START_TEST(a_slower_guide_goes_with_the_nearest_pictures) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8", width, height, 10);
  constexpr int guides = 5, pictures = 11;
  std::thread camera([&] { // the pad holds few frames, then pushing waits
    for (int n = 0; n < guides; n++)
      gst_harness_push(e.guide, at(guide_of(n).buffer(0), GstClockTime(15 + 100 * n) * ms, 100 * ms));
    gst_harness_push_event(e.guide, gst_event_new_eos());
  });
  for (int n = 0; n < pictures; n++) {
    gst_harness_push(e.picture, at(picture_of(n).buffer(0), GstClockTime(40 * n) * ms));
    int nearest = 0;
    for (int g = 1; g < guides; g++)
      if (std::abs(15 + 100 * g - 40 * n) < std::abs(15 + 100 * nearest - 40 * n)) nearest = g;
    Picture guide = guide_of(nearest);
    expect_near(wanted(picture_of(n), &guide), e.pull(), false,
                "picture " + std::to_string(n) + " with guide " + std::to_string(nearest));
  }
  camera.join();
  fail_unless_equals_uint64(e.stat("guided"), pictures);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(without_a_guide_pad_it_is_the_bilateral_filter) {
  Joint e("", false);
  e.caps("GRAY8");
  for (int n = 0; n < 2; n++) {
    gst_harness_push(e.picture, picture_of(n).buffer(n));
    expect_near(wanted(picture_of(n), nullptr), e.pull(), false, "no pad");
  }
  fail_unless_equals_uint64(e.stat("guided"), 0);
}
GST_END_TEST

// Live: the picture waits until its time, and not longer.
GST_START_TEST(a_late_guide_is_not_waited_for_longer_than_there_is_time) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8"); // a frame lasts 40 ms, which is the latency
  gst_harness_push(e.guide, guide_of(0).buffer(0));
  gst_harness_push(e.picture, picture_of(0).buffer(0));
  Picture punctual = guide_of(0);
  expect_near(wanted(picture_of(0), &punctual), e.pull(), false, "in time");

  gst_harness_push(e.picture, picture_of(3).buffer(3)); // at 120 ms
  e.nothing_comes();
  fail_unless(gst_harness_wait_for_clock_id_waits(e.picture, 1, 10), "it waits for no time");
  fail_unless(gst_harness_crank_single_clock_wait(e.picture));
  GstTestClock *clock = gst_harness_get_testclock(e.picture);
  fail_unless_equals_uint64(gst_clock_get_time(GST_CLOCK(clock)), (120 + 40) * ms);
  gst_object_unref(clock);
  // The last frame of the guide is 120 ms old, and the tolerance is 100 ms.
  expect_near(wanted(picture_of(3), nullptr), e.pull(), false, "too late");
  fail_unless_equals_uint64(e.stat("guided"), 1);

  gst_harness_push(e.guide, guide_of(4).buffer(4));
  gst_harness_push(e.picture, picture_of(4).buffer(4));
  Picture next = guide_of(4);
  expect_near(wanted(picture_of(4), &next), e.pull(), false, "in time again");
  e.no_error();
}
GST_END_TEST

GST_START_TEST(the_tolerance_decides_after_the_guide_has_ended) {
  for (const bool forever : {false, true}) {
    Joint e(forever ? "guide-tolerance=-1" : "guide-tolerance=60");
    e.caps("GRAY8");
    e.guide_caps("GRAY8");
    gst_harness_push(e.guide, guide_of(0).buffer(0));
    gst_harness_push_event(e.guide, gst_event_new_eos());
    Picture guide = guide_of(0);
    for (int n = 0; n < 4; n++) { // 0, 40, 80, 120 ms
      gst_harness_push(e.picture, picture_of(n).buffer(n));
      expect_near(wanted(picture_of(n), forever || n < 2 ? &guide : nullptr), e.pull(), false,
                  "picture " + std::to_string(n) + (forever ? ", any distance" : ", 60 ms"));
    }
    e.no_error();
  }
}
GST_END_TEST

GST_START_TEST(times_tags_and_metadata_go_on) {
  Joint e;
  e.caps("GRAY8");
  e.guide_caps("GRAY8");
  gst_harness_push_event(e.guide, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "guide", nullptr)));
  gst_harness_push_event(e.picture, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "depth", nullptr)));
  GstBuffer *b = picture_of(0).buffer(7);
  gst_buffer_add_video_region_of_interest_meta(b, "motion", 1, 2, 3, 4);
  gst_harness_push(e.guide, guide_of(0).buffer(7));
  gst_harness_push(e.picture, b);
  b = gst_harness_pull(e.picture);
  fail_unless(b && gst_buffer_get_video_region_of_interest_meta_id(b, 0));
  fail_unless_equals_uint64(GST_BUFFER_PTS(b), 7 * GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_DURATION(b), GST_SECOND / 25);
  gst_buffer_unref(b);
  std::string title;
  while (title.empty()) {
    GstEvent *event = gst_harness_pull_event(e.picture);
    fail_unless(event, "no tags came out");
    if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
      GstTagList *tags = nullptr;
      gchar *words = nullptr;
      gst_event_parse_tag(event, &tags);
      if (gst_tag_list_get_string(tags, GST_TAG_TITLE, &words)) title = words;
      g_free(words);
    }
    gst_event_unref(event);
  }
  fail_unless_equals_string(title.c_str(), "depth");
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cljointbilateral");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, the_nearest_frame_is_taken);
  tcase_add_test(tests, pixels_are_the_references);
  tcase_add_test(tests, a_colour_camera_cleans_up_a_depth_picture);
  tcase_add_test(tests, a_slower_guide_goes_with_the_nearest_pictures);
  tcase_add_test(tests, without_a_guide_pad_it_is_the_bilateral_filter);
  tcase_add_test(tests, a_late_guide_is_not_waited_for_longer_than_there_is_time);
  tcase_add_test(tests, the_tolerance_decides_after_the_guide_has_ended);
  tcase_add_test(tests, times_tags_and_metadata_go_on);
  return run(suite, argc, argv);
}
