// SPDX-License-Identifier: LGPL-2.1-or-later
// scenetestsrc as an element: caps, the truth pad, seeks, ends, states, properties.
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <string>
#include <vector>

namespace {

constexpr const char *small = "video/x-raw,format=I420,width=160,height=120,framerate=30/1";

using Bytes = std::vector<guint8>;
Bytes bytes_of(GstBuffer *buffer) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  Bytes b(map.data, map.data + map.size);
  gst_buffer_unmap(buffer, &map);
  return b;
}

GstElement *parse(const std::string &line) {
  GError *error = nullptr;
  GstElement *e = gst_parse_launch(line.c_str(), &error);
  fail_unless(e && !error, "%s: %s", line.c_str(), error ? error->message : "");
  return e;
}
GstElement *make(const char *settings) {
  return parse(std::string("scenetestsrc ") + settings);
}

// One pad's frames. The element plays on its own thread as soon as play() is called.
struct Pad {
  GstHarness *h;
  Pad(GstElement *e, const char *pad, const char *caps) : h(gst_harness_new_with_element(e, nullptr, pad)) {
    if (caps) gst_harness_set_sink_caps_str(h, caps);
  }
  ~Pad() { gst_harness_teardown(h); }
  Pad(const Pad &) = delete;
  GstBuffer *pull() {
    GstBuffer *b = gst_harness_pull(h);
    fail_unless(b != nullptr, "no frame came");
    return b;
  }
  Bytes bytes() {
    GstBuffer *b = pull();
    Bytes v = bytes_of(b);
    gst_buffer_unref(b);
    return v;
  }
};

std::vector<Bytes> frames(const char *settings, const char *caps, int n) {
  GstElement *e = make(settings);
  std::vector<Bytes> all;
  {
    Pad p(e, "src", caps);
    gst_harness_play(p.h);
    for (int i = 0; i < n; i++) all.push_back(p.bytes());
  }
  gst_object_unref(e);
  return all;
}

// Runs a pipeline to its end or its error; the error's domain and text are returned, "" at the end.
std::string run(const std::string &line, int seconds = 20) {
  GstElement *pipeline = parse(line);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *m = gst_bus_timed_pop_filtered(bus, seconds * GST_SECOND,
                                             GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless(m != nullptr, "neither end nor error: %s", line.c_str());
  std::string text;
  if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) {
    GError *e = nullptr;
    gchar *debug = nullptr;
    gst_message_parse_error(m, &e, &debug);
    text = std::string(g_quark_to_string(e->domain)) + ": " + e->message + " " + (debug ? debug : "");
    g_error_free(e);
    g_free(debug);
  }
  gst_message_unref(m);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return text;
}

void runs_to_its_end(const std::string &line) {
  const std::string error = run(line);
  fail_unless(error.empty(), "%s: %s", line.c_str(), error.c_str());
}

GST_START_TEST(same_seed_same_bytes) {
  const auto a = frames("num-buffers=40 quiet=0", small, 40), b = frames("num-buffers=40 quiet=0", small, 40);
  const auto c = frames("num-buffers=40 quiet=0 seed=2", small, 40);
  fail_unless(a == b);
  for (int i = 0; i < 40; i++) fail_unless(a[i] != c[i]);
  fail_unless(a[0] != a[1]); // noise
}
GST_END_TEST

GST_START_TEST(default_caps_and_times) {
  GstElement *e = make("num-buffers=3 timestamp-offset=500");
  {
    Pad p(e, "src", nullptr);
    gst_harness_play(p.h);
    for (guint64 i = 0; i < 3; i++) {
      GstBuffer *b = p.pull();
      fail_unless_equals_uint64(GST_BUFFER_PTS(b), gst_util_uint64_scale(i, GST_SECOND, 30) + 500);
      fail_unless_equals_uint64(GST_BUFFER_PTS(b) + GST_BUFFER_DURATION(b),
                                gst_util_uint64_scale(i + 1, GST_SECOND, 30) + 500);
      fail_unless_equals_uint64(GST_BUFFER_OFFSET(b), i);
      gst_buffer_unref(b);
    }
    GstCaps *caps = gst_pad_get_current_caps(p.h->sinkpad);
    GstVideoInfo info;
    fail_unless(gst_video_info_from_caps(&info, caps));
    fail_unless(info.width == 640 && info.height == 480 && info.fps_n == 30 && info.fps_d == 1);
    fail_unless(GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_I420);
    gst_caps_unref(caps);
    GstEvent *event = nullptr;
    while ((event = gst_harness_pull_event(p.h))) {
      const bool eos = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
      gst_event_unref(event);
      if (eos) break;
    }
    fail_unless(event != nullptr, "no end of stream");
    gint64 duration = 0;
    fail_unless(gst_element_query_duration(e, GST_FORMAT_TIME, &duration));
    fail_unless_equals_int64(duration, GST_SECOND / 10);
  }
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(every_format_size_and_rate) {
  for (const char *format : {"I420", "NV12", "GRAY8", "RGBA", "RGBx", "BGRA", "BGRx"})
    for (const char *size : {"width=1,height=1", "width=3,height=5", "width=33,height=17",
                             "width=1,height=200", "width=322,height=242"})
      for (const char *rate : {"25/1", "30000/1001", "0/1", "1/3"}) {
        const std::string caps =
            std::string("video/x-raw,format=") + format + "," + size + ",framerate=" + rate;
        GstElement *e = make("num-buffers=2 quiet=0");
        {
          Pad p(e, "src", caps.c_str());
          gst_harness_play(p.h);
          gst_buffer_unref(p.pull());
          GstBuffer *b = p.pull();
          GstCaps *agreed = gst_pad_get_current_caps(p.h->sinkpad);
          GstVideoInfo info;
          fail_unless(gst_video_info_from_caps(&info, agreed));
          fail_unless(gst_buffer_get_size(b) >= info.size, "%s", caps.c_str());
          const guint64 expected =
              info.fps_n ? gst_util_uint64_scale(GST_SECOND, info.fps_d, info.fps_n) : GST_SECOND / 30;
          fail_unless_equals_uint64(GST_BUFFER_PTS(b), expected);
          gst_caps_unref(agreed);
          gst_buffer_unref(b);
        }
        gst_object_unref(e);
      }
}
GST_END_TEST

GST_START_TEST(colours_follow_the_caps) {
  // The same frame in both ranges: full-range luma is stretched by 255/219.
  const auto limited =
      frames("num-buffers=1 noise=0", "video/x-raw,format=I420,width=64,height=64,colorimetry=bt709", 1)[0];
  const auto full =
      frames("num-buffers=1 noise=0", "video/x-raw,format=I420,width=64,height=64,colorimetry=1:3:5:1", 1)[0];
  for (int i = 0; i < 64 * 64; i++)
    fail_unless(ABS((limited[i] - 16) * 255 / 219.0 - full[i]) < 1.2, "pixel %d: %d and %d", i, limited[i],
                full[i]);
  const auto sd =
      frames("num-buffers=1 noise=0", "video/x-raw,format=I420,width=64,height=64,colorimetry=bt601", 1)[0];
  fail_unless(sd != limited, "BT.601 and BT.709 give the same bytes");
}
GST_END_TEST

GST_START_TEST(truth_pad_matches) {
  const auto clean = frames("num-buffers=90 noise=0 density=0 quiet=0.5", small, 90);
  GstElement *e = make("num-buffers=90 noise=0 quiet=0.5");
  std::vector<Bytes> again;
  {
    Pad picture(e, "src", small), truth(e, "truth", nullptr);
    gst_harness_play(picture.h);
    guint objects = 0, differ = 0, ground = 0, off = 0;
    for (int i = 0; i < 90; i++) {
      GstBuffer *p = picture.pull(), *t = truth.pull();
      fail_unless_equals_uint64(GST_BUFFER_PTS(p), GST_BUFFER_PTS(t));
      fail_unless_equals_uint64(GST_BUFFER_DURATION(p), GST_BUFFER_DURATION(t));
      const Bytes pixels = bytes_of(p), labels = bytes_of(t);
      fail_unless_equals_int(labels.size(), 160 * 120);
      for (int k = 0; k < 160 * 120; k++) {
        const int difference = ABS(int(pixels[k]) - int(clean[i][k]));
        if (labels[k] == 255) objects++, differ += difference > 4;
        if (labels[k] == 0) ground++, off += difference > 20;
      }
      gst_buffer_unref(p);
      gst_buffer_unref(t);
    }
    fail_unless(objects > 20000 && differ > objects * 0.9, "%u of %u object pixels differ", differ, objects);
    fail_unless(ground > objects && off == 0, "%u of %u ground pixels differ", off, ground);
    GstCaps *caps = gst_pad_get_current_caps(truth.h->sinkpad);
    GstStructure *s = gst_caps_get_structure(caps, 0);
    fail_unless_equals_string(gst_structure_get_string(s, "format"), "GRAY8");
    int width = 0, height = 0;
    fail_unless(gst_structure_get_int(s, "width", &width) && gst_structure_get_int(s, "height", &height));
    fail_unless(width == 160 && height == 120);
    gst_caps_unref(caps);
  }
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(pads_need_no_queues) {
  // Each pad has a thread of its own, so neither waits for the other, whichever is slow.
  for (const char *line : {"scenetestsrc num-buffers=20 ! %s ! fakesink",
                           "scenetestsrc name=s num-buffers=20 ! %s ! fakesink  s.truth ! fakesink",
                           "scenetestsrc name=s num-buffers=20 ! %s ! fakesink sync=true  s.truth ! identity "
                           "sleep-time=20000 ! fakesink sync=true",
                           "scenetestsrc name=s num-buffers=20 ! %s ! identity sleep-time=20000 ! fakesink  "
                           "s.truth ! queue max-size-buffers=1 ! fakesink sync=true",
                           "scenetestsrc name=s num-buffers=10 is-live=true s.truth ! queue ! fakesink "
                           "sync=true s.src ! %s ! queue ! fakesink sync=true"}) {
    gchar *full = g_strdup_printf(line, small);
    runs_to_its_end(full);
    g_free(full);
  }
}
GST_END_TEST

GST_START_TEST(live_keeps_time) {
  const gint64 start = g_get_monotonic_time();
  runs_to_its_end(std::string("scenetestsrc is-live=true num-buffers=16 ! ") + small +
                  " ! fakesink sync=false");
  const gint64 passed = g_get_monotonic_time() - start;
  fail_unless(passed >= 480000, "16 frames of a live source at 30/s came after %d us", int(passed));
}
GST_END_TEST

// Behind what takes 100 ms a frame, a live source of 30 frames a second leaves out what is too late: the last
// frame is no older than a few frames, where it would be one second old.
GST_START_TEST(a_live_source_catches_up) {
  const std::string line = std::string("scenetestsrc is-live=true num-buffers=45 ! ") + small +
                           " ! identity name=slow sleep-time=100000 ! fakesink sync=false";
  GstElement *pipeline = gst_parse_launch(line.c_str(), nullptr);
  GstElement *slow = gst_bin_get_by_name(GST_BIN(pipeline), "slow");
  struct Seen {
    int frames = 0;
    guint64 last = 0;
  } seen;
  GstPad *pad = gst_element_get_static_pad(slow, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer user) {
        auto &s = *static_cast<Seen *>(user);
        s.frames++;
        s.last = GST_BUFFER_OFFSET(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      &seen, nullptr);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  guint64 given = 0, left_out = 0;
  for (bool ended = false; !ended;) {
    GstMessage *m = gst_bus_timed_pop_filtered(
        bus, 20 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_QOS));
    fail_unless(m && GST_MESSAGE_TYPE(m) != GST_MESSAGE_ERROR, "no end of the stream");
    ended = GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS;
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_QOS) gst_message_parse_qos_stats(m, nullptr, &given, &left_out);
    gst_message_unref(m);
  }
  fail_unless_equals_uint64(seen.last, 44);
  // 1.5 seconds of the scene take 1.5 seconds, of which each frame takes at least 100 ms.
  fail_unless(seen.frames <= 17, "%d frames", seen.frames);
  fail_unless(left_out >= 20 && int(given + left_out) <= 45, "%d given, %d left out", int(given),
              int(left_out));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  for (gpointer o : {gpointer(bus), gpointer(pad), gpointer(slow), gpointer(pipeline)}) gst_object_unref(o);
}
GST_END_TEST

GST_START_TEST(caps_that_do_not_fit) {
  for (const char *caps : {"video/x-raw,format=YUY2", "audio/x-raw", "video/x-raw(memory:CUDAMemory)"}) {
    GError *error = nullptr;
    // A capsfilter that can never be linked is refused when the pipeline is made.
    GstElement *p = gst_parse_launch((std::string("scenetestsrc ! ") + caps + " ! fakesink").c_str(), &error);
    fail_unless(error != nullptr);
    g_clear_error(&error);
    if (p) gst_object_unref(p);
  }
  // One that is found out while it runs is an error that says so.
  GstElement *e = parse("scenetestsrc num-buffers=2 ! capsfilter name=c ! fakesink");
  GstElement *c = gst_bin_get_by_name(GST_BIN(e), "c");
  GstCaps *yuy2 = gst_caps_from_string("video/x-raw,format=YUY2");
  g_object_set(c, "caps", yuy2, nullptr);
  gst_caps_unref(yuy2);
  GstBus *bus = gst_element_get_bus(e);
  gst_element_set_state(e, GST_STATE_PLAYING);
  GstMessage *m = gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless(m != nullptr);
  GError *error = nullptr;
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(error->domain == GST_STREAM_ERROR || error->domain == GST_CORE_ERROR, "%s", error->message);
  g_error_free(error);
  gst_message_unref(m);
  gst_element_set_state(e, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(c);
  gst_object_unref(e);
  // The truth cannot have a size of its own.
  const std::string text = run("scenetestsrc name=s num-buffers=5 ! video/x-raw,width=64,height=64 ! "
                               "fakesink  s.truth ! video/x-raw,width=32 ! fakesink");
  fail_unless(text.find("stream") != std::string::npos, "%s", text.c_str());
}
GST_END_TEST

void seek(GstElement *e, gdouble rate, gint64 from, gint64 to) {
  fail_unless(gst_element_seek(e, rate, GST_FORMAT_TIME,
                               GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE), GST_SEEK_TYPE_SET,
                               from, to < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, to));
}

// Frames after a seek, until the end; frame numbers and bytes.
std::vector<std::pair<guint64, Bytes>> rest(Pad &p) {
  std::vector<std::pair<guint64, Bytes>> all;
  for (;;) {
    GstBuffer *b = gst_harness_try_pull(p.h);
    if (!b) break;
    all.emplace_back(GST_BUFFER_OFFSET(b), bytes_of(b));
    gst_buffer_unref(b);
  }
  return all;
}
void wait_for_end(Pad &p) {
  for (;;) {
    GstEvent *event = gst_harness_pull_event(p.h);
    fail_unless(event != nullptr, "no end of stream came");
    const bool eos = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    gst_event_unref(event);
    if (eos) return;
  }
}

GST_START_TEST(a_seek_gives_the_frames_of_playing) {
  const auto played = frames("num-buffers=60 quiet=0", small, 60);
  GstElement *e = make("num-buffers=60 quiet=0");
  {
    Pad picture(e, "src", small), truth(e, "truth", nullptr);
    gst_harness_play(picture.h);
    wait_for_end(picture);
    wait_for_end(truth);
    const auto labels = rest(truth);
    fail_unless_equals_int(labels.size(), 60);
    rest(picture);

    seek(e, 1, GST_SECOND, -1); // frames 30 .. 59
    wait_for_end(picture);
    wait_for_end(truth);
    auto pictures = rest(picture);
    auto truths = rest(truth);
    fail_unless_equals_int(pictures.size(), 30);
    fail_unless_equals_int(truths.size(), 30);
    for (guint i = 0; i < 30; i++) {
      fail_unless_equals_uint64(pictures[i].first, 30 + i);
      fail_unless(pictures[i].second == played[30 + i]);
      fail_unless(truths[i].second == labels[30 + i].second);
    }

    seek(e, 1, GST_SECOND / 2, GST_SECOND * 2 / 3); // frames 15 .. 19
    wait_for_end(picture);
    wait_for_end(truth);
    pictures = rest(picture);
    fail_unless_equals_int(pictures.size(), 5);
    fail_unless(pictures.front().second == played[15] && pictures.back().second == played[19]);
    rest(truth);

    seek(e, -1, 0, GST_SECOND / 3); // frames 9 .. 0
    wait_for_end(picture);
    wait_for_end(truth);
    pictures = rest(picture);
    fail_unless_equals_int(pictures.size(), 10);
    for (guint i = 0; i < 10; i++) {
      fail_unless_equals_uint64(pictures[i].first, 9 - i);
      fail_unless(pictures[i].second == played[9 - i]);
    }
  }
  gst_object_unref(e);
}
GST_END_TEST

// A consumer that lists grey first, as one that makes masks does, does not turn the scene grey.
GST_START_TEST(colour_unless_forced) {
  const std::pair<const char *, const char *> wanted[] = {{"{ GRAY8, NV12, I420 }", "I420"},
                                                          {"{ RGBA, I420 }", "I420"},
                                                          {"{ GRAY8, NV12 }", "NV12"},
                                                          {"GRAY8", "GRAY8"}};
  for (const auto &[listed, expected] : wanted) {
    GstElement *e = make("num-buffers=2");
    {
      const std::string caps = std::string("video/x-raw,width=64,height=48,format=") + listed;
      Pad p(e, "src", caps.c_str());
      gst_harness_play(p.h);
      gst_buffer_unref(p.pull());
      GstCaps *got = gst_pad_get_current_caps(p.h->sinkpad);
      fail_unless_equals_string(gst_structure_get_string(gst_caps_get_structure(got, 0), "format"), expected);
      gst_caps_unref(got);
    }
    gst_object_unref(e);
  }
}
GST_END_TEST

GST_START_TEST(size_may_change_without_truth) {
  GstElement *e = make("num-buffers=4000");
  {
    Pad p(e, "src", small);
    gst_harness_use_testclock(p.h);
    g_object_set(e, "is-live", TRUE, nullptr);
    gst_harness_play(p.h);
    fail_unless(gst_harness_crank_single_clock_wait(p.h));
    gst_buffer_unref(p.pull());
    gst_harness_set_sink_caps_str(p.h, "video/x-raw,format=GRAY8,width=50,height=40,framerate=30/1");
    gst_harness_push_upstream_event(p.h, gst_event_new_reconfigure());
    guint64 last = 0;
    for (int i = 0; i < 10; i++) {
      gst_harness_crank_single_clock_wait(p.h);
      GstBuffer *b = p.pull();
      fail_unless(GST_BUFFER_OFFSET(b) > last);
      last = GST_BUFFER_OFFSET(b);
      if (i > 2) fail_unless_equals_int(gst_buffer_get_size(b), GST_ROUND_UP_4(50) * 40);
      gst_buffer_unref(b);
    }
  }
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(the_truth_pad_comes_and_goes) {
  GstElement *e = gst_element_factory_make("scenetestsrc", nullptr);
  gst_object_ref_sink(e);
  for (int i = 0; i < 3; i++) {
    GstPad *pad = gst_element_request_pad_simple(e, "truth");
    fail_unless(pad != nullptr);
    GstPadTemplate *kind = gst_element_get_pad_template(e, "truth");
    fail_unless(gst_element_request_pad(e, kind, nullptr, nullptr) == nullptr, "a second truth pad");
    gst_element_release_request_pad(e, pad);
    GST_ELEMENT_GET_CLASS(e)->release_pad(e, pad); // a thread that was as fast as another changes nothing
    gst_object_unref(pad);
  }
  GstElement *other = gst_element_factory_make("scenetestsrc", nullptr);
  gst_object_ref_sink(other);
  GstPad *mine = gst_element_request_pad_simple(e, "truth");
  GST_ELEMENT_GET_CLASS(other)->release_pad(other, mine); // which is not its own
  GstPad *still = gst_element_get_static_pad(e, "truth");
  fail_unless(still == mine, "another element released the pad");
  gst_element_release_request_pad(e, mine);
  for (GstPad *p : {mine, still}) gst_object_unref(p);
  gst_object_unref(other);
  GstPad *sink = gst_element_get_static_pad(e, "truth");
  fail_unless(sink == nullptr, "a released pad is still there");
  gst_element_set_state(e, GST_STATE_PAUSED);
  fail_unless(gst_element_request_pad_simple(e, "truth") == nullptr, "a truth pad in PAUSED");
  gst_element_set_state(e, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT(e, "element", 1);
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(state_cycles) {
  GstElement *p =
      parse("scenetestsrc name=s ! video/x-raw,width=32,height=24 ! fakesink  s.truth ! fakesink");
  for (int i = 0; i < 200; i++) {
    gst_element_set_state(p, i % 3 == 0   ? GST_STATE_PLAYING
                             : i % 3 == 1 ? GST_STATE_PAUSED
                                          : GST_STATE_READY);
    if (i % 2)
      fail_unless(gst_element_get_state(p, nullptr, nullptr, 10 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state(p, i % 5 ? GST_STATE_READY : GST_STATE_NULL);
  }
  gst_element_set_state(p, GST_STATE_NULL);
  GstElement *s = gst_bin_get_by_name(GST_BIN(p), "s");
  gst_object_unref(p);
  ASSERT_OBJECT_REFCOUNT(s, "element", 1); // nothing inside holds it
  gst_object_unref(s);
}
GST_END_TEST

GST_START_TEST(properties_to_their_ends) {
  GstElement *e = gst_element_factory_make("scenetestsrc", nullptr);
  gst_object_ref_sink(e);
  guint n = 0;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(e), &n);
  for (guint i = 0; i < n; i++) {
    GParamSpec *s = specs[i];
    if (s->owner_type != G_OBJECT_TYPE(e)) continue;
    fail_unless(g_param_spec_get_blurb(s) && *g_param_spec_get_blurb(s), "%s has no blurb", s->name);
    GValue value = G_VALUE_INIT, got = G_VALUE_INIT;
    g_value_init(&value, s->value_type);
    g_value_init(&got, s->value_type);
    g_object_get_property(G_OBJECT(e), s->name, &got);
    fail_unless(g_param_value_defaults(s, &got), "%s does not start at its default", s->name);
    for (const bool high : {false, true}) {
      if (G_IS_PARAM_SPEC_FLOAT(s))
        g_value_set_float(&value, high ? G_PARAM_SPEC_FLOAT(s)->maximum : G_PARAM_SPEC_FLOAT(s)->minimum);
      else if (G_IS_PARAM_SPEC_INT(s))
        g_value_set_int(&value, high ? G_PARAM_SPEC_INT(s)->maximum : G_PARAM_SPEC_INT(s)->minimum);
      else if (G_IS_PARAM_SPEC_INT64(s))
        g_value_set_int64(&value, high ? G_PARAM_SPEC_INT64(s)->maximum : G_PARAM_SPEC_INT64(s)->minimum);
      else if (G_IS_PARAM_SPEC_UINT(s))
        g_value_set_uint(&value, high ? G_PARAM_SPEC_UINT(s)->maximum : G_PARAM_SPEC_UINT(s)->minimum);
      else if (G_IS_PARAM_SPEC_ENUM(s))
        g_value_set_enum(&value, high ? G_PARAM_SPEC_ENUM(s)->enum_class->maximum
                                      : G_PARAM_SPEC_ENUM(s)->enum_class->minimum);
      else if (G_IS_PARAM_SPEC_BOOLEAN(s))
        g_value_set_boolean(&value, high);
      else
        fail("%s has a type that this test does not know", s->name);
      g_object_set_property(G_OBJECT(e), s->name, &value);
      g_object_get_property(G_OBJECT(e), s->name, &got);
      fail_unless(g_param_values_cmp(s, &value, &got) == 0, "%s is not what it was set to", s->name);
    }
  }
  g_free(specs);
  gst_object_unref(e);
  for (const char *settings :
       {"noise=100 density=10 quiet=0 seed=4294967295 scene=crowd",
        "noise=0 density=0 seed=0 scene=foliage pattern=checkers",
        "timestamp-offset=9223372036854775807 scene=empty", "scene=stopped-car density=0.01 quiet=3600"})
    fail_unless_equals_int(frames((std::string("num-buffers=3 ") + settings).c_str(), small, 3).size(), 3);
  runs_to_its_end("scenetestsrc num-buffers=0 ! fakesink");
}
GST_END_TEST

Suite *scenetestsrc_suite() {
  Suite *s = suite_create("scenetestsrc");
  TCase *c = tcase_create("general");
  tcase_set_timeout(c, 60);
  suite_add_tcase(s, c);
  tcase_add_test(c, same_seed_same_bytes);
  tcase_add_test(c, default_caps_and_times);
  tcase_add_test(c, every_format_size_and_rate);
  tcase_add_test(c, colours_follow_the_caps);
  tcase_add_test(c, truth_pad_matches);
  tcase_add_test(c, pads_need_no_queues);
  tcase_add_test(c, live_keeps_time);
  tcase_add_test(c, a_live_source_catches_up);
  tcase_add_test(c, caps_that_do_not_fit);
  tcase_add_test(c, colour_unless_forced);
  tcase_add_test(c, a_seek_gives_the_frames_of_playing);
  tcase_add_test(c, size_may_change_without_truth);
  tcase_add_test(c, the_truth_pad_comes_and_goes);
  tcase_add_test(c, state_cycles);
  tcase_add_test(c, properties_to_their_ends);
  return s;
}

} // namespace

GST_CHECK_MAIN(scenetestsrc)
