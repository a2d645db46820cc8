// SPDX-License-Identifier: LGPL-2.1-or-later
// glcolinearseg on frames that are not in OpenGL textures, or not worked on there: the same masks as between
// glupload and gldownload. The first argument says which frames: in `system` memory; in `cuda` memory, where
// nothing may go through the host; or `elsewhere`, in CUDA memory with an OpenGL that does not run on that
// GPU, where all that goes there goes through the host after one warning; or in `textures`. The second is the
// property backend. Exits with 77 (skipped) where there is no device.
#include "common/device.h"
#include "tests/elements/interop_line.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vigil::test {
namespace {

std::string memory = "system", backend = "auto";
bool in_cuda() {
  return memory == "cuda" || memory == "elsewhere";
}
bool on_cuda() {
  return backend == "cuda" || (backend == "auto" && in_cuda());
}
std::string place_of(Line &line) {
  GstStructure *stats = nullptr;
  g_object_get(line.get(), "stats", &stats, nullptr);
  const std::string place = gst_structure_get_string(stats, "backend");
  gst_structure_free(stats);
  return place;
}
bool elsewhere() {
  return memory == "elsewhere";
}

enum class Out { same, textures }; // the memory in which frames go on
std::string between(const std::string &settings, Out out = Out::same) {
  const std::string cuda = "video/x-raw(memory:CUDAMemory)";
  const std::string before = in_cuda()              ? "cudaupload ! " + cuda + " ! "
                             : memory == "textures" ? "glupload ! "
                                                    : "";
  const std::string e =
      before + "glcolinearseg name=e background-frames=4 backend=" + backend + " " + settings;
  if (memory == "textures") return e + " ! gldownload";
  if (out == Out::textures) return e + " ! video/x-raw(memory:GLMemory) ! gldownload";
  return in_cuda() ? e + " ! " + cuda + " ! cudadownload" : e;
}
std::string in_textures(const std::string &settings) {
  return "glupload ! glcolorconvert ! glcolinearseg name=e background-frames=4 backend=opengl " + settings +
         " ! gldownload";
}

// The kernels make RGBA of YUV by the exact factors, GStreamer's OpenGL conversion by rounded ones (in 1.22,
// which also takes 127.5 for the middle of chroma): then pictures differ by 3 levels at most, and masks in
// few pixels.
void expect_alike(const Frames &want, const Frames &got, double fraction, const std::string &what) {
  for (std::size_t n = 0; n < want.size(); n++) {
    fail_unless(want[n].size() == got[n].size(), "%s: frame %d is of another size", what.c_str(), int(n));
    std::size_t far = 0;
    for (std::size_t i = 0; i < want[n].size(); i++) far += std::abs(int(want[n][i]) - int(got[n][i])) > 3;
    const double share = double(far) / double(want[n].size());
    fail_unless(share <= fraction, "%s: frame %d differs in %.4f of the bytes", what.c_str(), int(n), share);
  }
}

void expect_the_same(const std::string &settings, int width, int height, Out out = Out::same,
                     const char *format = "RGBA") {
  const auto pictures = street(format, width, height, 14);
  Line textures(in_textures(settings)), plain(between(settings, out));
  for (Line *line : {&textures, &plain}) line->caps(caps_of(format, width, height));
  const Frames want = textures.process(pictures), got = plain.process(pictures);
  const std::string what =
      settings + ", " + format + " " + std::to_string(width) + "x" + std::to_string(height);
  const bool yuv = g_str_equal(format, "NV12") || g_str_equal(format, "I420");
  // By itself the element works in OpenGL where that runs on a GPU, else on the CPU.
  const std::string place = place_of(plain);
  const bool on_cpu = place == "cpu";
  if (backend == "auto" && !in_cuda())
    fail_unless(on_cpu || place == "opengl", "%s: the work was done in %s", what.c_str(), place.c_str());
  else
    fail_unless(place == (on_cuda() ? "cuda" : backend), "%s: the work was done in %s", what.c_str(),
                place.c_str());
  if (yuv && (on_cuda() || on_cpu))
    expect_alike(want, got, settings.find("passthrough") != settings.npos ? (on_cpu ? 0.002 : 0) : 0.02,
                 what);
  else
    for (std::size_t n = 0; n < want.size(); n++)
      fail_unless(want[n] == got[n], "%s: frame %d differs", what.c_str(), int(n));
  const bool shows_motion = std::any_of(want.begin(), want.end(), [&](auto &f) { return f != want.front(); });
  fail_unless(width < 60 || shows_motion, "nothing was found: the comparison is worth nothing");
  const char *feature = in_cuda()              ? "memory:CUDAMemory"
                        : memory == "textures" ? "memory:GLMemory"
                                               : "memory:SystemMemory";
  fail_unless(plain.has_feature("sink", feature) &&
              plain.has_feature("src", out == Out::same ? feature : "memory:GLMemory"));
  if (memory == "textures" || on_cpu || (on_cuda() && memory != "cuda")) return; // rows of copies are padded
  const bool rgba = g_str_equal(format, "RGBA");
  const bool back = out == Out::same && (!rgba || settings.find("passthrough") == settings.npos);
  GstCaps *caps = gst_caps_from_string(caps_of(format, width, height).c_str());
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  const guint64 came = GST_VIDEO_INFO_SIZE(&info) * pictures.size(),
                went = back ? guint64(4 * width) * guint64(height) * pictures.size() : 0;
  fail_unless_equals_uint64(plain.stat("bytes-host-to-device"), elsewhere() ? came + went
                                                                : in_cuda() ? 0
                                                                            : came);
  fail_unless_equals_uint64(plain.stat("bytes-device-to-host"), elsewhere() ? came + went
                                                                : in_cuda() ? 0
                                                                            : went);
  fail_unless_equals_int(plain.count(GST_MESSAGE_WARNING), elsewhere() ? 1 : 0);
}

GST_START_TEST(masks_are_those_of_textures) {
  for (const auto &[w, h] : {std::pair{150, 94}, {1, 1}, {33, 17}, {640, 360}}) expect_the_same("", w, h);
  for (const char *settings : {"shaders=compute", "shaders=fragment iterations=2", "preset=lab"})
    expect_the_same(settings, 150, 94);
}
GST_END_TEST

GST_START_TEST(pictures_are_those_of_textures) {
  for (const char *output : {"overlay", "cutout", "background", "passthrough"})
    for (const char *flow :
         {"", " async-depth=1", " async-depth=5"}) // with several under way, where it is CUDA that works
      expect_the_same(std::string("min-area=20 output=") + output + flow, 150, 94);
}
GST_END_TEST

GST_START_TEST(frames_may_go_on_in_textures) {
  if (memory == "textures") return;
  for (const char *output : {"mask", "overlay", "passthrough"})
    for (const auto &[w, h] : {std::pair{150, 94}, {33, 17}})
      for (const char *flow : {"", " async-depth=4"})
        expect_the_same(std::string("output=") + output + flow, w, h, Out::textures);
}
GST_END_TEST

// As glcolorconvert makes RGBA of them.
GST_START_TEST(frames_need_not_be_rgba) {
  if (memory == "textures") return; // there they are RGBA
  for (const char *format : {"NV12", "I420", "BGRx"})
    for (const char *output : {"mask", "overlay", "passthrough"})
      for (const Out out : {Out::same, Out::textures}) {
        expect_the_same(std::string("output=") + output, 150, 94, out, format);
        expect_the_same(std::string("output=") + output, 34, 18, out, format);
      }
}
GST_END_TEST

GST_START_TEST(masks_stay_when_the_size_changes) {
  Line textures(in_textures("")), plain(between(""));
  int number = 0;
  for (const auto &[w, h] : {std::pair{150, 94}, {33, 17}, {640, 360}, {150, 94}}) {
    for (Line *line : {&textures, &plain}) line->caps(caps_of("RGBA", w, h));
    for (const Picture &p : street("RGBA", w, h, 9)) {
      textures.push(p, number);
      plain.push(p, number++);
      fail_unless(textures.bytes() == plain.bytes(), "%dx%d: another mask", w, h);
    }
  }
}
GST_END_TEST

GST_START_TEST(a_change_of_depth_is_one_of_latency) {
  Line line("glcolinearseg name=e");
  line.count(GST_MESSAGE_LATENCY);
  g_object_set(line.get(), "async-depth", 3, nullptr);
  fail_unless_equals_int(line.count(GST_MESSAGE_LATENCY), 1);
  g_object_set(line.get(), "async-depth", 3, nullptr);
  fail_unless_equals_int(line.count(GST_MESSAGE_LATENCY), 0);
}
GST_END_TEST

// Pools of textures have room for those that are held, upstream's as well as the element's own.
GST_START_TEST(pools_of_textures_count_held_frames) {
  if (memory != "textures" || backend == "opengl") return;
  for (const char *output : {"passthrough", "overlay"})
    for (const int depth : {0, 3}) {
      Line line(between(std::string("output=") + output + " async-depth=" + std::to_string(depth)));
      line.caps(caps_of("RGBA", 64, 48));
      GstPad *pad = gst_element_get_static_pad(line.get(), "sink");
      GstCaps *caps = gst_pad_get_current_caps(pad);
      GstQuery *query = gst_query_new_allocation(caps, TRUE);
      fail_unless(gst_pad_query(pad, query) && gst_query_get_n_allocation_pools(query) > 0);
      GstBufferPool *pool = nullptr;
      guint min = 0;
      gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, &min, nullptr);
      fail_unless(pool && g_str_equal(G_OBJECT_TYPE_NAME(pool), "GstGLBufferPool"),
                  "it is not a pool of textures");
      fail_unless(min >= guint(depth) + 1, "%s: %u buffers for %d held ones", output, min, depth);
      gst_object_unref(pool);
      gst_query_unref(query);
      gst_caps_unref(caps);
      gst_object_unref(pad);
      guint made = 0;
      const auto look = [](GstPad *, GstPadProbeInfo *info, gpointer least) {
        GstBufferPool *from = GST_PAD_PROBE_INFO_BUFFER(info)->pool;
        if (!from) return GST_PAD_PROBE_OK;
        GstStructure *config = gst_buffer_pool_get_config(from);
        gst_buffer_pool_config_get_params(config, nullptr, nullptr, static_cast<guint *>(least), nullptr);
        gst_structure_free(config);
        return GST_PAD_PROBE_OK;
      };
      GstPad *src = gst_element_get_static_pad(line.get(), "src");
      gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, look, &made, nullptr);
      line.process(street("RGBA", 64, 48, 8));
      gst_object_unref(src);
      if (std::string(output) == "passthrough") continue;
      fail_unless(made >= guint(depth) + 1, "%s: the element's pool has %u buffers for %d held frames",
                  output, made, depth);
    }
}
GST_END_TEST

// A flush drops the frames that are under way, and no others.
GST_START_TEST(a_flush_drops_what_is_under_way) {
  if (!on_cuda() && backend != "cpu") return;
  for (const Out out : {Out::same, Out::textures}) {
    Line line(between("output=overlay async-depth=3", out));
    line.caps(caps_of("RGBA", 150, 94));
    const auto pictures = street("RGBA", 150, 94, 14);
    for (int round = 0, n = 0; round < 3; round++) {
      for (int i = 0; i < 4; i++, n++)
        fail_unless_equals_int(line.push(pictures[std::size_t(n)], n), GST_FLOW_OK);
      gst_buffer_unref(line.pull());
      fail_unless(!gst_harness_try_pull(line.harness()), "more frames came out than async-depth leaves");
      fail_unless(gst_harness_push_event(line.harness(), gst_event_new_flush_start()));
      fail_unless(gst_harness_push_event(line.harness(), gst_event_new_flush_stop(TRUE)));
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      fail_unless(gst_harness_push_event(line.harness(), gst_event_new_segment(&segment)));
    }
    line.end();
    fail_unless(!gst_harness_try_pull(line.harness()), "a frame outlived the flush");
  }
}
GST_END_TEST

// Frames that come in other memory than before are worked on in another place; what is known of the
// background goes along.
GST_START_TEST(background_goes_along) {
  if (memory != "cuda" || backend != "auto") return;
  const auto pictures = street("RGBA", 150, 94, 14);
  const std::string system = caps_of("RGBA", 150, 94), cuda = caps_of("RGBA", 150, 94, "(memory:CUDAMemory)");
  Line upload("cudaupload name=e ! video/x-raw(memory:CUDAMemory) ! identity"),
      followed("glcolinearseg name=e background-frames=4 adapt-rate=0");
  upload.caps(system);
  for (int n = 0; n < 14; n++) {
    const bool in_cuda_memory = n >= 5 && n < 10;
    const auto number = std::size_t(n);
    if (n % 5 == 0) followed.caps(in_cuda_memory ? cuda : system);
    if (in_cuda_memory) {
      fail_unless_equals_int(upload.push(pictures[number], n), GST_FLOW_OK);
      const GstFlowReturn flow = gst_harness_push(followed.harness(), upload.pull());
      fail_unless(flow == GST_FLOW_OK, "frame %d: %s", n, followed.error().c_str());
    } else {
      const GstFlowReturn flow = followed.push(pictures[number], n);
      fail_unless(flow == GST_FLOW_OK, "frame %d: %s", n, followed.error().c_str());
    }
    GstStructure *stats = nullptr;
    g_object_get(followed.get(), "stats", &stats, nullptr);
    gboolean learning = TRUE;
    int learnt = 0;
    fail_unless(gst_structure_get(stats, "learning", G_TYPE_BOOLEAN, &learning, "background-frames",
                                  G_TYPE_INT, &learnt, nullptr));
    fail_unless(learnt == std::min(n + 1, 4) && learning == (n < 3), "frame %d: %d frames are learnt", n,
                learnt);
    fail_unless_equals_string(gst_structure_get_string(stats, "backend"), in_cuda_memory ? "cuda" : "opengl");
    gst_structure_free(stats);
  }
}
GST_END_TEST

// The CUDA context that an element answers a neighbour's query with; transfer full.
GObject *cuda_context_of(GstElement *pipeline, const char *name) {
  GstElement *e = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstPad *pad = gst_element_get_static_pad(e, "src");
  GstQuery *query = gst_query_new_context("gst.cuda.context");
  fail_unless(gst_pad_query(pad, query), "%s has no CUDA context", name);
  GstContext *context = nullptr;
  gst_query_parse_context(query, &context);
  const GValue *value = gst_structure_get_value(gst_context_get_structure(context), "gst.cuda.context");
  fail_unless(value && G_VALUE_HOLDS_OBJECT(value));
  auto *object = static_cast<GObject *>(g_value_dup_object(value));
  gst_query_unref(query);
  gst_object_unref(pad);
  gst_object_unref(e);
  return object;
}

// One CUDA context in a row of elements, whichever asks for it first.
GST_START_TEST(one_cuda_context_for_all) {
  if (!in_cuda()) return;
  for (int first = 0; first < 3; first++) {
    GError *error = nullptr;
    GstElement *pipeline = gst_parse_launch(
        "videotestsrc num-buffers=8 ! video/x-raw,format=RGBA,width=160,height=120 ! cudaupload name=up ! "
        "video/x-raw(memory:CUDAMemory) ! cudamog name=mog backend=cuda output=passthrough ! "
        "glcolinearseg name=seg ! fakesink",
        &error);
    fail_unless(pipeline && !error, "%s", error ? error->message : "");
    const char *names[] = {"up", "mog", "seg"};
    GstElement *e = gst_bin_get_by_name(GST_BIN(pipeline), names[first]);
    fail_unless(gst_element_set_state(e, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS);
    gst_object_unref(e);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstMessage *m = gst_bus_timed_pop_filtered(GST_ELEMENT_BUS(pipeline), 60 * GST_SECOND,
                                               GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    fail_unless(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS);
    gst_message_unref(m);
    GObject *contexts[3];
    for (int i = 0; i < 3; i++) contexts[i] = cuda_context_of(pipeline, names[i]);
    fail_unless(contexts[0] == contexts[1] && contexts[1] == contexts[2],
                "several CUDA contexts in one row of elements, %s came first", names[first]);
    for (GObject *c : contexts) gst_object_unref(c);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
}
GST_END_TEST

// Rows with padding, as decoders make them.
GST_START_TEST(rows_may_be_padded) {
  if (memory != "system") return; // cudaupload and glupload make rows of their own
  Line textures(in_textures("")), plain(between(""));
  for (Line *line : {&textures, &plain}) line->caps(caps_of("RGBA", 33, 17));
  const auto pictures = street("RGBA", 33, 17, 9);
  for (std::size_t n = 0; n < pictures.size(); n++) {
    textures.push(pictures[n], int(n));
    fail_unless_equals_int(gst_harness_push(plain.harness(), pictures[n].padded(int(n), 20)), GST_FLOW_OK);
    fail_unless(textures.bytes() == plain.bytes(), "frame %d differs", int(n));
  }
}
GST_END_TEST

// All pixels of a picture in these caps have one colour.
Picture one_colour(const char *format, int width, int height) {
  Picture p(format, width, height);
  const GstVideoInfo &info = p.info;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, c); y++)
      for (int x = 0; x < GST_VIDEO_INFO_COMP_WIDTH(&info, c); x++)
        p.bytes[GST_VIDEO_INFO_COMP_OFFSET(&info, c) + std::size_t(y * GST_VIDEO_INFO_COMP_STRIDE(&info, c)) +
                std::size_t(x * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c))] = std::uint8_t(90 + 40 * c);
  return p;
}

// Rows however far apart: every pixel has that colour.
GST_START_TEST(rows_and_planes_lie_as_they_like) {
  if (memory != "system") return;
  for (const char *format : {"RGBA", "NV12", "I420", "YUY2"})
    for (const auto &[w, h] : {std::pair{34, 18}, {33, 17}, {854, 5}}) {
      if (g_str_equal(format, "YUY2") && (on_cuda() || backend == "cpu" || w % 2))
        continue; // GStreamer's conversion misses the last column
      Line line(between("output=overlay"));
      line.caps(caps_of(format, w, h));
      const Picture p = one_colour(format, w, h);
      int number = 0;
      for (const int padding :
           {-1, -1, 1, 1, 2, 3, 4, -1}) { // -1: as GStreamer lays them out, without metadata
        const GstFlowReturn flow =
            gst_harness_push(line.harness(), padding < 0 ? p.buffer(number) : p.padded(number, padding));
        fail_unless(flow == GST_FLOW_OK, "%s", line.error().c_str());
        const std::vector<std::uint8_t> got = line.bytes();
        fail_unless(std::any_of(&got[0], &got[3], [](int v) { return v > 60; }), "%s: it is black", format);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); i += 4) wrong += !std::equal(&got[i], &got[i + 3], &got[0]);
        fail_unless(wrong == 0,
                    "%s %dx%d, frame %d, padding %d: %d pixels have another colour than the first", format, w,
                    h, number, padding, int(wrong));
        number++;
      }
    }
}
GST_END_TEST

// Wrong frames are an error that says so.
GST_START_TEST(frames_that_are_too_short) {
  Line line("glcolinearseg name=e backend=" + (memory == "system" ? backend : std::string("auto")));
  line.caps(caps_of("RGBA", 64, 48));
  fail_unless_equals_int(gst_harness_push(line.harness(), scene("RGBA", 32, 48, 0).buffer(0)),
                         GST_FLOW_ERROR);
  GstMessage *m = line.message(GST_MESSAGE_ERROR);
  fail_unless(m, "no error was posted");
  gst_message_unref(m);
}
GST_END_TEST

// What others found in the frame stays on it, whatever comes out.
GST_START_TEST(places_in_the_frame_stay) {
  if (memory != "system") return; // elements between may drop them
  for (const char *output : {"mask", "passthrough"})
    for (const char *format : {"RGBA", "NV12"}) {
      Line line(between(std::string("output=") + output));
      line.caps(caps_of(format, 64, 48));
      for (int n = 0; n < 3; n++) {
        GstBuffer *b = scene(format, 64, 48, n).buffer(n);
        gst_buffer_add_video_region_of_interest_meta(b, "face", 10, 20, 30, 20);
        fail_unless_equals_int(gst_harness_push(line.harness(), b), GST_FLOW_OK);
        b = line.pull();
        auto *meta = gst_buffer_get_video_region_of_interest_meta(b);
        fail_unless(meta && meta->roi_type == g_quark_from_string("face") && meta->x == 10 && meta->h == 20,
                    "output=%s, %s: the region is gone", output, format);
        gst_buffer_unref(b);
      }
    }
}
GST_END_TEST

// Counts are of the frames since the start.
GST_START_TEST(counts_begin_with_the_stream) {
  Line line(between("output=overlay"));
  const std::string caps = caps_of("RGBA", 64, 48);
  line.caps(caps);
  line.process(street("RGBA", 64, 48, 3));
  const guint64 bytes = line.stat("bytes-host-to-device");
  GstElement *all = line.harness()->element;
  gst_element_set_state(all, GST_STATE_NULL);
  fail_unless_equals_uint64(line.stat("frames"), 3);
  gst_element_set_state(all, GST_STATE_PLAYING);
  fail_unless_equals_uint64(line.stat("frames"), 0);
  gst_harness_push_event(line.harness(), gst_event_new_stream_start("again"));
  line.caps(caps);
  line.process(street("RGBA", 64, 48, 3));
  fail_unless_equals_uint64(line.stat("frames"), 3);
  fail_unless_equals_uint64(line.stat("bytes-host-to-device"), bytes);
}
GST_END_TEST

GST_START_TEST(states_cycle) {
  for (int i = 0; i < 12; i++) {
    Line line(between(i % 2 ? "output=overlay" : ""));
    line.caps(caps_of("RGBA", 64, 48));
    line.process(street("RGBA", 64, 48, 6));
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  if (argc > 1) memory = argv[1];
  if (argc > 2) backend = argv[2];
  if (elsewhere() && skipped_without_egl_driver()) return 77;
  if (in_cuda() || on_cuda()) {
    if (skipped_without_cuda("CUDA frames in OpenGL")) return 77;
  }
  Suite *suite = suite_create("interop-glcolinearseg");
  TCase *tests = tcase_create("memory");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, masks_are_those_of_textures);
  tcase_add_test(tests, pictures_are_those_of_textures);
  tcase_add_test(tests, frames_may_go_on_in_textures);
  tcase_add_test(tests, frames_need_not_be_rgba);
  tcase_add_test(tests, masks_stay_when_the_size_changes);
  tcase_add_test(tests, a_change_of_depth_is_one_of_latency);
  tcase_add_test(tests, pools_of_textures_count_held_frames);
  tcase_add_test(tests, a_flush_drops_what_is_under_way);
  tcase_add_test(tests, background_goes_along);
  tcase_add_test(tests, one_cuda_context_for_all);
  tcase_add_test(tests, rows_may_be_padded);
  tcase_add_test(tests, rows_and_planes_lie_as_they_like);
  tcase_add_test(tests, frames_that_are_too_short);
  tcase_add_test(tests, places_in_the_frame_stay);
  tcase_add_test(tests, counts_begin_with_the_stream);
  tcase_add_test(tests, states_cycle);
  return run(suite, 1, argv);
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
