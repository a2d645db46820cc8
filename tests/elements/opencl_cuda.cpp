// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL elements with frames in CUDA memory, compared with the same in system memory. Exits with 77
// (skipped) where there is no CUDA device.
#include "common/cuda/device.h"
#include "common/error.h"
#include "common/interop/cuda_opencl.h"
#include "common/opencl/device.h"
#include "tests/elements/busy.h"
#include "tests/elements/cuda_frames.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int frames = 4;
GstCudaContext *shared_context = nullptr; // of tests that need no other: making one takes long
constexpr const char *elements[] = {
    "clbilateral tune=off backend=opencl",
    "clbilateral tune=off backend=opencl algorithm=grid spatial-sigma=5 chroma=true",
    "clhistogram overlay=true",
    "clhistogram",
    "clfilter tune=off chain=\"gaussian sigma=2 ! invert\"",
    "clbilateral tune=off", // in CUDA, where its frames are
    "clbilateral tune=off backend=cuda algorithm=grid spatial-sigma=5 chroma=true",
};
constexpr int first_in_cuda = 5; // of them; the others give the same bytes wherever their frames come from
bool is(const std::string &element, const char *name) {
  return element.find(name) == 0;
}
bool takes(const std::string &element, const std::string &format) {
  if (is(element, "clfilter")) return format != "NV12" && format != "I420" && format != "P010_10LE";
  return format != "P010_10LE" || is(element, "clbilateral");
}
std::string in_opencl(std::string element) {
  const auto at = element.find("backend=cuda");
  if (at != std::string::npos) element.replace(at, 12, "backend=opencl");
  return element;
}

Picture frame_of(const char *format, Size s, int n) {
  std::vector<Rect> objects;
  if (s.width > 40 && s.height > 20) objects.push_back({n * 13 % (s.width - 30), 3, 20, 12});
  return scene(format, s.width, s.height, n, objects);
}

using Bytes = std::vector<std::uint8_t>;
using Frames = std::vector<Bytes>;

// A picture, and behind it what clhistogram counted of it.
Bytes result(Harness &e) {
  GstBuffer *b = e.pull();
  fail_unless(b, "no frame came out");
  Bytes bytes = e.bytes_of(b);
  if (GstCustomMeta *meta = is(GST_OBJECT_NAME(e.get()), "clhistogram")
                                ? gst_buffer_get_custom_meta(b, "vigil-histogram")
                                : nullptr) {
    const GValue *counts = gst_structure_get_value(gst_custom_meta_get_structure(meta), "intensity");
    gsize size = 0;
    const auto *data = static_cast<const std::uint8_t *>(
        g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(counts)), &size));
    bytes.insert(bytes.end(), data, data + size);
  }
  gst_buffer_unref(b);
  return bytes;
}

std::string text_stat(Harness &e, const char *field) {
  GstStructure *stats = nullptr;
  g_object_get(e.get(), "stats", &stats, nullptr);
  const std::string value = gst_structure_get_string(stats, field);
  gst_structure_free(stats);
  return value;
}
std::uint64_t bytes_copied(Harness &e) {
  return e.stat("bytes-host-to-device") + e.stat("bytes-device-to-host");
}
Frames in_system_memory(const std::string &element, const char *format, Size s) {
  Harness e(in_opencl(element));
  e.caps(caps_of(format, s.width, s.height));
  Frames out;
  for (int n = 0; n < frames; n++) {
    fail_unless_equals_int(e.push(frame_of(format, s, n), n), GST_FLOW_OK);
    out.push_back(result(e));
  }
  return out;
}

void negotiate(CudaFrames &cuda, Harness &e, const char *format, Size s) {
  const std::string caps = caps_of(format, s.width, s.height, "(memory:CUDAMemory)");
  e.caps(caps);
  if (std::string(format) != "GRAY8") return cuda.caps(caps);
  GstContext *context = cuda.share();
  {
    Harness helper("clbilateral tune=off backend=opencl",
                   context); // one that passes frames on offers no pool
    helper.caps(caps);
    cuda.offered_by(helper, caps);
  }
  gst_context_unref(context);
}

Frames in_cuda_memory(const std::string &element, const char *format, Size s, bool shared = true) {
  CudaFrames cuda(shared_context);
  GstContext *context = cuda.share();
  Frames out;
  {
    Harness e(element, context);
    negotiate(cuda, e, format, s);
    for (int n = 0; n < frames; n++)
      fail_unless_equals_int(e.push(cuda.buffer(frame_of(format, s, n), n)), GST_FLOW_OK);
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    for (int n = 0; n < frames; n++) out.push_back(result(e));
    int warned = 0;
    while (GstMessage *m = e.message(GstMessageType(GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
      fail_unless(GST_MESSAGE_TYPE(m) == GST_MESSAGE_WARNING, "%s: an error was posted", element.c_str());
      gst_message_unref(m);
      warned++;
    }
    fail_unless_equals_int(warned, shared ? 0 : 1);
    fail_unless((bytes_copied(e) == 0) == shared, "%s: %u bytes were copied between host and device",
                element.c_str(), unsigned(bytes_copied(e)));
    GstCaps *negotiated = gst_pad_get_current_caps(e.harness()->sinkpad);
    fail_unless(gst_caps_features_contains(gst_caps_get_features(negotiated, 0), "memory:CUDAMemory"));
    gst_caps_unref(negotiated);
  }
  gst_context_unref(context);
  return out;
}

// No sample more than `level` levels off. Samples of 10 bits are in the upper part of two bytes.
void expect_near(const Frames &want, const Frames &got, int level, const std::string &what,
                 bool ten_bits = false) {
  fail_unless_equals_int(want.size(), got.size());
  const std::size_t step = ten_bits ? 2 : 1;
  for (std::size_t n = 0; n < want.size(); n++) {
    fail_unless_equals_int(want[n].size(), got[n].size());
    const auto at = [&](const Bytes &b, std::size_t i) {
      return ten_bits ? (b[i] + 256 * b[i + 1]) / 64 : b[i];
    };
    std::size_t wrong = 0, last = 0;
    for (std::size_t i = 0; i + step <= want[n].size(); i += step)
      if (std::abs(at(want[n], i) - at(got[n], i)) > level) {
        wrong++;
        last = i;
      }
    fail_unless(wrong == 0, "%s: %zu samples of frame %zu are wrong, the last of them, at %zu, is %d, not %d",
                what.c_str(), wrong, n, last, at(got[n], last), at(want[n], last));
  }
}

int descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return int(std::distance(begin(all), end(all)));
}

} // namespace

GST_START_TEST(pictures_are_those_of_system_memory) {
  const std::string element = elements[__i__];
  for (const char *format : {"GRAY8", "NV12", "I420", "RGBA", "RGBx", "BGRA", "BGRx", "P010_10LE"})
    for (const Size size : {Size{1, 1}, Size{33, 17}, Size{645, 363}}) {
      if (!takes(element, format)) continue;
      const Size s = survives_copies(format, size);
      const std::string what = element + ", " + format + " " + std::to_string(s.width);
      const int level = __i__ >= first_in_cuda ? 1 : 0;
      expect_near(in_system_memory(element, format, s), in_cuda_memory(element, format, s), level, what,
                  std::string(format) == "P010_10LE");
    }
}
GST_END_TEST

GST_START_TEST(depth_changes_nothing) {
  const std::string element = elements[__i__];
  fail_unless(in_cuda_memory(element, "RGBA", {322, 180}) ==
              in_cuda_memory(element + " async-depth=3", "RGBA", {322, 180}));
}
GST_END_TEST

GST_START_TEST(work_follows_the_frames_unless_it_is_told) {
  const struct {
    const char *choice, *system, *cuda;
  } cases[] = {{"auto", "opencl", "cuda"}, {"opencl", "opencl", "opencl"}, {"cuda", "cuda", "cuda"}};
  const Size s{64, 48};
  for (const auto &c : cases) {
    CudaFrames cuda(shared_context);
    GstContext *context = cuda.share();
    {
      Harness e(std::string("clbilateral tune=off backend=") + c.choice, context);
      e.caps(caps_of("RGBA", s.width, s.height));
      const Picture p = frame_of("RGBA", s, 0);
      fail_unless_equals_int(e.push(p, 0), GST_FLOW_OK);
      fail_unless(text_stat(e, "backend") == c.system, "%s: %s", c.choice, text_stat(e, "backend").c_str());
      const Bytes from_system = e.pull_bytes();
      negotiate(cuda, e, "RGBA", s); // in mid-stream
      fail_unless_equals_int(e.push(cuda.buffer(p, 1)), GST_FLOW_OK);
      fail_unless(text_stat(e, "backend") == c.cuda, "%s: %s", c.choice, text_stat(e, "backend").c_str());
      expect_near({from_system}, {e.pull_bytes()}, 1, c.choice);
      fail_unless_equals_uint64(e.stat("frames"), 2);
      e.no_error();
    }
    gst_context_unref(context);
  }
}
GST_END_TEST

// An overlay is drawn into the frame itself, unless others have it, too.
GST_START_TEST(frames_that_others_hold_stay_as_they_are) {
  const Size s{320, 240};
  for (const char *format : {"NV12", "GRAY8", "RGBA"}) {
    const Frames want = in_system_memory("clhistogram overlay=true", format, s);
    CudaFrames cuda(shared_context);
    GstContext *context = cuda.share();
    {
      Harness e("clhistogram overlay=true", context);
      negotiate(cuda, e, format, s);
      GstBuffer *mine = cuda.buffer(frame_of(format, s, 0), 0);
      fail_unless_equals_int(e.push(gst_buffer_ref(mine)), GST_FLOW_OK);
      expect_near({want[0]}, {result(e)}, 0, format);
      Picture before = frame_of(format, s, 0);
      GstBuffer *plain = before.buffer(0);
      fail_unless(e.bytes_of(mine) == e.bytes_of(plain), "%s: a frame of somebody else was changed", format);
      gst_buffer_unref(plain);
      gst_buffer_unref(mine);
      fail_unless_equals_uint64(bytes_copied(e), 0);
      e.no_error();
    }
    gst_context_unref(context);
  }
}
GST_END_TEST

GST_START_TEST(frames_of_another_context_are_followed) {
  const std::string element = elements[__i__];
  const Size s{160, 96};
  const Frames want = in_system_memory(element, "RGBA", s);
  CudaFrames ours, theirs;
  GstContext *context = ours.share();
  {
    Harness e(element, context);
    negotiate(ours, e, "RGBA", s);
    theirs.caps(caps_of("RGBA", s.width, s.height, "(memory:CUDAMemory)"));
    Frames got;
    for (int n = 0; n < frames; n++) {
      CudaFrames &source = n < 2 ? ours : theirs;
      fail_unless_equals_int(e.push(source.buffer(frame_of("RGBA", s, n), n)), GST_FLOW_OK);
      got.push_back(result(e));
    }
    expect_near(want, got, 1, element);
    fail_unless_equals_uint64(e.stat("frames"), frames);
    fail_unless_equals_uint64(bytes_copied(e), 0);
    e.no_error();
  }
  gst_context_unref(context);
}
GST_END_TEST

// The GPU is busy for 20 ms when a frame comes, so that the copy to where OpenCL works has not happened when
// it was submitted; and the kernel takes long, so that the copy back must wait for it.
GST_START_TEST(slow_producers_and_slow_kernels_are_waited_for) {
  const Size s{1920, 1080};
  for (const char *settings : {"clbilateral tune=off backend=opencl",
                               "clbilateral tune=off backend=opencl radius=40 algorithm=exact",
                               "clhistogram overlay=true", "clbilateral tune=off backend=cuda"}) {
    const Frames want = in_system_memory(settings, "RGBA", s);
    CudaFrames cuda(shared_context);
    GstContext *context = cuda.share();
    {
      auto *const handle = static_cast<CUctx_st *>(gst_cuda_context_get_handle(cuda.context()));
      CudaDevice device({handle, [](CUctx_st *) {}}, 0);
      CudaQueue stream(handle);
      int multiprocessors = 0;
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
      Harness e(settings, context);
      negotiate(cuda, e, "RGBA", s);
      Frames got;
      for (int n = 0; n < frames; n++) {
        GstBuffer *b = cuda.buffer(frame_of("RGBA", s, n), n);
        GstMapInfo map; // so that the picture is on the device
        fail_unless(gst_buffer_map(b, &map, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
        gst_buffer_unmap(b, &map);
        {
          const CudaScope scope = device.enter();
          keep_busy(20, multiprocessors, stream.stream());
          fail_unless_equals_int(cudaGetLastError(), cudaSuccess);
        }
        fail_unless_equals_int(e.push(b), GST_FLOW_OK);
        got.push_back(result(e));
      }
      stream.wait();
      expect_near(want, got, 1, settings);
    }
    gst_context_unref(context);
  }
}
GST_END_TEST

// A frame never comes out wrong where OpenCL works on another device than the frame's: it goes through the
// host, with a warning.
GST_START_TEST(other_devices_get_frames_through_the_host) {
  const std::vector<ClCandidate> all = cl_candidates();
  int tried = 0;
  for (std::size_t i = 0; i < all.size(); i++) {
    if (!all[i].unusable.empty()) continue;
    const auto uuid = ClDevice(all[i]).uuid();
    if (uuid && *uuid == cuda_uuid(0)) continue;
    g_print("other device: %s\n", all[i].name.c_str());
    tried++;
    for (const char *e : {"clbilateral tune=off backend=opencl", "clhistogram overlay=true", "clhistogram",
                          "clfilter tune=off chain=\"gaussian sigma=2 ! invert\""})
      for (const char *format : {"GRAY8", "I420", "RGBA"}) {
        if (!takes(e, format)) continue;
        const std::string element = std::string(e) + " device=" + std::to_string(i);
        const Size s{322, 178};
        expect_near(in_system_memory(element, format, s), in_cuda_memory(element, format, s, false), 0,
                    element);
      }
  }
  if (!tried) g_printerr("SKIP: this machine has no OpenCL device but the first CUDA device\n");
}
GST_END_TEST

GST_START_TEST(nothing_is_left_after_state_cycles) {
  const std::string element = elements[__i__];
  const Size s{640, 360};
  CudaFrames cuda(shared_context);
  GstContext *context = cuda.share();
  int before = 0;
  std::size_t memory_before = 0, memory_after = 0, all = 0;
  const auto *const handle = static_cast<CUctx_st *>(gst_cuda_context_get_handle(cuda.context()));
  cuda.caps(caps_of("RGBA", s.width, s.height, "(memory:CUDAMemory)"));
  for (int i = 0; i < 25; i++) {
    {
      Harness e(element + " async-depth=" + std::to_string(i % 3), context);
      e.caps(caps_of("RGBA", s.width, s.height, "(memory:CUDAMemory)"));
      for (int n = 0; n < 4; n++)
        fail_unless_equals_int(e.push(cuda.buffer(frame_of("RGBA", s, n), n)), GST_FLOW_OK);
      e.no_error();
    }
    const CudaScope scope(const_cast<CUctx_st *>(handle));
    if (i == 9) {
      before = descriptors();
      cudaMemGetInfo(&memory_before, &all);
    }
    cudaMemGetInfo(&memory_after, &all);
  }
  fail_unless_equals_int(descriptors(), before);
  // whole cycles of depth: drivers keep some MB for themselves
  fail_unless(memory_after + (std::size_t(32) << 20) > memory_before,
              "%zu bytes of the device's memory are gone", memory_before - memory_after);
  gst_context_unref(context);
}
GST_END_TEST

GST_START_TEST(the_primary_context_stays_asleep) {
  for (const char *e : elements) in_cuda_memory(std::string(e) + " async-depth=2", "RGBA", {64, 48});
  fail_if(cuda_primary_context_active(0), "something made the device's primary context");
}
GST_END_TEST

int main(int argc, char **argv) {
  std::string why;
  try {
    require_cuda_device(0);
    const auto cl = open_cl();
    CudaDevice cuda(0);
    why = why_not_shared(cuda, *cl);
  } catch (const Error &e) {
    g_print("SKIP: frames in CUDA memory and OpenCL: %s\n", e.what());
    return 77;
  }
  gst_cuda_load_library();
  g_setenv("CK_FORK", "no", TRUE); // the driver does not survive a fork
  gst_init(&argc, &argv);
  shared_context = gst_cuda_context_new(0);
  // keeps the OpenCL device open, so that not each element has to open it again
  GstElement *keeper = gst_element_factory_make("clhistogram", nullptr);
  gst_object_ref_sink(keeper);
  gst_element_set_state(keeper, GST_STATE_READY);
  Suite *suite = suite_create("opencl-cuda");
  TCase *tests = tcase_create("cuda");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  constexpr int count = int(std::size(elements));
  tcase_add_test(tests, other_devices_get_frames_through_the_host);
  if (why.empty()) {
    tcase_add_loop_test(tests, pictures_are_those_of_system_memory, 0, count);
    tcase_add_loop_test(tests, depth_changes_nothing, 0, count);
    tcase_add_test(tests, work_follows_the_frames_unless_it_is_told);
    tcase_add_test(tests, frames_that_others_hold_stay_as_they_are);
    tcase_add_loop_test(tests, frames_of_another_context_are_followed, 0, count);
    tcase_add_test(tests, slow_producers_and_slow_kernels_are_waited_for);
    tcase_add_loop_test(tests, nothing_is_left_after_state_cycles, 0, count);
    tcase_add_test(tests, the_primary_context_stays_asleep);
  } else
    g_printerr("SKIP: only frames through the host: %s\n", why.c_str());
  const int failed = run(suite, argc, argv);
  gst_element_set_state(keeper, GST_STATE_NULL);
  gst_object_unref(keeper);
  gst_object_unref(shared_context);
  return failed;
}
