// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams as cameras and networks make them: pictures that the decoder marks as corrupted, before the first
// key frame and after losses; frames without times; cameras of less than a frame a second; hours without a
// frame; a neighbour downstream that wants the element drained.
#include "common/error.h"
#include "gst/metadata/frame_judge.h"
#include "tests/elements/boxes.h"
#include "tests/elements/hostile.h"

#include <algorithm>
#include <cmath>
#include <gst/base/gstbasetransform.h>
#include <string>
#include <utility>
#include <vector>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr Rect person{40, 20, 16, 32};

GstBuffer *marked(GstBuffer *b) {
  GST_BUFFER_FLAG_SET(b, GST_BUFFER_FLAG_CORRUPTED);
  return b;
}
// What a decoder shows before it has a key frame.
GstBuffer *grey(const char *f, int number) {
  Picture p(f, width, height);
  std::fill(p.bytes.begin(), p.bytes.end(), std::uint8_t{128});
  return marked(p.buffer(number));
}

bool all_zero(const std::vector<std::uint8_t> &bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t v) { return v == 0; });
}

// cudamog on I420 of the test's size.
struct Camera : Element {
  explicit Camera(const std::string &settings = "") : Element(settings) {
    caps(caps_of("I420", width, height));
  }
  std::vector<std::uint8_t> show(GstBuffer *b) {
    fail_unless_equals_int(push(b), GST_FLOW_OK);
    return pull_bytes();
  }
  void show(int count, const std::vector<Rect> &objects = {}) {
    for (int i = 0; i < count; i++, number++)
      show(scene("I420", width, height, number, objects).buffer(number));
  }
  int number = 0;
};

using Names = std::vector<std::string>;

} // namespace

// All frames go through, with an empty picture where one is made, and the element works on.
GST_START_TEST(corrupted_frames_go_through_every_element) {
  on_every([](Harness &e) {
    int out = 0;
    const auto push = [&](GstBuffer *b) {
      const GstFlowReturn flow = e.push(b);
      fail_unless(flow == GST_FLOW_OK, "%s: %s", name_of(e).c_str(), gst_flow_get_name(flow));
    };
    for (int n = 0; n < 24; n++) {
      GstBuffer *b = scene(format, width, height, n).buffer(n);
      push(n < 3 || n % 5 == 0 ? marked(b) : b);
    }
    GstQuery *drain = gst_query_new_drain();
    gst_pad_peer_query(e.harness()->srcpad, drain);
    gst_query_unref(drain);
    GstClockTime last = 0;
    for (; GstBuffer *b = e.pull(); out++) {
      fail_unless(out == 0 || GST_BUFFER_PTS(b) > last, "%s: frames out of order", name_of(e).c_str());
      last = GST_BUFFER_PTS(b);
      gst_buffer_unref(b);
    }
    fail_unless(out == 24, "%s: %d of 24 frames came out", name_of(e).c_str(), out);
    e.no_error();
    still_works(e);
  });
}
GST_END_TEST

// A connection that begins in the midst of a group of pictures.
GST_START_TEST(pictures_before_a_key_frame_are_not_learnt) {
  for (const char *flow : {"", " group-size=4 async-depth=2"}) {
    Camera c(std::string("output=passthrough") + flow);
    for (; c.number < 120; c.number++) fail_unless_equals_int(c.push(grey("I420", c.number)), GST_FLOW_OK);
    for (; c.number < 180; c.number++)
      fail_unless_equals_int(c.push(scene("I420", width, height, c.number).buffer(c.number)), GST_FLOW_OK);
    fail_unless(c.events() == Names{}, "a key frame is an event");
    for (; c.number < 200; c.number++)
      fail_unless_equals_int(c.push(scene("I420", width, height, c.number, {person}).buffer(c.number)),
                             GST_FLOW_OK);
    fail_unless(c.events() == Names{"motion-begin"}, "who comes after them is not seen");
    drop_output(c);
  }
  Camera c("output=mask");
  for (; c.number < 20; c.number++)
    fail_unless(all_zero(c.show(grey("I420", c.number))), "a corrupted picture has foreground");
  fail_unless_equals_uint64(c.stat("model-frames"), 0);
  c.show(5);
  fail_unless_equals_uint64(c.stat("model-frames"), 5);
}
GST_END_TEST

// Losses on the way: grey pictures for a second.
GST_START_TEST(losses_are_no_event) {
  for (const char *output : {"mask", "passthrough", "overlay", "foreground", "background"}) {
    Camera c(std::string("output=") + output);
    c.show(50);
    std::vector<std::uint8_t> background;
    const std::uint64_t learnt = c.stat("model-frames");
    for (int i = 0; i < 25; i++, c.number++) {
      Picture p(scene("I420", width, height, c.number, {person}));
      const std::vector<std::uint8_t> out = c.show(marked(p.buffer(c.number)));
      if (*output == 'm') fail_unless(all_zero(out), "a corrupted picture has foreground");
      if (*output == 'p' || *output == 'o') fail_unless(out == p.bytes, "%s: it is drawn on", output);
      if (*output == 'b' && i > 0) fail_unless(out == background, "the background changed");
      background = out;
    }
    fail_unless_equals_uint64(c.stat("model-frames"), learnt);
    c.show(25);
    fail_unless(c.events() == Names{}, "%s: losses are an event", output);
    c.show(10, {person});
    fail_unless(c.events() == Names{"motion-begin"}, "%s: who comes after them is not seen", output);
  }
}
GST_END_TEST

// A decoder that marks everything (intra-refresh) does not make the camera blind.
GST_START_TEST(a_stream_of_marked_pictures_is_taken_in_the_end) {
  Camera c("output=passthrough");
  const auto show = [&](int frames, bool mark, const std::vector<Rect> &objects = {}) {
    for (int i = 0; i < frames; i++, c.number++) {
      GstBuffer *b = scene("I420", width, height, c.number, objects).buffer(c.number);
      c.show(mark ? marked(b) : b);
    }
  };
  const int patience = int(gst::CorruptedFrames::patience * 25);
  show(patience - 1, true);
  fail_unless_equals_uint64(c.stat("model-frames"), 0);
  fail_if(c.message(GST_MESSAGE_WARNING), "it is taken too early");
  show(50, true);
  fail_unless(c.stat("model-frames") >= 48, "nothing is learnt");
  const std::string said = c.error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, GST_MESSAGE_WARNING);
  fail_unless(said.find("corrupted") != said.npos, "%s", said.c_str());
  show(10, true, {person});
  fail_unless(c.events() == Names{"motion-begin"}, "who comes is not seen");
  const std::uint64_t learnt = c.stat("model-frames");
  show(1, false);
  show(20, true); // pictures that are not marked came: those that are say nothing again
  fail_unless_equals_uint64(c.stat("model-frames"), learnt + 1);
  show(patience, true);
  fail_if(c.message(GST_MESSAGE_WARNING), "the warning comes twice");
}
GST_END_TEST

GST_START_TEST(corrupted_frames_have_no_scores) {
  const Folder folder;
  fisher::write_model(folder / "model", random_model(7, {"run"}));
  Harness e("gpufisher backend=cpu async-depth=0 model-location=" + (folder / "model"));
  e.caps(caps_of(format, width, height));
  for (int n = 0; n < 12; n++) {
    GstBuffer *b = scene(format, width, height, n).buffer(n);
    fail_unless_equals_int(e.push(n % 3 == 0 ? marked(b) : b), GST_FLOW_OK);
  }
  fail_unless_equals_uint64(e.stat("scored"), 8);
  drop_output(e);
}
GST_END_TEST

// The background is learnt from frames that show it.
GST_START_TEST(a_background_is_not_learnt_from_corrupted_frames) {
  std::vector<const char *> backends{"cpu"};
#if defined(VIGIL_HAVE_GL) && !defined(__SANITIZE_THREAD__)
  backends.push_back("opengl");
#endif
  for (const char *backend : backends) {
    Harness e(std::string("glcolinearseg background-frames=20 output=mask backend=") + backend);
    e.caps(caps_of("RGBA", width, height));
    const auto foreground = [&](GstBuffer *b) {
      fail_unless_equals_int(e.push(b), GST_FLOW_OK);
      const std::vector<std::uint8_t> out = e.pull_bytes();
      std::size_t set = 0;
      for (std::size_t i = 0; i < out.size(); i += 4) set += out[i] > 127;
      return set;
    };
    int n = 0;
    for (; n < 30; n++)
      fail_unless(foreground(grey("RGBA", n)) == 0, "%s: a corrupted picture has foreground", backend);
    for (; n < 80; n++) foreground(scene("RGBA", width, height, n).buffer(n));
    const std::size_t empty = foreground(scene("RGBA", width, height, n).buffer(n));
    fail_unless(empty < std::size_t(width * height / 50), "%s: %zu pixels of an empty scene", backend, empty);
    n++;
    const std::size_t seen = foreground(scene("RGBA", width, height, n, {person}).buffer(n));
    fail_unless(seen > 100, "%s: somebody is %zu pixels", backend, seen);
    n++;
    fail_unless(foreground(marked(scene("RGBA", width, height, n, {person}).buffer(n))) == 0,
                "%s: a corrupted picture has the foreground of the one before", backend);
  }
}
GST_END_TEST

// Tracks and rules wait meanwhile: what such pictures show is nobody, and a car is the same one after them.
GST_START_TEST(tracks_go_on_over_corrupted_frames) {
  Boxes b;
  g_object_set(b.rules(), "rules", gate, nullptr);
  for (int n = 0; n < 50; n++)
    b.push(n >= 20 && n < 26 ? marked(frame_with(n, {{400, 300, 200, 150}})) : frame_with(n, {car(n)}));
  gst_harness_push_event(b.harness(), gst_event_new_eos());
  const Names heard = b.heard();
  for (const char *once : {"track-begin", "track-end", "line-cross", "zone-enter", "zone-leave"})
    fail_unless(times(heard, once) == 1, "%s: %d times", once, times(heard, once));
}
GST_END_TEST

// Cameras on mobile networks send a frame every few seconds; their caps may say anything.
GST_START_TEST(who_comes_in_one_frame_is_motion_however_slow_the_camera) {
  for (const double fps : {2., 1., 0.95, 0.5, 0.2}) {
    Camera c("output=passthrough");
    const auto show = [&](int frames, const std::vector<Rect> &objects) {
      for (int i = 0; i < frames; i++, c.number++) {
        GstBuffer *b = scene("I420", width, height, c.number, objects).buffer(c.number);
        GST_BUFFER_PTS(b) = GstClockTime(c.number / fps * GST_SECOND);
        GST_BUFFER_DURATION(b) = GST_CLOCK_TIME_NONE;
        c.show(b);
      }
    };
    show(20, {});
    fail_unless(c.events() == Names{}, "%f frames a second: motion in an empty scene", fps);
    show(1, {person});
    fail_unless(c.events() == Names{"motion-begin"}, "%f frames a second: no motion", fps);
    show(20, {});
    fail_unless(c.events() == Names{"motion-end"}, "%f frames a second: motion does not end", fps);
  }
}
GST_END_TEST

GST_START_TEST(frames_without_times_are_seen) {
  Camera c("output=passthrough");
  const auto show = [&](int frames, const std::vector<Rect> &objects) {
    for (int i = 0; i < frames; i++, c.number++) {
      GstBuffer *b = scene("I420", width, height, c.number, objects).buffer(c.number);
      GST_BUFFER_PTS(b) = GST_BUFFER_DURATION(b) = GST_CLOCK_TIME_NONE;
      c.show(b);
    }
  };
  show(30, {});
  show(10, {person});
  show(50, {});
  fail_unless(c.events() == Names({"motion-begin", "motion-end"}), "motion is not seen");
}
GST_END_TEST

// Nobody saw whether it stood there meanwhile, or moved.
GST_START_TEST(what_is_there_after_an_outage_has_not_stood_there_since) {
  Camera c("output=mask absorb-after=20 exposure=off stabilize=off light-jump=0 detect-shadows=false");
  const auto covered = [&](GstClockTime later, int frames) {
    int set = 0;
    for (int i = 0; i < frames; i++, c.number++) {
      GstBuffer *b = scene("I420", width, height, c.number, {person}).buffer(c.number);
      GST_BUFFER_PTS(b) += later;
      const std::vector<std::uint8_t> mask = c.show(b);
      set = 0;
      for (int y = person.y; y < person.y + person.height; y++)
        for (int x = person.x; x < person.x + person.width; x++) set += mask[y * width + x] == 255;
    }
    return set;
  };
  const int whole = person.width * person.height;
  c.show(60);
  fail_unless(covered(0, 75) > whole / 2, "the person is not seen");
  fail_unless(covered(3600 * GST_SECOND, 50) > whole / 2, "an hour's outage made the person background");
}
GST_END_TEST

GST_START_TEST(how_long_frames_last) {
  GstVideoInfo info;
  GstCaps *caps = gst_caps_from_string(caps_of("I420", width, height).c_str());
  fail_unless(gst_video_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  const auto lengths = [&](std::initializer_list<double> times) {
    gst::FrameLengths l;
    std::vector<double> found;
    for (const double t : times) {
      gst::FrameTime time;
      if (t >= 0) time.running = GstClockTime(t * GST_SECOND + 0.5);
      found.push_back(l.next(info, time));
    }
    return found;
  };
  const auto expect = [](const std::vector<double> &got, std::vector<double> want) {
    fail_unless_equals_int(int(got.size()), int(want.size()));
    for (std::size_t i = 0; i < got.size(); i++)
      fail_unless(std::abs(got[i] - want[i]) < 1e-6, "frame %zu lasts %f s, not %f", i, got[i], want[i]);
  };
  expect(lengths({0, 0.04, 0.08, 1.0, 1.04}), {0.04, 0.04, 0.04, 0.92, 0.04}); // less than longest_frame
  expect(lengths({0, 0.04, 3600, 3600.04}), {0.04, 0.04, 0.04, 0.04});         // an outage
  expect(lengths({0, 5, 10, 15}), {0.04, 0.04, 5, 5}); // a slow camera whose caps say 25
  expect(lengths({0, 5, 10, 4000, 4005}), {0.04, 0.04, 5, 5, 5});
  expect(lengths({-1, -1, -1}), {0.04, 0.04, 0.04});
  expect(lengths({10, 5, 5.04}), {0.04, 0.04, 0.04}); // back
}
GST_END_TEST

// Frames are pushed by the streaming thread alone.
GST_START_TEST(nobody_downstream_drains_the_element) {
  Harness e("cudamog backend=cpu output=passthrough async-depth=4");
  e.caps(caps_of(format, width, height));
  for (int n = 0; n < 3; n++) fail_unless_equals_int(e.push(scene(format, width, height, n), n), GST_FLOW_OK);
  GstBuffer *early = e.pull();
  fail_if(early, "nothing is held: nothing tested");
  GstBaseTransform *trans = GST_BASE_TRANSFORM(e.get());
  GstQuery *drain = gst_query_new_drain();
  fail_if(GST_BASE_TRANSFORM_GET_CLASS(trans)->query(trans, GST_PAD_SRC, drain));
  fail_if(e.pull(), "a query from downstream pushes frames");
  gst_pad_peer_query(e.harness()->srcpad, drain);
  gst_query_unref(drain);
  int out = 0;
  for (; GstBuffer *b = e.pull(); out++) gst_buffer_unref(b);
  fail_unless_equals_int(out, 3);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("hostile-streams");
  TCase *tests = tcase_create("streams");
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, corrupted_frames_go_through_every_element);
  tcase_add_test(tests, pictures_before_a_key_frame_are_not_learnt);
  tcase_add_test(tests, losses_are_no_event);
  tcase_add_test(tests, a_stream_of_marked_pictures_is_taken_in_the_end);
  tcase_add_test(tests, corrupted_frames_have_no_scores);
  tcase_add_test(tests, a_background_is_not_learnt_from_corrupted_frames);
  tcase_add_test(tests, tracks_go_on_over_corrupted_frames);
  tcase_add_test(tests, who_comes_in_one_frame_is_motion_however_slow_the_camera);
  tcase_add_test(tests, frames_without_times_are_seen);
  tcase_add_test(tests, what_is_there_after_an_outage_has_not_stood_there_since);
  tcase_add_test(tests, how_long_frames_last);
  tcase_add_test(tests, nobody_downstream_drains_the_element);
  return run(suite, argc, argv);
}
