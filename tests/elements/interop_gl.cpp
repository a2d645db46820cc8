// SPDX-License-Identifier: LGPL-2.1-or-later
// cudamog and gpufisher on frames in OpenGL textures: the same results as from system memory. The argument
// says where they work: `cpu` (OpenGL is whatever there is, and GStreamer downloads and uploads); `cuda`,
// where nothing may go through the host; or `elsewhere`, CUDA with an OpenGL that does not run on the GPU,
// where all goes through the host after one warning. Exits with 77 (skipped) where there is no device.
#include "common/device.h"
#include "kernels/fisher/model_file.h"
#include "tests/elements/fisher_meta.h"
#include "tests/elements/interop_line.h"
#include "tests/elements/random_model.h"
#include "tests/elements/slow_shader.h"

#include <algorithm>
#include <cstring>
#include <gst/gl/gl.h>

namespace vigil::test {
namespace {

std::string backend = "cpu";
bool elsewhere = false;
bool on_gpu() {
  return backend == "cuda" && !elsewhere;
}

std::string cudamog(const std::string &settings) {
  return "cudamog name=e backend=" + backend + " " + settings;
}

// The frames that come out, from system memory and from textures.
void expect_the_same(const std::string &settings, int width, int height, const char *format = "RGBA") {
  const auto pictures = street(format, width, height, 18);
  const std::string caps = caps_of(format, width, height);
  Line plain(cudamog(settings)), textures("glupload ! " + cudamog(settings) + " ! gldownload");
  plain.caps(caps);
  textures.caps(caps);
  const Frames want = plain.process(pictures), got = textures.process(pictures);
  fail_unless(textures.has_feature("sink", "memory:GLMemory") &&
              textures.has_feature("src", "memory:GLMemory"));
  for (std::size_t n = 0; n < want.size(); n++)
    fail_unless(want[n] == got[n], "%s, %dx%d: frame %d differs", settings.c_str(), width, height, int(n));
  const bool differ = std::any_of(want.begin(), want.end(), [&](auto &f) { return f != want.front(); });
  fail_unless(width < 60 || differ, "nothing was found: the comparison is worth nothing");
  const guint64 frames = guint64(pictures.size());
  const bool out = settings.find("passthrough") == settings.npos;
  if (on_gpu()) {
    fail_unless_equals_uint64(textures.stat("bytes-host-to-device"), 0);
    fail_unless_equals_uint64(textures.stat("bytes-device-to-host"), 0);
    fail_unless_equals_int(textures.count(GST_MESSAGE_WARNING), 0);
  } else {
    fail_unless(textures.stat("bytes-device-to-host") >= frames * guint64(width) * guint64(height));
    fail_unless((textures.stat("bytes-host-to-device") > 0) == (out || elsewhere));
    fail_unless_equals_int(textures.count(GST_MESSAGE_WARNING), elsewhere ? 1 : 0);
  }
}

GST_START_TEST(masks_are_those_of_system_memory) {
  for (const auto &[w, h] : {std::pair{160, 96}, {1, 1}, {33, 17}, {645, 363}}) expect_the_same("", w, h);
  for (const char *settings :
       {"method=mog", "color=false median=0", "async-depth=3", "group-size=4", "group-size=3 async-depth=2"})
    expect_the_same(settings, 150, 94);
  for (const char *format : {"NV12", "I420", "GRAY8", "P010_10LE"}) expect_the_same("min-area=20", 150, 94, format);
}
GST_END_TEST

GST_START_TEST(pictures_are_those_of_system_memory) {
  for (const char *output : {"foreground", "background", "overlay", "passthrough"})
    for (const char *flow : {"", " async-depth=2"})
      expect_the_same(std::string("min-area=20 output=") + output + flow, 150, 94);
}
GST_END_TEST

GST_START_TEST(masks_stay_when_the_size_changes) {
  Line plain(cudamog("")), textures("glupload ! " + cudamog("") + " ! gldownload");
  int number = 0;
  for (const auto &[w, h] : {std::pair{150, 94}, {33, 17}, {640, 360}, {150, 94}}) {
    const std::string caps = caps_of("RGBA", w, h);
    plain.caps(caps);
    textures.caps(caps);
    for (const Picture &p : street("RGBA", w, h, 8)) {
      plain.push(p, number);
      textures.push(p, number++);
      fail_unless(plain.bytes() == textures.bytes(), "%dx%d: another mask", w, h);
    }
  }
}
GST_END_TEST

GST_START_TEST(scores_are_those_of_system_memory) {
  const Folder folder;
  fisher::write_model(folder / "model", random_model(7, {"run", "fall"}));
  const std::string fisher =
      "gpufisher name=e backend=" + backend + " model-location=" + (folder / "model") + " ";
  for (const char *settings : {"", "async-depth=2"}) {
    Line plain(fisher + settings), textures("glupload ! " + fisher + settings + " ! gldownload");
    const auto pictures = street("RGBA", 96, 72, 6);
    for (Line *line : {&plain, &textures}) {
      line->caps(caps_of("RGBA", 96, 72));
      for (std::size_t n = 0; n < pictures.size(); n++)
        fail_unless_equals_int(line->push(pictures[n], int(n)), GST_FLOW_OK);
      line->end();
    }
    for (const Picture &p : pictures) {
      GstBuffer *a = plain.pull(), *b = textures.pull();
      fail_unless(scores_of(a) == scores_of(b), "other scores from textures");
      fail_unless(gst_buffer_memcmp(b, 0, p.bytes.data(), p.bytes.size()) == 0, "the picture was changed");
      gst_buffer_unref(a);
      gst_buffer_unref(b);
    }
    fail_unless(textures.has_feature("sink", "memory:GLMemory"));
    if (on_gpu()) fail_unless_equals_uint64(textures.stat("bytes-host-to-device"), 0);
  }
}
GST_END_TEST

// Frames that are still being drawn when they come: cudamog waits for them, and nobody draws into them while
// it reads.
GST_START_TEST(frames_are_finished_before_they_are_read) {
  const int w = on_gpu() ? 640 : 64, h = on_gpu() ? 360 : 48, loops = on_gpu() ? 30000 : 3000;
  const auto pictures = street("RGBA", w, h, 18);
  for (const char *settings : {"", "output=foreground async-depth=2"}) {
    Line plain(cudamog(settings)),
        textures("glupload ! glshader name=slow ! " + cudamog(settings) + " ! gldownload"),
        producer("glupload ! glshader name=slow ! identity name=e ! gldownload");
    for (Line *line : {&plain, &textures, &producer}) line->caps(caps_of("RGBA", w, h));
    slow_down(textures.named("slow"), loops);
    slow_down(producer.named("slow"), loops);
    const gint64 begin = g_get_monotonic_time();
    const Frames same = producer.process(pictures);
    const double ms = double(g_get_monotonic_time() - begin) / 1000 / double(pictures.size());
    g_print("the producer takes %.1f ms a frame\n", ms);
    for (std::size_t n = 0; n < same.size(); n++)
      fail_unless(same[n] == pictures[n].bytes, "the producer changes the picture");
    if (on_gpu()) fail_unless(ms >= 15, "too fast to show a missing wait: %f ms", ms);
    const Frames want = plain.process(pictures), got = textures.process(pictures);
    fail_unless(want == got, "%s: other pictures after a slow producer", settings);
  }
}
GST_END_TEST

// One OpenGL context in a row of elements, whichever asks for it first.
GST_START_TEST(one_context_for_all) {
  for (const bool backwards : {false, true}) {
    GError *error = nullptr;
    GstElement *pipeline =
        gst_parse_launch(("scenetestsrc num-buffers=8 ! video/x-raw,format=RGBA,width=160,height=120 ! "
                          "glupload name=first ! " +
                          cudamog("output=overlay") + " ! glcolorconvert name=last ! fakesink name=sink")
                             .c_str(),
                         &error);
    fail_unless(pipeline && !error, "%s", error ? error->message : "");
    std::vector<const char *> order = {"first", "e", "last"};
    if (backwards) std::reverse(order.begin(), order.end());
    for (const char *name : order) {
      GstElement *e = gst_bin_get_by_name(GST_BIN(pipeline), name);
      fail_unless(gst_element_set_state(e, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS);
      gst_object_unref(e);
    }
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstMessage *m = gst_bus_timed_pop_filtered(GST_ELEMENT_BUS(pipeline), 60 * GST_SECOND,
                                               GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    fail_unless(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS);
    gst_message_unref(m);
    GstGLContext *contexts[2] = {};
    const char *names[] = {"first", "last"};
    for (int i = 0; i < 2; i++) {
      GstElement *e = gst_bin_get_by_name(GST_BIN(pipeline), names[i]);
      g_object_get(e, "context", &contexts[i], nullptr);
      gst_object_unref(e);
    }
    fail_unless(contexts[0] && contexts[0] == contexts[1], "two OpenGL contexts in one row of elements");
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
    GstSample *sample = nullptr;
    g_object_get(sink, "last-sample", &sample, nullptr);
    GstMemory *memory = gst_buffer_peek_memory(gst_sample_get_buffer(sample), 0);
    fail_unless(gst_is_gl_memory(memory) && GST_GL_BASE_MEMORY_CAST(memory)->context == contexts[0],
                "the frame is of another OpenGL context");
    gst_sample_unref(sample);
    gst_object_unref(sink);
    for (GstGLContext *c : contexts) gst_object_unref(c);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
}
GST_END_TEST

// Wrong frames are an error that says so; nothing crashes.
GST_START_TEST(caps_that_promise_too_much) {
  GError *error = nullptr;
  GstElement *e = gst_parse_launch(cudamog("").c_str(), &error);
  fail_unless(e && !error);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(e, bus);
  gst_object_ref_sink(e);
  GstHarness *harness = gst_harness_new_with_element(e, "sink", "src");
  gst_harness_set_src_caps_str(
      harness, (caps_of("RGBA", 64, 48, "(memory:GLMemory)") + ", texture-target=(string)2D").c_str());
  fail_unless_equals_int(gst_harness_push(harness, scene("RGBA", 64, 48, 0).buffer(0)), GST_FLOW_ERROR);
  GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(m, "no error was posted");
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(std::strstr(error->message, "OpenGL memory"), "%s", error->message);
  g_error_free(error);
  gst_message_unref(m);
  gst_harness_teardown(harness);
  gst_element_set_bus(e, nullptr);
  gst_object_unref(bus);
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(states_cycle) {
  for (int i = 0; i < 20; i++) {
    Line line("glupload ! " + cudamog(i % 2 ? "async-depth=2" : "output=overlay") + " ! gldownload");
    line.caps(caps_of("RGBA", 64, 48));
    line.process(street("RGBA", 64, 48, 4));
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  if (argc > 1) backend = argv[1];
  elsewhere = backend == "elsewhere";
  if (elsewhere && skipped_without_egl_driver()) return 77;
  if (elsewhere) backend = "cuda";
  if (backend == "cuda") {
    if (skipped_without_cuda("OpenGL frames on CUDA")) return 77;
  }
  Suite *suite = suite_create("interop-gl");
  TCase *tests = tcase_create("gl");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, masks_are_those_of_system_memory);
  tcase_add_test(tests, pictures_are_those_of_system_memory);
  tcase_add_test(tests, masks_stay_when_the_size_changes);
  tcase_add_test(tests, scores_are_those_of_system_memory);
  tcase_add_test(tests, frames_are_finished_before_they_are_read);
  tcase_add_test(tests, one_context_for_all);
  tcase_add_test(tests, caps_that_promise_too_much);
  tcase_add_test(tests, states_cycle);
  return run(suite, 1, argv);
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
