// SPDX-License-Identifier: LGPL-2.1-or-later
// gpufisher on a CUDA device, in CUDA memory and in system memory, compared with the same on the CPU. Exits
// with 77 (skipped) where there is no device.
#include "common/cuda/driver.h"
#include "tests/elements/cuda_frames.h"
#include "tests/elements/fisher_meta.h"
#include "tests/elements/random_model.h"

#include <cmath>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int frames = 12;
using Rows = std::vector<std::vector<double>>; // of each frame, the scores

Picture frame_of(const char *format, Size s, int n) {
  std::vector<Rect> objects;
  if (n > 5) objects.push_back({n * 13 % (s.width - 10), 3, 10, 12});
  return scene(format, s.width, s.height, n, objects);
}

struct Model {
  explicit Model(unsigned seed = 3) : Model(random_model(seed, {"run", "fall"})) {}
  explicit Model(fisher::Model m) : model(std::move(m)) { fisher::write_model(path(), model); }
  std::string path() const { return folder / "model"; }
  std::string launch(const std::string &settings) const {
    return "gpufisher model-location=" + path() + " " + settings;
  }
  Folder folder;
  fisher::Model model;
};

Rows in_system_memory(const Model &m, const std::string &settings, const char *format, Size s) {
  Harness e(m.launch(settings));
  e.caps(caps_of(format, s.width, s.height));
  for (int n = 0; n < frames; n++) fail_unless_equals_int(e.push(frame_of(format, s, n), n), GST_FLOW_OK);
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  Rows out;
  while (GstBuffer *b = e.pull()) {
    out.push_back(scores_of(b));
    gst_buffer_unref(b);
  }
  return out;
}

// Also: frames come out in the memory that they came in, untouched, and no picture crosses the bus.
Rows in_cuda_memory(const Model &m, const std::string &settings, const char *format, Size s) {
  CudaFrames cuda;
  GstContext *context = cuda.share();
  Rows out;
  {
    Harness e(m.launch("backend=cuda " + settings), context);
    const std::string caps = caps_of(format, s.width, s.height, "(memory:CUDAMemory)");
    e.caps(caps);
    if (std::string(format) == "GRAY8")
      cuda.offered_by(e, caps);
    else
      cuda.caps(caps);
    std::vector<GstMemory *> sent;
    for (int n = 0; n < frames; n++) {
      GstBuffer *b = cuda.buffer(frame_of(format, s, n), n);
      sent.push_back(gst_buffer_peek_memory(b, 0));
      fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    }
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    while (GstBuffer *b = e.pull()) {
      fail_unless(gst_buffer_peek_memory(b, 0) == sent.at(out.size()), "a frame was copied");
      out.push_back(scores_of(b));
      gst_buffer_unref(b);
    }
    fail_unless_equals_uint64(e.stat("bytes-host-to-device"), 0);
    fail_unless_equals_uint64(e.stat("bytes-device-to-host"), 0);
    fail_unless(e.stat("bytes-results") > 0);
  }
  gst_context_unref(context);
  return out;
}

void expect_alike(const Rows &want, const Rows &got, const std::string &what) {
  constexpr double tolerance =
      2e-3; // the vector's relative error is below 1e-3, and scores are of the order of 1
  fail_unless_equals_int(got.size(), frames);
  fail_unless_equals_int(want.size(), got.size());
  for (std::size_t n = 0; n < want.size(); n++)
    for (std::size_t k = 0; k < want[n].size(); k++)
      fail_unless(std::abs(want[n][k] - got[n][k]) <= tolerance * (1 + std::abs(want[n][k])),
                  "%s, frame %d: %f for %f", what.c_str(), int(n), got[n][k], want[n][k]);
}

} // namespace

GST_START_TEST(scores_are_those_of_the_cpu) {
  const Model m;
  for (const char *format : {"GRAY8", "NV12", "I420", "RGBA", "RGBx", "BGRA", "BGRx"})
    for (const Size s : {Size{96, 72}, Size{33, 18}, Size{322, 242}}) {
      const Rows cpu = in_system_memory(m, "backend=cpu", format, s);
      const std::string what = std::string(format) + " " + std::to_string(s.width);
      expect_alike(cpu, in_cuda_memory(m, "", format, s), what + " in CUDA memory");
      expect_alike(cpu, in_system_memory(m, "backend=cuda", format, s), what + " in system memory");
    }
}
GST_END_TEST

// The difference pictures are made of earlier frames, also where several are under way.
GST_START_TEST(motion_is_that_of_the_cpu) {
  const Model m(random_motion_model(5, {"run", "fall"}, 2));
  for (const char *format : {"NV12", "RGBA"}) {
    const Size s{97, 72};
    const Rows cpu = in_system_memory(m, "backend=cpu", format, s);
    const std::string what = std::string(format) + " with motion";
    const Rows cuda = in_cuda_memory(m, "", format, s);
    expect_alike(cpu, cuda, what + " in CUDA memory");
    expect_alike(cpu, in_system_memory(m, "backend=cuda", format, s), what + " in system memory");
    fail_unless(in_cuda_memory(m, "async-depth=4", format, s) == cuda, "%s: other bits under way",
                what.c_str());
  }
}
GST_END_TEST

GST_START_TEST(depth_gives_the_same_bits) {
  const Model m;
  const Rows alone = in_cuda_memory(m, "", "NV12", {320, 240});
  for (const char *settings : {"async-depth=1", "async-depth=6", "attach-vector=true async-depth=2"}) {
    fail_unless(in_cuda_memory(m, settings, "NV12", {320, 240}) == alone, "%s: other scores", settings);
    fail_unless(in_system_memory(m, std::string("backend=cuda ") + settings, "NV12", {320, 240}) == alone,
                "%s: other scores in system memory", settings);
  }
}
GST_END_TEST

GST_START_TEST(a_model_is_changed_while_playing) {
  const Model a, b(8);
  const Size s{96, 72};
  const Rows with_a = in_cuda_memory(a, "", "NV12", s), with_b = in_cuda_memory(b, "", "NV12", s);
  CudaFrames cuda;
  GstContext *context = cuda.share();
  {
    Harness e(a.launch("backend=cuda async-depth=2"), context);
    const std::string caps = caps_of("NV12", s.width, s.height, "(memory:CUDAMemory)");
    e.caps(caps);
    cuda.caps(caps);
    write_bytes(a.folder / "noise", {1, 2, 3});
    for (int n = 0; n < frames; n++) {
      if (n == 3) e.set("model-location", (a.folder / "noise").c_str()); // stays as it is
      if (n == 6) e.set("model-location", b.path().c_str());
      fail_unless_equals_int(e.push(cuda.buffer(frame_of("NV12", s, n), n)), GST_FLOW_OK);
    }
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    for (int n = 0; n < frames; n++) {
      GstBuffer *out = e.pull();
      const Rows &want = n < 6 ? with_a : with_b;
      fail_unless(scores_of(out) == want[std::size_t(n)], "frame %d", n);
      gst_buffer_unref(out);
    }
  }
  gst_context_unref(context);
}
GST_END_TEST

GST_START_TEST(frames_of_another_context_are_followed) {
  const Model m;
  const Size s{96, 72};
  const Rows want = in_cuda_memory(m, "", "NV12", s);
  CudaFrames ours, theirs;
  GstContext *context = ours.share();
  {
    Harness e(m.launch("backend=cuda"), context);
    const std::string caps = caps_of("NV12", s.width, s.height, "(memory:CUDAMemory)");
    e.caps(caps);
    ours.caps(caps);
    theirs.caps(caps);
    for (int n = 0; n < frames; n++) {
      CudaFrames &source = n < frames / 2 ? ours : theirs;
      fail_unless_equals_int(e.push(source.buffer(frame_of("NV12", s, n), n)), GST_FLOW_OK);
      GstBuffer *b = e.pull();
      fail_unless(scores_of(b) == want[std::size_t(n)], "frame %d", n);
      gst_buffer_unref(b);
    }
    fail_unless_equals_uint64(e.stat("frames"), frames);
  }
  gst_context_unref(context);
}
GST_END_TEST

GST_START_TEST(the_primary_context_stays_asleep) {
  const Model m;
  in_cuda_memory(m, "async-depth=2", "NV12", {96, 72});
  fail_if(cuda_primary_context_active(0), "something made the device's primary context");
}
GST_END_TEST

int main(int argc, char **argv) {
  if (skipped_without_cuda("gpufisher on CUDA")) return 77;
  gst_cuda_load_library();
  Suite *suite = suite_create("gpufisher-cuda");
  TCase *tests = tcase_create("cuda");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, scores_are_those_of_the_cpu);
  tcase_add_test(tests, motion_is_that_of_the_cpu);
  tcase_add_test(tests, depth_gives_the_same_bits);
  tcase_add_test(tests, a_model_is_changed_while_playing);
  tcase_add_test(tests, frames_of_another_context_are_followed);
  tcase_add_test(tests, the_primary_context_stays_asleep);
  return run(suite, argc, argv);
}
