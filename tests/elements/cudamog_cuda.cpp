// SPDX-License-Identifier: LGPL-2.1-or-later
// cudamog on a CUDA device, in CUDA memory and in system memory, compared with the same on the CPU. Exits
// with 77 (skipped) where there is no device.
#include "common/cuda/driver.h"
#include "gst/video/formats.h"
#include "tests/elements/cuda_frames.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int frames = 24;

Picture frame_of(const char *format, Size s, int n) {
  std::vector<Rect> objects;
  if (n > 8 && s.width > 16 && s.height > 16) objects.push_back({n * 13 % (s.width - 10), 3, 10, 12});
  return scene(format, s.width, s.height, n, objects);
}

using Frames = std::vector<std::vector<std::uint8_t>>;

Frames in_system_memory(const std::string &settings, const char *format, Size s) {
  Element e(settings);
  e.caps(caps_of(format, s.width, s.height));
  for (int n = 0; n < frames; n++) fail_unless_equals_int(e.push(frame_of(format, s, n), n), GST_FLOW_OK);
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  Frames out;
  for (int n = 0; n < frames; n++) out.push_back(e.pull_bytes());
  return out;
}

Frames in_cuda_memory(const std::string &settings, const char *format, Size s) {
  CudaFrames cuda;
  GstContext *context = cuda.share();
  Frames out;
  {
    Element e("backend=cuda " + settings, context);
    const std::string caps = caps_of(format, s.width, s.height, "(memory:CUDAMemory)");
    e.caps(caps);
    if (std::string(format) == "GRAY8")
      cuda.offered_by(e, caps);
    else
      cuda.caps(caps);
    for (int n = 0; n < frames; n++)
      fail_unless_equals_int(e.push(cuda.buffer(frame_of(format, s, n), n)), GST_FLOW_OK);
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    for (int n = 0; n < frames; n++) out.push_back(e.pull_bytes());
    fail_unless_equals_uint64(e.stat("bytes-host-to-device"), 0);
    fail_unless_equals_uint64(e.stat("bytes-device-to-host"), 0);
    fail_unless(e.stat("bytes-results") > 0);
    GstCaps *negotiated = gst_pad_get_current_caps(e.harness()->sinkpad);
    fail_unless(gst_caps_features_contains(gst_caps_get_features(negotiated, 0), "memory:CUDAMemory"));
    gst_caps_unref(negotiated);
  }
  gst_context_unref(context);
  return out;
}

// At most one byte in a thousand may differ by more than one level: roundings at a threshold. A mean of the
// compact state may be rounded to the next level.
void expect_alike(const Frames &want, const Frames &got, const std::string &what) {
  fail_unless_equals_int(want.size(), got.size());
  std::size_t all = 0, differ = 0;
  for (std::size_t n = 0; n < want.size(); n++) {
    fail_unless_equals_int(want[n].size(), got[n].size());
    all += want[n].size();
    for (std::size_t i = 0; i < want[n].size(); i++) differ += std::abs(want[n][i] - got[n][i]) > 1;
  }
  fail_unless(differ * 1000 <= all, "%s: %d of %d bytes differ", what.c_str(), int(differ), int(all));
}

} // namespace

GST_START_TEST(masks_are_those_of_the_cpu) {
  for (const char *format : {"GRAY8", "NV12", "I420", "RGBA", "RGBx", "BGRA", "BGRx", "P010_10LE"})
    for (const Size size : {Size{64, 48}, Size{1, 1}, Size{33, 17}, Size{645, 363}})
      for (const char *settings : {"", "method=mog", "median=0 detect-shadows=false"}) {
        const Size s = survives_copies(format, size);
        const Frames cpu = in_system_memory(settings, format, s);
        const std::string what = std::string(format) + " " + std::to_string(s.width) + " " + settings;
        expect_alike(cpu, in_cuda_memory(settings, format, s), what + " in CUDA memory");
        expect_alike(cpu, in_system_memory(std::string("backend=cuda ") + settings, format, s),
                     what + " in system memory");
      }
}
GST_END_TEST

GST_START_TEST(groups_and_depth_give_the_same_masks) {
  const Size s{322, 180};
  const Frames alone = in_cuda_memory("", "NV12", s);
  fail_unless(std::any_of(alone.back().begin(), alone.back().end(), [](int v) { return v == 255; }));
  for (const char *settings :
       {"group-size=8", "group-size=32", "async-depth=1", "async-depth=6", "group-size=4 async-depth=3"}) {
    fail_unless(in_cuda_memory(settings, "NV12", s) == alone, "%s gives other masks", settings);
    fail_unless(in_system_memory(std::string("backend=cuda ") + settings, "NV12", s) == alone,
                "%s gives other masks in system memory", settings);
  }
}
GST_END_TEST

GST_START_TEST(outputs_are_those_of_the_cpu) {
  for (const char *format : {"GRAY8", "NV12", "I420", "RGBA", "BGRx"})
    for (const char *output : {"foreground", "background", "overlay", "passthrough"}) {
      // What a frame shows of who waits reaches the learning of later frames, and the later the more of them
      // are under way.
      const std::string settings = std::string("foreground-rate=1 min-area=20 output=") + output;
      const Size s = survives_copies(format, {66, 37});
      const Frames cpu = in_system_memory(settings, format, s);
      const Frames cuda = in_cuda_memory(settings, format, s);
      expect_alike(cpu, cuda, std::string(format) + " " + output);
      expect_alike(cpu, in_system_memory("backend=cuda async-depth=2 " + settings, format, s),
                   std::string(format) + " " + output + " in system memory");
    }
}
GST_END_TEST

GST_START_TEST(bytes_of_system_memory_are_counted) {
  Element e("backend=cuda");
  e.caps(caps_of("GRAY8", 64, 48)); // rows of 64 bytes need no padding
  for (int n = 0; n < 5; n++) e.push(frame_of("GRAY8", {64, 48}, n), n);
  fail_unless_equals_uint64(e.stat("bytes-host-to-device"), 5 * 64 * 48);
  fail_unless_equals_uint64(e.stat("bytes-device-to-host"), 5 * 64 * 48);
}
GST_END_TEST

GST_START_TEST(frames_of_another_context_are_followed) {
  CudaFrames ours, theirs;
  GstContext *context = ours.share();
  {
    Element e("backend=cuda", context), cpu;
    const Size s{160, 96};
    const std::string caps = caps_of("NV12", s.width, s.height, "(memory:CUDAMemory)");
    ours.caps(caps);
    theirs.caps(caps);
    e.caps(caps);
    cpu.caps(caps_of("NV12", s.width, s.height));
    Frames want, got;
    for (int n = 0; n < frames; n++) {
      CudaFrames &source = n < 12 ? ours : theirs;
      fail_unless_equals_int(e.push(source.buffer(frame_of("NV12", s, n), n)), GST_FLOW_OK);
      cpu.push(frame_of("NV12", s, n), n);
      got.push_back(e.pull_bytes());
      want.push_back(cpu.pull_bytes());
    }
    fail_unless_equals_uint64(e.stat("model-frames"), frames);
    expect_alike(want, got, "over a change of context");
  }
  gst_context_unref(context);
}
GST_END_TEST

// A model that was loaded before the first frame goes along when that frame is of another context.
GST_START_TEST(a_model_that_waits_goes_along) {
  const Folder folder;
  const std::string path = folder / "model";
  const Size s{64, 48};
  gboolean ok = FALSE;
  {
    Element from;
    from.caps(caps_of("NV12", s.width, s.height));
    for (int n = 0; n < 20; n++) {
      from.push(frame_of("NV12", s, n), n);
      from.pull_bytes();
    }
    g_signal_emit_by_name(from.get(), "save-model", path.c_str(), &ok);
    fail_unless(ok);
  }
  CudaFrames ours, theirs;
  GstContext *context = ours.share();
  {
    Element e("backend=cuda", context);
    g_signal_emit_by_name(e.get(), "load-model", path.c_str(), &ok);
    fail_unless(ok);
    const std::string caps = caps_of("NV12", s.width, s.height, "(memory:CUDAMemory)");
    theirs.caps(caps);
    e.caps(caps);
    fail_unless_equals_int(e.push(theirs.buffer(frame_of("NV12", s, 0), 0)), GST_FLOW_OK);
    e.pull_bytes();
    fail_unless_equals_uint64(e.stat("model-frames"), 21);
  }
  gst_context_unref(context);
}
GST_END_TEST

// The first frame of another context is written into memory of that one.
GST_START_TEST(pools_are_of_the_frames_context) {
  CudaFrames ours, theirs;
  GstContext *context = ours.share();
  {
    Element e("backend=cuda", context);
    const Size s{160, 96};
    const std::string caps = caps_of("NV12", s.width, s.height, "(memory:CUDAMemory)");
    ours.caps(caps);
    theirs.caps(caps);
    e.caps(caps);
    for (int n = 0; n < 4; n++) {
      CudaFrames &source = n < 2 ? ours : theirs;
      fail_unless_equals_int(e.push(source.buffer(frame_of("NV12", s, n), n)), GST_FLOW_OK);
      GstBuffer *out = e.pull();
      fail_unless(out != nullptr);
      fail_unless(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(out, 0))->context == source.context(),
                  "frame %d", n);
      gst_buffer_unref(out);
    }
  }
  gst_context_unref(context);
}
GST_END_TEST

// While the element looks for a context, a neighbour that does the same asks the element from a thread of its
// own.
GST_START_TEST(neighbours_may_ask_while_they_are_asked) {
  GstElement *element = gst_element_factory_make("cudamog", nullptr);
  gst_object_ref_sink(element);
  g_object_set(element, "backend", 1, nullptr); // cuda
  static GstPad *sink;
  static std::atomic<int> answered, waited_in_vain;
  answered = waited_in_vain = 0;
  sink = gst_element_get_static_pad(element, "sink");
  GstPad *peer = gst_pad_new("src", GST_PAD_SRC);
  gst_pad_set_query_function(peer, [](GstPad *, GstObject *, GstQuery *query) -> gboolean {
    if (GST_QUERY_TYPE(query) != GST_QUERY_CONTEXT) return FALSE;
    std::promise<void> done;
    std::future<void> end = done.get_future();
    std::thread neighbour([done = std::move(done)]() mutable {
      GstQuery *q = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
      gst_pad_query(sink, q);
      gst_query_unref(q);
      done.set_value();
    });
    (end.wait_for(std::chrono::seconds(5)) == std::future_status::ready ? answered : waited_in_vain)++;
    neighbour.detach();
    return FALSE;
  });
  fail_unless_equals_int(gst_pad_link(peer, sink), GST_PAD_LINK_OK);
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  fail_unless(answered > 0);
  fail_unless_equals_int(waited_in_vain, 0);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_pad_unlink(peer, sink);
  gst_object_unref(peer);
  gst_object_unref(sink);
  gst_object_unref(element);
}
GST_END_TEST

// On a GPU frames of system memory are copied at once, and their buffers given back.
GST_START_TEST(copied_inputs_are_given_back) {
  Element e("backend=cuda async-depth=4");
  e.caps(caps_of("NV12", 64, 48));
  for (int n = 0; n < 3; n++) {
    GstBuffer *b = frame_of("NV12", {64, 48}, n).buffer(n);
    gst_buffer_ref(b);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    fail_unless_equals_int(GST_MINI_OBJECT_REFCOUNT_VALUE(b), 1);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

GST_START_TEST(models_move_between_backends) {
  const Folder folder;
  const std::string path = folder / "model";
  const Size s{64, 48};
  for (const bool to_cuda : {true, false}) {
    Element from(to_cuda ? "" : "backend=cuda"), to(to_cuda ? "backend=cuda" : "");
    for (Element *e : {&from, &to}) e->caps(caps_of("RGBA", s.width, s.height));
    for (int n = 0; n < 20; n++) {
      from.push(frame_of("RGBA", s, n), n);
      from.pull_bytes();
    }
    to.push(frame_of("RGBA", s, 0), 0);
    to.pull_bytes();
    gboolean ok = FALSE;
    g_signal_emit_by_name(from.get(), "save-model", path.c_str(), &ok);
    fail_unless(ok);
    g_signal_emit_by_name(to.get(), "load-model", path.c_str(), &ok);
    fail_unless(ok);
    Frames a, b;
    for (int n = 20; n < 40; n++) {
      from.push(frame_of("RGBA", s, n), n);
      to.push(frame_of("RGBA", s, n), n);
      a.push_back(from.pull_bytes());
      b.push_back(to.pull_bytes());
    }
    expect_alike(a, b, to_cuda ? "CPU to CUDA" : "CUDA to CPU");
  }
}
GST_END_TEST

// Milliseconds that cudamog adds to LATENCY in a playing pipeline at 25 frames a second.
int latency_of(const std::string &source, const std::string &settings) {
  const std::string description = source +
                                  " ! video/x-raw,format=NV12,width=64,height=48,framerate=25/1 "
                                  "! cudamog name=e backend=cuda " +
                                  settings + " ! fakesink sync=false";
  GstElement *pipeline = gst_parse_launch(description.c_str(), nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstState state = GST_STATE_NULL;
  gst_element_get_state(pipeline, &state, nullptr, 10 * GST_SECOND);
  fail_unless_equals_int(state, GST_STATE_PLAYING);
  GstElement *e = gst_bin_get_by_name(GST_BIN(pipeline), "e");
  GstClockTime with = 0, without = 0;
  for (const char *name : {"src", "sink"}) {
    GstPad *pad = gst_element_get_static_pad(e, name);
    GstQuery *query = gst_query_new_latency();
    const bool at_src = name[1] == 'r';
    fail_unless(at_src ? gst_pad_query(pad, query) : gst_pad_peer_query(pad, query));
    gst_query_parse_latency(query, nullptr, at_src ? &with : &without, nullptr);
    gst_query_unref(query);
    gst_object_unref(pad);
  }
  gst_object_unref(e);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return int((with - without) / GST_MSECOND);
}

GST_START_TEST(an_open_depth_is_chosen_by_the_source) {
  fail_unless_equals_int(latency_of("videotestsrc", ""), 2 * 40);
  fail_unless_equals_int(latency_of("videotestsrc is-live=true", ""), 0);
  fail_unless_equals_int(latency_of("videotestsrc is-live=true", "async-depth=1"), 40);
  fail_unless_equals_int(latency_of("videotestsrc", "async-depth=0"), 0);
}
GST_END_TEST

GST_START_TEST(state_cycles) {
  for (int i = 0; i < 40; i++) {
    Element e("backend=cuda async-depth=2");
    e.caps(caps_of("NV12", 64, 48));
    for (int n = 0; n < 5; n++) fail_unless_equals_int(e.push(frame_of("NV12", {64, 48}, n), n), GST_FLOW_OK);
  }
}
GST_END_TEST

GST_START_TEST(the_primary_context_stays_asleep) {
  in_cuda_memory("async-depth=2 output=overlay", "NV12", {64, 48});
  in_system_memory("backend=cuda foreground-rate=0.1", "RGBA", {64, 48});
  fail_if(cuda_primary_context_active(0), "something made the device's primary context");
}
GST_END_TEST

int main(int argc, char **argv) {
  if (skipped_without_cuda("cudamog on CUDA")) return 77;
  gst_cuda_load_library();
  Suite *suite = suite_create("cudamog-cuda");
  TCase *tests = tcase_create("cuda");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, masks_are_those_of_the_cpu);
  tcase_add_test(tests, groups_and_depth_give_the_same_masks);
  tcase_add_test(tests, outputs_are_those_of_the_cpu);
  tcase_add_test(tests, bytes_of_system_memory_are_counted);
  tcase_add_test(tests, frames_of_another_context_are_followed);
  tcase_add_test(tests, a_model_that_waits_goes_along);
  tcase_add_test(tests, pools_are_of_the_frames_context);
  tcase_add_test(tests, neighbours_may_ask_while_they_are_asked);
  tcase_add_test(tests, copied_inputs_are_given_back);
  tcase_add_test(tests, models_move_between_backends);
  tcase_add_test(tests, an_open_depth_is_chosen_by_the_source);
  tcase_add_test(tests, state_cycles);
  tcase_add_test(tests, the_primary_context_stays_asleep);
  return run(suite, argc, argv);
}
