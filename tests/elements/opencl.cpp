// SPDX-License-Identifier: LGPL-2.1-or-later
// What all OpenCL elements must bear: missing devices, kernels that cannot be built, caches that cannot be
// written, changes of all kinds while they play. Each test runs in a process of its own, and so meets OpenCL
// for the first time.
#include "common/opencl/choose.h"
#include "tests/elements/fixture.h"
#include "vigil-config.h"

#include <atomic>
#include <filesystem>
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <random>
#include <thread>
#include <tuple>

using namespace vigil;
using namespace vigil::test;

namespace {

// The elements, each with settings with which it works on every frame.
constexpr struct {
  const char *name, *settings, *live_property;
  const char *formats[3]; // some that it takes
} elements[] = {
    {"clhistogram", "overlay=true", "overlay", {"NV12", "GRAY8", "I420"}},
    {"clbilateral", "", "range-sigma", {"NV12", "GRAY8", "P010_10LE"}},
    {"clfilter", "chain=\"median ! gamma value=1.5\" tune=off", "chain", {"BGRx", "GRAY8", "BGRA"}},
};
constexpr int element_count = int(std::size(elements));
constexpr int width = 64, height = 48;

struct Cl : Harness {
  explicit Cl(int i, const std::string &settings = "")
      : Harness(std::string(elements[i].name) + " " + elements[i].settings + " " + settings) {}
};

Picture frame(int n, const char *format, int w = width, int h = height) {
  return scene(format, w, h, n);
}

// The text of the error with which an element does not reach READY.
std::string refused(const char *name, const char *device = nullptr) {
  GstElement *e = gst_element_factory_make(name, nullptr);
  gst_object_ref_sink(e);
  if (device) g_object_set(e, "device", device, nullptr);
  const std::string words = not_found(e);
  gst_object_unref(e);
  return words;
}

bool says(const std::string &words, const char *part) {
  return words.find(part) != std::string::npos;
}

std::atomic<int> warnings; // of what OpenCL elements share
void count_warnings(GstDebugCategory *c, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *,
                    GstDebugMessage *, gpointer) {
  if (level == GST_LEVEL_WARNING && g_str_equal(gst_debug_category_get_name(c), "vigiltransform")) warnings++;
}

// What a property is to be from one second on: its range's other end.
GstControlBinding *numbers_by_time(GstElement *e, const char *property) {
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  auto *values = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  gst_timed_value_control_source_set(values, 0, 0.);
  gst_timed_value_control_source_set(values, GST_SECOND, 1.);
  GstControlBinding *binding = gst_direct_control_binding_new(GST_OBJECT(e), property, source);
  gst_object_unref(source);
  return binding;
}

// GStreamer's own control sources know only numbers; a text is bound as an application would.
struct TextBinding {
  GstControlBinding parent;
};
struct TextBindingClass {
  GstControlBindingClass parent_class;
};
G_DEFINE_TYPE(TextBinding, text_binding, GST_TYPE_CONTROL_BINDING)
gboolean sync_text(GstControlBinding *b, GstObject *object, GstClockTime time, GstClockTime) {
  g_object_set(object, b->name, time < GST_SECOND ? "invert" : "gamma value=3", nullptr);
  return TRUE;
}
void text_binding_class_init(TextBindingClass *klass) {
  GST_CONTROL_BINDING_CLASS(klass)->sync_values = sync_text;
}
void text_binding_init(TextBinding *) {}
GstControlBinding *texts_by_time(GstElement *e, const char *property) {
  return GST_CONTROL_BINDING(g_object_new(text_binding_get_type(), "object", e, "name", property, nullptr));
}

std::string name_of_device(Harness &e) {
  GstStructure *stats = nullptr;
  g_object_get(e.get(), "stats", &stats, nullptr);
  const std::string name = gst_structure_get_string(stats, "device");
  gst_structure_free(stats);
  return name;
}

} // namespace

GST_START_TEST(no_platform_names_the_package) {
  const Folder empty;
  g_setenv("OCL_ICD_VENDORS", (empty / "").c_str(), TRUE);
  if (!cl_candidates().empty()) {
    g_printerr("SKIP: this OpenCL loader does not look at OCL_ICD_VENDORS\n");
    return;
  }
#ifdef VIGIL_HAVE_CUDA
  if (std::string(elements[__i__].name) == "clbilateral" && why_no_cuda().empty()) {
    g_printerr("SKIP: clbilateral works in CUDA instead\n");
    return;
  }
#endif
  const std::string words = refused(elements[__i__].name);
  fail_unless(says(words, "pocl-opencl-icd"), "%s", words.c_str());
}
GST_END_TEST

GST_START_TEST(a_device_that_is_not_there_lists_those_that_are) {
  Cl e(__i__); // shows that there is one
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  e.push(frame(0, elements[__i__].formats[0]), 0);
  const std::string there = name_of_device(e);
  const std::string first = there.substr(0, there.find(','));
  for (const char *device : {"no such thing", "99", "123456789012345678901234567890"}) {
    const std::string words = refused(elements[__i__].name, device);
    fail_unless(says(words, device) && says(words, first.c_str()), "%s", words.c_str());
  }
}
GST_END_TEST

GST_START_TEST(devices_are_chosen_by_number_and_name) {
  std::string name;
  for (const char *device : {"", "0"}) {
    Cl e(__i__, *device ? std::string("device=") + device : "");
    e.caps(caps_of(elements[__i__].formats[0], width, height));
    fail_unless_equals_int(e.push(frame(0, elements[__i__].formats[0]), 0), GST_FLOW_OK);
    name = name_of_device(e);
  }
  Cl e(__i__, "device=\"" + name.substr(2, 5) + "\"");
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  fail_unless_equals_int(e.push(frame(0, elements[__i__].formats[0]), 0), GST_FLOW_OK);
  fail_unless(name_of_device(e) == name);
}
GST_END_TEST

// PoCL compiles into a folder of its own: when that is taken away, no kernel can be built.
GST_START_TEST(a_kernel_that_cannot_be_built_is_an_error_with_its_log) {
  const Folder folder;
  const std::string theirs = folder / "theirs";
  g_setenv("POCL_CACHE_DIR", theirs.c_str(), TRUE);
  g_setenv("XDG_CACHE_HOME", (folder / "ours").c_str(), TRUE);
  Cl e(__i__);
  std::filesystem::remove_all(theirs);
  write_bytes(theirs, {1});
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  if (e.push(frame(0, elements[__i__].formats[0]), 0) == GST_FLOW_OK) {
    g_printerr("SKIP: this OpenCL builds without PoCL's folder\n");
    return;
  }
  GstMessage *m = e.message(GST_MESSAGE_ERROR);
  fail_unless(m != nullptr, "there is no error message");
  GError *error = nullptr;
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(error->domain == GST_RESOURCE_ERROR, "%s", error->message);
  const std::string words = error->message;
  const std::size_t log = words.find("):\n"); // after the program's name, the device and the options
  fail_unless(says(words, " does not compile for ") && log != std::string::npos && log + 3 < words.size(),
              "%s", error->message);
  g_error_free(error);
  gst_message_unref(m);
}
GST_END_TEST

GST_START_TEST(a_cache_that_cannot_be_written_is_no_error) {
  const Folder folder;
  write_bytes(folder / "in-the-way", {1});
  g_setenv("XDG_CACHE_HOME", (folder / "in-the-way").c_str(), TRUE);
  g_setenv("POCL_CACHE_DIR", (folder / "theirs").c_str(), TRUE); // PoCL itself does not start without
  gst_debug_set_threshold_for_name("vigiltransform", GST_LEVEL_WARNING);
  warnings = 0;
  (gst_debug_add_log_function)(count_warnings, nullptr, nullptr); // not the macro, which C++ does not take
  for (int turn = 0; turn < 2; turn++) {
    Cl e(__i__);
    e.caps(caps_of(elements[__i__].formats[0], width, height));
    fail_unless_equals_int(e.push(frame(0, elements[__i__].formats[0]), 0), GST_FLOW_OK);
    e.no_error();
  }
  fail_unless_equals_int(warnings, 1);
}
GST_END_TEST

GST_START_TEST(frames_that_are_too_small_are_an_error) {
  Cl e(__i__);
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  fail_unless_equals_int(e.push(gst_buffer_new_and_alloc(100)), GST_FLOW_ERROR);
  e.error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE);
  fail_unless_equals_int(e.push(frame(1, elements[__i__].formats[0]), 1), GST_FLOW_OK); // and it goes on
  gst_buffer_unref(e.pull());
}
GST_END_TEST

GST_START_TEST(the_end_before_the_first_frame) {
  Cl e(__i__, "async-depth=3");
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  Cl with_caps(__i__);
  with_caps.caps(caps_of(elements[__i__].formats[0], width, height));
  gst_harness_push_event(with_caps.harness(), gst_event_new_eos());
  e.no_error();
  with_caps.no_error();
}
GST_END_TEST

GST_START_TEST(depth_delays_frames_and_changes_nothing_else) {
  Cl now(__i__), later(__i__, "async-depth=3");
  for (Harness *e : {static_cast<Harness *>(&now), static_cast<Harness *>(&later)})
    e->caps(caps_of(elements[__i__].formats[0], width, height));
  for (int n = 0; n < 12; n++) {
    now.push(frame(n, elements[__i__].formats[0]), n);
    later.push(frame(n, elements[__i__].formats[0]), n);
    if (n < 3) fail_unless(!later.pull(), "frame %d came at once", n);
  }
  gst_harness_push_event(later.harness(), gst_event_new_eos());
  for (int n = 0; n < 12; n++) fail_unless(now.pull_bytes() == later.pull_bytes(), "frame %d differs", n);
  GstQuery *query = gst_query_new_latency();
  fail_unless(gst_pad_peer_query(later.harness()->sinkpad, query));
  GstClockTime min = 0;
  gst_query_parse_latency(query, nullptr, &min, nullptr);
  fail_unless_equals_uint64(min, 3 * GST_SECOND / 25);
  gst_query_unref(query);
}
GST_END_TEST

GST_START_TEST(sizes_and_formats_change_and_flushes_drop) {
  Cl e(__i__, "async-depth=2");
  const auto &formats = elements[__i__].formats;
  int out = 0;
  for (const auto &[format, w, h] : {std::tuple{formats[0], 64, 48},
                                     {"RGBA", 33, 7},
                                     {formats[1], 1, 1},
                                     {formats[2], 5, 3},
                                     {formats[0], 200, 100}}) {
    e.caps(caps_of(format, w, h));
    for (int n = 0; n < 3; n++) fail_unless_equals_int(e.push(frame(n, format, w, h), n), GST_FLOW_OK);
    while (GstBuffer *b = e.pull()) {
      gst_buffer_unref(b);
      out++;
    }
  }
  fail_unless_equals_int(out, 5 * 3 - 2); // the last two are held
  gst_harness_push_event(e.harness(), gst_event_new_flush_start());
  gst_harness_push_event(e.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.harness(), gst_event_new_segment(&segment));
  fail_unless(!e.pull(), "a frame from before the flush came out");
  for (int n = 0; n < 3; n++) fail_unless_equals_int(e.push(frame(n, formats[0], 200, 100), n), GST_FLOW_OK);
  GstBuffer *b = e.pull();
  fail_unless(b && GST_BUFFER_PTS(b) == 0);
  gst_buffer_unref(b);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(every_property_may_change_while_playing) {
  Cl e(__i__);
  e.caps(caps_of("RGBA", width, height));
  OwnProperties own(e.get());
  fail_unless(own.list.size() >= 4);
  int n = 0;
  for (GParamSpec *p : own.list)
    for (const std::string &value : values_of(p)) {
      if (g_str_equal(p->name, "device")) continue; // when it next starts
      e.set(p->name, value.c_str());
      fail_unless(e.push(frame(n, "RGBA"), n) == GST_FLOW_OK, "%s=%s", p->name, value.c_str());
      n++;
    }
  e.no_error();
}
GST_END_TEST

GST_START_TEST(live_properties_follow_controllers) {
  const char *name = elements[__i__].live_property;
  Cl e(__i__);
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), name);
  gst_object_add_control_binding(GST_OBJECT(e.get()), G_IS_PARAM_SPEC_STRING(spec)
                                                          ? texts_by_time(e.get(), name)
                                                          : numbers_by_time(e.get(), name));
  e.caps(caps_of("RGBA", width, height));
  const Picture p = frame(0, "RGBA");
  std::vector<std::uint8_t> seen[3];
  for (int i = 0; i < 3; i++) {
    e.push(p, i == 2 ? 30 : i); // 0, 0.04 and 1.2 s
    seen[i] = e.pull_bytes();
  }
  fail_unless(seen[0] == seen[1] && seen[1] != seen[2], "the picture does not follow %s", name);
}
GST_END_TEST

GST_START_TEST(other_threads_may_do_what_they_like) {
  Cl e(__i__);
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 2; seed++)
    threads.emplace_back([&, seed] {
      std::mt19937 rng(seed);
      OwnProperties own(e.get());
      while (!over) {
        GParamSpec *p = own.list[rng() % own.list.size()];
        const auto values = values_of(p);
        if (!g_str_equal(p->name, "radius")) e.set(p->name, values[rng() % values.size()].c_str());
        GstStructure *stats = nullptr;
        g_object_get(e.get(), "stats", &stats, nullptr);
        gst_structure_free(stats);
      }
    });
  for (int n = 0; n < 150; n++) {
    fail_unless_equals_int(e.push(frame(n, elements[__i__].formats[0]), n), GST_FLOW_OK);
    while (GstBuffer *b = e.pull()) gst_buffer_unref(b);
  }
  over = true;
  for (std::thread &t : threads) t.join();
  e.no_error();
}
GST_END_TEST

// Both share one device; each has its own pictures.
GST_START_TEST(two_work_side_by_side) {
  std::vector<std::uint8_t> alone[2];
  for (int k = 0; k < 2; k++) {
    Cl e(__i__);
    e.caps(caps_of(k ? "GRAY8" : "RGBA", 300 - k, 200));
    e.push(frame(k, k ? "GRAY8" : "RGBA", 300 - k, 200), 0);
    alone[k] = e.pull_bytes();
  }
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; k++)
    threads.emplace_back([&, k] {
      Cl e(__i__);
      e.caps(caps_of(k ? "GRAY8" : "RGBA", 300 - k, 200));
      bool same = true;
      for (int n = 0; n < 20; n++) {
        e.push(frame(k, k ? "GRAY8" : "RGBA", 300 - k, 200), n);
        same &= e.pull_bytes() == alone[k];
      }
      good += same;
    });
  for (std::thread &t : threads) t.join();
  fail_unless_equals_int(good, 2);
}
GST_END_TEST

// One buffer for two elements at once, and again and again for each.
GST_START_TEST(one_buffer_may_come_many_times) {
  const auto &of = elements[__i__];
  const std::string branch =
      std::string("queue ! ") + of.name + " " + of.settings + " async-depth=3 ! fakesink sync=false ";
  GError *error = nullptr;
  GstElement *pipeline =
      gst_parse_launch((std::string("videotestsrc num-buffers=1 ! imagefreeze num-buffers=40 ! "
                                    "video/x-raw,format=") +
                        of.formats[0] + " ! tee name=t t. ! " + branch + "t. ! " + branch)
                           .c_str(),
                       &error);
  fail_unless(pipeline && !error, "%s", error ? error->message : "");
  play_to_the_end(pipeline);
  gst_object_unref(pipeline);
}
GST_END_TEST

// On a device that shares the host's memory nothing is copied; on others each picture is, once in each
// direction.
GST_START_TEST(bytes_are_counted) {
  Cl e(__i__);
  e.caps(caps_of("RGBA", width, height));
  for (int n = 0; n < 4; n++) e.push(frame(n, "RGBA"), n);
  const std::uint64_t up = e.stat("bytes-host-to-device"), down = e.stat("bytes-device-to-host");
  if (name_of_device(e).find("Portable Computing Language") != std::string::npos) {
    fail_unless_equals_uint64(up, 0);
    fail_unless_equals_uint64(down, 0);
  } else {
    fail_unless_equals_uint64(up, 4 * 4 * width * height);
    fail_unless(down > 0 && down <= up);
  }
  fail_unless_equals_uint64(e.stat("frames"), 4);
}
GST_END_TEST

GST_START_TEST(frames_come_uncropped) {
  Cl e(__i__);
  e.caps(caps_of(elements[__i__].formats[0], width, height));
  e.takes_no_crops();
}
GST_END_TEST

#ifdef VIGIL_HAVE_CUDA
namespace {
bool has_cuda() {
  if (!why_no_cuda().empty()) return false;
  g_printerr("SKIP: this is about machines without a CUDA device\n");
  return true;
}
} // namespace

// CUDA memory is offered everywhere, before textures and system memory; without a device it is an error that
// says so, and no more than that.
GST_START_TEST(cuda_memory_without_a_device_is_an_error) {
  Cl e(__i__);
  const char *format = elements[__i__].formats[0];
  for (const char *pad : {"sink", "src"}) {
    GstCaps *caps = gst_pad_template_get_caps(gst_element_get_pad_template(e.get(), pad));
    const guint size = gst_caps_get_size(caps);
    fail_unless(size >= 2);
    fail_unless(gst_caps_features_contains(gst_caps_get_features(caps, 0), "memory:CUDAMemory"));
    fail_unless(gst_caps_features_is_equal(gst_caps_get_features(caps, size - 1),
                                           GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
    gst_caps_unref(caps);
  }
  if (has_cuda()) return;
  e.caps(caps_of(format, width, height, "(memory:CUDAMemory)"));
  const std::string words = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
  fail_unless(says(words, "NVIDIA"), "%s", words.c_str());
  fail_unless_equals_int(e.push(frame(0, format), 0), GST_FLOW_NOT_NEGOTIATED);
  e.caps(caps_of(format, width, height));
  fail_unless_equals_int(e.push(frame(1, format), 1), GST_FLOW_OK); // and it goes on
  e.pull_bytes();
}
GST_END_TEST

GST_START_TEST(a_backend_that_is_not_there_is_an_error) {
  Harness opencl("clbilateral backend=opencl"), automatic("clbilateral");
  for (Harness *e : {&opencl, &automatic}) {
    e->caps(caps_of("NV12", width, height));
    fail_unless_equals_int(e->push(frame(0, "NV12"), 0), GST_FLOW_OK);
    GstStructure *stats = nullptr;
    g_object_get(e->get(), "stats", &stats, nullptr);
    fail_unless_equals_string(gst_structure_get_string(stats, "backend"), "opencl");
    gst_structure_free(stats);
  }
  if (has_cuda()) return;
  GstElement *e = gst_parse_launch("clbilateral backend=cuda", nullptr);
  gst_object_ref_sink(e);
  not_found(e);
  gst_object_unref(e);
}
GST_END_TEST
#endif

int main(int argc, char **argv) {
  Suite *suite = suite_create("opencl");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
#define add(test) tcase_add_loop_test(tests, test, 0, element_count)
  add(no_platform_names_the_package);
  add(a_device_that_is_not_there_lists_those_that_are);
  add(devices_are_chosen_by_number_and_name);
  add(a_kernel_that_cannot_be_built_is_an_error_with_its_log);
  add(a_cache_that_cannot_be_written_is_no_error);
  add(frames_that_are_too_small_are_an_error);
  add(the_end_before_the_first_frame);
  add(depth_delays_frames_and_changes_nothing_else);
  add(sizes_and_formats_change_and_flushes_drop);
  add(every_property_may_change_while_playing);
  add(live_properties_follow_controllers);
  add(other_threads_may_do_what_they_like);
  add(two_work_side_by_side);
  add(one_buffer_may_come_many_times);
  add(bytes_are_counted);
  add(frames_come_uncropped);
#ifdef VIGIL_HAVE_CUDA
  add(cuda_memory_without_a_device_is_an_error);
  tcase_add_test(tests, a_backend_that_is_not_there_is_an_error);
#endif
  return run(suite, argc, argv);
}
