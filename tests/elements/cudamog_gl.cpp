// SPDX-License-Identifier: LGPL-2.1-or-later
// cudamog in compute shaders of OpenGL, on whatever OpenGL there is: masks, boxes, pictures and models are
// the CPU's, frames in textures stay there, and what a driver or a neighbour does wrong is said.
#include "common/error.h"
#include "gst/memory/gl_thread.h"
#include "gst/transform/compute_selector.h"
#include "kernels/mog/state_file.h"
#include "tests/elements/gl_calls.h"
#include "tests/elements/gl_neighbour.h"
#include "tests/elements/interop_line.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gst/gl/gl.h>
#include <utility>

namespace vigil::test {
namespace {

constexpr int width = 100, height = 62; // llvmpipe is slow
constexpr double most_different = 1e-4; // of all bytes

std::string cudamog(const char *backend, const std::string &settings) {
  return std::string("cudamog name=e backend=") + backend + " " + settings;
}

// Frames and the boxes on them.
struct Seen {
  Frames frames;
  std::vector<std::string> boxes;
};

std::string boxes_of(GstBuffer *b) {
  std::string s;
  gpointer at = nullptr;
  while (auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(b, &at, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    s += text(" ", roi->x, ",", roi->y, " ", roi->w, "x", roi->h);
  return s;
}

Seen see(Line &line, const std::vector<Picture> &pictures, int first = 0) {
  Seen seen;
  for (std::size_t n = 0; n < pictures.size(); n++)
    fail_unless(line.push(pictures[n], first + int(n)) == GST_FLOW_OK, "frame %zu: %s", n,
                line.error().c_str());
  line.end();
  for (std::size_t n = 0; n < pictures.size(); n++) {
    GstBuffer *b = line.pull();
    seen.frames.push_back(bytes_of(line.harness(), b));
    seen.boxes.push_back(boxes_of(b));
    gst_buffer_unref(b);
  }
  return seen;
}

std::size_t differences(const std::vector<std::uint8_t> &a, const std::vector<std::uint8_t> &b) {
  fail_unless(a.size() == b.size(), "frames of other sizes");
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.size(); i++) n += a[i] != b[i];
  return n;
}

void expect_same(const Seen &want, const Seen &got, const std::string &what) {
  std::size_t different = 0, all = 0;
  fail_unless_equals_int(int(want.frames.size()), int(got.frames.size()));
  for (std::size_t n = 0; n < want.frames.size(); n++) {
    fail_unless(want.frames[n].size() == got.frames[n].size(), "%s: frame %zu is of another size",
                what.c_str(), n);
    for (std::size_t i = 0; i < want.frames[n].size(); i++)
      different += want.frames[n][i] != got.frames[n][i];
    all += want.frames[n].size();
    fail_unless(want.boxes[n] == got.boxes[n], "%s, frame %zu: boxes%s, on the CPU%s", what.c_str(), n,
                got.boxes[n].c_str(), want.boxes[n].c_str());
  }
  fail_unless(double(different) <= most_different * double(all), "%s: %zu of %zu bytes differ", what.c_str(),
              different, all);
}

bool has_boxes(const Seen &s) {
  return std::any_of(s.boxes.begin(), s.boxes.end(), [](const std::string &b) { return !b.empty(); });
}

// Whether GStreamer's own elements keep pictures between memory and textures: those of 1.26.2 lose a row of
// NV12 and I420 where the height is odd.
bool textures_keep(const std::vector<Picture> &pictures, const std::string &caps) {
  Line memory("identity name=e"), textures("glupload ! identity name=e ! gldownload");
  memory.caps(caps);
  textures.caps(caps);
  return see(memory, pictures).frames == see(textures, pictures).frames;
}

// The same street on the CPU and in OpenGL, from system memory, and from textures where they are of the
// format.
void expect_the_cpus(const std::string &settings, const char *format, int w, int h, bool textures) {
  const auto pictures = street(format, w, h, 12);
  const std::string what = text(settings, " ", format, " ", w, "x", h);
  const auto seen_by = [&](const std::string &description) {
    Line line(description);
    line.caps(caps_of(format, w, h));
    Seen seen = see(line, pictures);
    const bool host = description.find("glupload") == description.npos,
               gl = description.find("backend=gl") != description.npos,
               made = description.find("passthrough") == description.npos;
    if (gl && host) { // each frame is uploaded, and what is made of it downloaded
      fail_unless(line.stat("bytes-host-to-device") > 0, "%s: nothing was uploaded", what.c_str());
      fail_unless((line.stat("bytes-device-to-host") > 0) == made, "%s: bytes to the host", what.c_str());
    }
    if (gl && !host) {
      fail_unless(line.has_feature("sink", "memory:GLMemory") && line.has_feature("src", "memory:GLMemory"));
      fail_unless_equals_uint64(line.stat("bytes-host-to-device"), 0);
      fail_unless_equals_uint64(line.stat("bytes-device-to-host"), 0);
    }
    fail_unless_equals_int(line.count(GST_MESSAGE_WARNING), 0);
    return seen;
  };
  const Seen want = seen_by(cudamog("cpu", settings));
  fail_unless(w < 60 || has_boxes(want), "%s: nothing was found: the comparison is worth nothing",
              what.c_str());
  expect_same(want, seen_by(cudamog("gl", settings)), what);
  if (textures && !textures_keep(pictures, caps_of(format, w, h)))
    g_print("SKIP: %s: glupload and gldownload alone change the picture\n", what.c_str());
  else if (textures)
    expect_same(want, seen_by("glupload ! " + cudamog("gl", settings) + " ! gldownload"),
                what + ", textures");
}

// Whether cudamog takes textures of this format.
bool in_textures(std::string_view format) {
  return format == "RGBA" || format == "NV12" || format == "I420" || format == "GRAY8" ||
         format == "P010_10LE";
}

GST_START_TEST(masks_are_the_cpus) {
  for (const char *format : {"RGBA", "NV12", "I420", "GRAY8", "BGRx", "YV12", "P010_10LE"})
    expect_the_cpus("min-area=20", format, width, height, in_textures(format));
  for (const auto &[w, h] : {std::pair{1, 1}, {33, 17}, {205, 123}})
    expect_the_cpus("min-area=20", w == 33 ? "NV12" : "RGBA", w, h, true);
}
GST_END_TEST

GST_START_TEST(settings_are_the_cpus) {
  for (const char *settings :
       {"method=mog", "color=false median=0 async-depth=3", "group-size=3 async-depth=2", "stage-times=true"})
    expect_the_cpus(std::string("min-area=20 ") + settings, "RGBA", width, height, true);
}
GST_END_TEST

GST_START_TEST(pictures_are_the_cpus) {
  for (const char *output : {"foreground", "background", "overlay", "passthrough"})
    expect_the_cpus(std::string("min-area=20 async-depth=2 output=") + output, "RGBA", width, height, true);
  expect_the_cpus("min-area=20 output=overlay", "I420", width, height, true);
  expect_the_cpus("min-area=20 output=passthrough", "P010_10LE", width, height, true);
}
GST_END_TEST

GST_START_TEST(size_and_format_may_change) {
  constexpr std::size_t most_of_a_frame = 2;
  Line want(cudamog("cpu", "")), got(cudamog("gl", "")),
      textures("glupload ! " + cudamog("gl", "") + " ! gldownload");
  int number = 0;
  for (const auto &[w, h, format] :
       {std::tuple{100, 62, "NV12"}, {33, 17, "RGBA"}, {205, 123, "GRAY8"}, {100, 62, "I420"}}) {
    for (Line *line : {&want, &got}) line->caps(caps_of(format, w, h));
    textures.caps(caps_of("RGBA", w, h));
    Line plain(cudamog("cpu", ""));
    plain.caps(caps_of("RGBA", w, h));
    for (int n = 0; n < 8; n++, number++) {
      const Picture p = street(format, w, h, 12)[std::size_t(n)],
                    rgba = street("RGBA", w, h, 12)[std::size_t(n)];
      fail_unless(want.push(p, number) == GST_FLOW_OK && got.push(p, number) == GST_FLOW_OK);
      std::size_t n_other = differences(want.bytes(), got.bytes());
      fail_unless(n_other <= most_of_a_frame, "%s %dx%d, frame %d: %zu pixels differ", format, w, h, n,
                  n_other);
      fail_unless(plain.push(rgba, number) == GST_FLOW_OK && textures.push(rgba, number) == GST_FLOW_OK);
      n_other = differences(plain.bytes(), textures.bytes());
      fail_unless(n_other <= most_of_a_frame, "textures of %dx%d, frame %d: %zu pixels differ", w, h, n,
                  n_other);
    }
  }
}
GST_END_TEST

// What one learnt the other goes on with.
GST_START_TEST(models_are_exchanged) {
  const auto learnt = street("NV12", width, height, 14), later = street("NV12", width, height, 8);
  for (const auto &[teacher, pupil] : {std::pair{"cpu", "gl"}, {"gl", "cpu"}}) {
    const Folder folder;
    const std::string model = " model-location=" + (folder / "model");
    {
      Line line(cudamog(teacher, model));
      line.caps(caps_of("NV12", width, height));
      see(line, learnt);
    }
    const auto written = read_bytes(folder / "model");
    Seen seen[2];
    for (int i = 0; i < 2; i++) {
      write_bytes(folder / "model", written);
      Line line(cudamog(i == 0 ? teacher : pupil, model));
      line.caps(caps_of("NV12", width, height));
      seen[i] = see(line, later);
      fail_unless(line.stat("model-frames") == learnt.size() + later.size(), "the model was not taken up");
      fail_unless_equals_int(line.count(GST_MESSAGE_WARNING), 0);
    }
    expect_same(seen[0], seen[1], text("a model of ", teacher, " on ", pupil));
  }
}
GST_END_TEST

// Saved while frames are under way, by the signal and by save-interval's way.
GST_START_TEST(a_model_is_saved_while_it_plays) {
  const Folder folder;
  Line line(cudamog("gl", "async-depth=2")), host(cudamog("cpu", "async-depth=2"));
  const auto pictures = street("NV12", width, height, 10);
  mog::State saved[2];
  int i = 0;
  for (Line *l : {&line, &host}) {
    l->caps(caps_of("NV12", width, height));
    for (int n = 0; n < 10; n++) {
      fail_unless(l->push(pictures[std::size_t(n)], n) == GST_FLOW_OK);
      if (n != 7) continue;
      gboolean good = FALSE;
      g_signal_emit_by_name(l->get(), "save-model", (folder / "now").c_str(), &good);
      fail_unless(good);
      saved[i++] = mog::read_file(folder / "now").state;
    }
    l->end();
  }
  fail_unless(saved[0].frames > 0 && saved[0].frames == saved[1].frames);
  std::size_t different = 0;
  for (std::size_t k = 0; k < saved[0].active.size(); k++) // in grey levels, of the heaviest components
    different += std::abs(saved[0].mean[k] - saved[1].mean[k]) > 0.5f;
  fail_unless(!saved[0].active.empty() && different * 1000 <= saved[0].active.size(),
              "%zu of %zu means differ", different, saved[0].active.size());
}
GST_END_TEST

GST_START_TEST(states_cycle) {
  for (int i = 0; i < 4; i++) {
    Line line((i % 3 ? "glupload ! " : "") + cudamog("gl", i % 2 ? "async-depth=2" : "output=overlay") +
              (i % 3 ? " ! gldownload" : ""));
    line.caps(caps_of("RGBA", 64, 48));
    line.process(street("RGBA", 64, 48, 4));
  }
}
GST_END_TEST

GstElement *parse(const std::string &description) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  fail_unless(pipeline && !error, "%s", error ? error->message : "");
  return pipeline;
}
GstElement *named(GstElement *bin, const char *name) {
  GstElement *e = gst_bin_get_by_name(GST_BIN(bin), name);
  gst_object_unref(e); // the bin has it
  return e;
}
guint64 stat_of(GstElement *e, const char *field) {
  GstStructure *stats = nullptr;
  g_object_get(e, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, field, &value), "stats has no %s", field);
  gst_structure_free(stats);
  return value;
}

GST_START_TEST(several_share_a_context) {
  GstElement *pipeline = parse(
      "scenetestsrc num-buffers=6 ! video/x-raw,format=RGBA,width=160,height=120 ! glupload ! tee "
      "name=t t. ! queue ! cudamog name=a backend=gl ! fakesink t. ! queue ! cudamog name=b backend=gl "
      "output=overlay ! glcolorconvert ! fakesink t. ! queue ! glcolinearseg backend=opengl ! fakesink");
  for (int i = 0; i < 2; i++) play_to_the_end(pipeline);
  gst_object_unref(pipeline);
}
GST_END_TEST

// Pixels that any element copies from textures to the host, and bytes that cudamog does.
GST_START_TEST(a_chain_stays_on_the_gpu) {
  gl_calls::watch();
  GstElement *pipeline =
      parse("scenetestsrc num-buffers=10 ! video/x-raw,format=RGBA,width=160,height=120 ! glupload ! "
            "cudamog name=e backend=gl output=overlay ! glcolinearseg name=seg backend=opengl report=false "
            "background-frames=2 ! fakesink name=sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *m = gst_bus_timed_pop_filtered(GST_ELEMENT_BUS(pipeline), 60 * GST_SECOND,
                                             GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS);
  gst_message_unref(m);
  for (const char *name : {"e", "seg"})
    for (const char *field : {"bytes-host-to-device", "bytes-device-to-host"})
      fail_unless_equals_uint64(stat_of(named(pipeline, name), field), 0);
  fail_unless_equals_uint64(stat_of(named(pipeline, "e"), "frames"), 10);
  fail_unless_equals_uint64(stat_of(named(pipeline, "e"), "model-frames"), 10);
  GstSample *sample = nullptr;
  g_object_get(named(pipeline, "sink"), "last-sample", &sample, nullptr);
  fail_unless(gst_is_gl_memory(gst_buffer_peek_memory(gst_sample_get_buffer(sample), 0)));
  gst_sample_unref(sample);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}
GST_END_TEST

GST_START_TEST(a_neighbour_leaves_a_mess) {
  const auto pictures = street("RGBA", width, height, 10);
  Line plain(cudamog("cpu", "output=overlay")),
      textures("glupload ! " + cudamog("gl", "output=overlay async-depth=0") + " ! gldownload");
  Neighbour neighbour(textures.get());
  for (Line *line : {&plain, &textures}) line->caps(caps_of("RGBA", width, height));
  const Seen want = see(plain, pictures);
  expect_same(want, see(textures, pictures), "after a mess");
  fail_unless_equals_int(neighbour.frames, 10);
  for (const GLenum name : neighbour.lost) ck_abort_msg("state 0x%x is not as the neighbour left it", name);
}
GST_END_TEST

// The element goes over to another context in the middle of the stream, and takes its model along. What later
// stages had found begins anew there.
GST_START_TEST(the_context_may_change) {
  const Folder folder;
  const auto pictures = street("NV12", width, height, 12);
  Line plain(cudamog("cpu", "async-depth=0")), gl(cudamog("gl", "async-depth=0"));
  for (Line *line : {&plain, &gl}) line->caps(caps_of("NV12", width, height));
  for (int n = 0; n < 12; n++) {
    if (n == 6) {
      GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
      GstGLDisplay *display = gst_gl_display_new();
      gst_context_set_gl_display(context, display);
      gst_element_set_context(gl.get(), context);
      gst_context_unref(context);
      gst_object_unref(display);
      for (const char *signal : {"save-model", "load-model"}) { // the same for the other one
        gboolean good = FALSE;
        g_signal_emit_by_name(plain.get(), signal, (folder / "model").c_str(), &good);
        fail_unless(good);
      }
    }
    fail_unless(plain.push(pictures[std::size_t(n)], n) == GST_FLOW_OK);
    fail_unless(gl.push(pictures[std::size_t(n)], n) == GST_FLOW_OK, "%s", gl.error().c_str());
    const std::size_t n_other = differences(plain.bytes(), gl.bytes());
    fail_unless(n_other <= 2, "frame %d: %zu pixels differ", n, n_other);
  }
  fail_unless_equals_uint64(gl.stat("model-frames"), 12);
}
GST_END_TEST

std::string refused_words(const std::string &settings, GQuark domain, int code) {
  Harness element("cudamog backend=gl " + settings);
  element.caps(caps_of("NV12", width, height));
  fail_if(element.push(scene("NV12", width, height, 0), 0) == GST_FLOW_OK, "the frame was taken");
  return element.error(domain, code);
}

GST_START_TEST(what_a_driver_lacks_is_said) {
  gl_calls::watch();
  const std::pair<GLenum, const char *> limits[] = {
      {GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, "compute shaders see 1 storage buffers"},
      {GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, "work groups have up to 1 invocations"},
      {GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, "work groups share up to 1 bytes"},
      {GL_MAJOR_VERSION, "OpenGL"}};
  for (const auto &[name, expected] : limits) {
    gl_calls::lowered = name;
    const std::string words = refused_words("", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
    fail_unless(words.find(expected) != words.npos && words.find("backend=cpu") != words.npos, "%s",
                words.c_str());
  }
  gl_calls::lowered = 0;
}
GST_END_TEST

GST_START_TEST(a_refused_shader_shows_its_log) {
  gl_calls::watch();
  gl_calls::word = "void main() {\n  int y = int(gl_GlobalInvocationID.y);";
  gl_calls::other_word = "#error made by the test\n";
  const std::string words = refused_words("", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  fail_unless(words.find("/gl/shaders/") != words.npos && words.find("does not compile") != words.npos &&
                  words.find("made by the test") != words.npos,
              "%s", words.c_str());
  gl_calls::word = nullptr;
}
GST_END_TEST

GST_START_TEST(wrong_results_are_noticed) {
  gl_calls::watch();
  gl_calls::word = "v = 255u;"; // where cleanup writes the mask
  gl_calls::other_word = "v = 254u;";
  const std::string words = refused_words("", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  fail_unless(words.find("computes other masks than the CPU") != words.npos, "%s", words.c_str());
  gl_calls::word = nullptr;
}
GST_END_TEST

GST_START_TEST(double_precision_is_refused) {
  const std::string words =
      refused_words("precision=double", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
  fail_unless(words.find("double precision") != words.npos, "%s", words.c_str());
}
GST_END_TEST

// A GPU that was reset is an error, and so is a model that is gone with it; the next start works.
GST_START_TEST(a_lost_context_is_an_error) {
  gl_calls::watch();
  const Folder folder;
  Harness element("cudamog backend=gl async-depth=0 model-location=" + (folder / "model"));
  element.caps(caps_of("NV12", width, height));
  for (int n = 0; n < 4; n++) {
    fail_unless_equals_int(element.push(scene("NV12", width, height, n), n), GST_FLOW_OK);
    gst_buffer_unref(element.pull());
  }
  gl_calls::reset = true;
  if (element.push(scene("NV12", width, height, 4), 4) == GST_FLOW_OK) {
    gl_calls::reset = false;
    g_print("SKIP: a_lost_context_is_an_error: the driver does not report resets\n");
    return;
  }
  const std::string words = element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  fail_unless(words.find("the GPU was reset") != words.npos, "%s", words.c_str());
  gst_element_set_state(element.get(), GST_STATE_NULL);
  const std::string warning =
      element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, GST_MESSAGE_WARNING);
  fail_unless(warning.find("the GPU was reset") != warning.npos, "%s", warning.c_str());
  gl_calls::reset = false;
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("again"));
  element.caps(caps_of("NV12", width, height));
  fail_unless_equals_int(element.push(scene("NV12", width, height, 5), 5), GST_FLOW_OK);
}
GST_END_TEST

// What backend=auto takes, on a machine without CUDA. `trial`: what trying the device does.
std::string automatic_choice(bool gpu, bool hardware, bool in_gl, void (*trial)(Device &), int &warnings) {
  GstElement *owner = gst_element_factory_make("identity", nullptr);
  gst_object_ref_sink(owner);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(owner, bus);
  std::string backend;
  {
    gst::ComputeSelector selector(
        owner,
        [=] {
          return gst::ComputeSelector::DeviceRequest{gst::ComputeChoice::automatic, {}, in_gl};
        },
        trial, [=](const Device *gl) { return gl ? hardware : gpu; });
    selector.open();
    const Picture p("NV12", 64, 48);
    selector.prepare({p.info, false, false});
    backend = name_of(selector.device_for({p.info, false, false}).backend());
    warnings = selector.take_warning() ? 1 : 0;
    while (GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING)) {
      gst_message_unref(m);
      warnings++;
    }
    selector.close();
  }
  gst_element_set_bus(owner, nullptr);
  gst_object_unref(bus);
  gst_object_unref(owner);
  return backend;
}

GST_START_TEST(auto_takes_a_gpu_that_works) {
  if (why_no_cuda().empty()) {
    g_print("SKIP: auto_takes_a_gpu_that_works: there is a CUDA device, which auto takes\n");
    return;
  }
  const auto works = [](Device &) {};
  const auto fails = [](Device &d) { fail(Error::Kind::device, d.name(), " computes nonsense"); };
  int warnings = 0;
  fail_unless(automatic_choice(true, true, true, works, warnings) == "gl" && warnings == 0);
  fail_unless(automatic_choice(true, true, true, fails, warnings) == "cpu" && warnings == 1);
  fail_unless(automatic_choice(true, false, true, works, warnings) == "cpu" && warnings == 1); // llvmpipe
  fail_unless(automatic_choice(false, true, true, works, warnings) == "cpu" && warnings == 1);
  fail_unless(automatic_choice(true, true, false, works, warnings) == "cpu" && warnings == 1);
}
GST_END_TEST

Suite *suite() {
  Suite *suite = suite_create("cudamog-gl");
  TCase *tests = tcase_create("gl");
  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 280);
  tcase_add_test(tests, masks_are_the_cpus);
  tcase_add_test(tests, settings_are_the_cpus);
  tcase_add_test(tests, pictures_are_the_cpus);
  tcase_add_test(tests, size_and_format_may_change);
  tcase_add_test(tests, models_are_exchanged);
  tcase_add_test(tests, a_model_is_saved_while_it_plays);
  tcase_add_test(tests, states_cycle);
  tcase_add_test(tests, several_share_a_context);
  tcase_add_test(tests, a_chain_stays_on_the_gpu);
  tcase_add_test(tests, a_neighbour_leaves_a_mess);
  tcase_add_test(tests, the_context_may_change);
  tcase_add_test(tests, what_a_driver_lacks_is_said);
  tcase_add_test(tests, a_refused_shader_shows_its_log);
  tcase_add_test(tests, wrong_results_are_noticed);
  tcase_add_test(tests, double_precision_is_refused);
  tcase_add_test(tests, a_lost_context_is_an_error);
  tcase_add_test(tests, auto_takes_a_gpu_that_works);
  return suite;
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::run(vigil::test::suite(), argc, argv);
}
