// SPDX-License-Identifier: LGPL-2.1-or-later
// What must not break cudamog: properties that change while it plays, several threads, missing devices, state
// cycles.
#include "gst/transform/compute_selector.h"
#include "tests/elements/fixture.h"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 64, height = 48;

bool have_device() {
  return why_no_cuda().empty();
}

Picture frame(int n) {
  return scene("NV12", width, height, n, {{n % 40, 10, 12, 12}});
}

} // namespace

GST_START_TEST(every_property_may_change_while_playing) {
  Element e;
  e.caps(caps_of("NV12", width, height));
  int n = 0;
  const OwnProperties properties(e.get());
  fail_unless(properties.list.size() > 30);
  for (GParamSpec *p : properties.list)
    for (const std::string &value : values_of(p)) {
      e.set(p->name, value.c_str());
      for (int i = 0; i < 2; i++, n++) fail_unless_equals_int(e.push(frame(n), n), GST_FLOW_OK);
      while (GstBuffer *b = e.pull()) gst_buffer_unref(b);
      e.no_error();
    }
}
GST_END_TEST

GST_START_TEST(every_property_reads_as_it_was_set) {
  Element e;
  const OwnProperties properties(e.get());
  for (GParamSpec *p : properties.list) {
    GValue set = G_VALUE_INIT, got = G_VALUE_INIT;
    g_value_init(&set, p->value_type);
    g_value_init(&got, p->value_type);
    for (const std::string &value : values_of(p)) {
      e.set(p->name, value.c_str());
      fail_unless(gst_value_deserialize(&set, value.c_str()) || G_VALUE_HOLDS_STRING(&set));
      g_object_get_property(G_OBJECT(e.get()), p->name, &got);
      fail_unless(G_VALUE_HOLDS_STRING(&set) || gst_value_compare(&set, &got) == GST_VALUE_EQUAL ||
                      G_VALUE_HOLDS_FLOAT(&set),
                  "%s did not become %s", p->name, value.c_str());
      if (G_VALUE_HOLDS_FLOAT(&set))
        fail_unless_equals_float(g_value_get_float(&set), g_value_get_float(&got));
    }
    fail_unless(*g_param_spec_get_blurb(p), "%s has no description", p->name);
    g_value_unset(&set);
    g_value_unset(&got);
  }
}
GST_END_TEST

GST_START_TEST(other_threads_may_do_what_they_like) {
  const Folder folder;
  const std::string path = folder / "model";
  Element e;
  e.caps(caps_of("NV12", width, height));
  std::atomic<bool> stop = false;
  std::thread hammer([&] {
    std::mt19937 rng(1);
    const OwnProperties properties(e.get());
    while (!stop) {
      GParamSpec *p = properties.list[rng() % properties.list.size()];
      const auto values = values_of(p);
      e.set(p->name, values[rng() % values.size()].c_str());
    }
  });
  std::thread signals([&] {
    while (!stop) {
      gboolean ok = FALSE;
      g_signal_emit_by_name(e.get(), "save-model", path.c_str(), &ok);
      g_signal_emit_by_name(e.get(), "load-model", path.c_str(), &ok);
      g_signal_emit_by_name(e.get(), "reset");
      e.stat("frames");
    }
  });
  for (int n = 0; n < 1500; n++) {
    const GstFlowReturn flow = e.push(frame(n), n);
    if (flow != GST_FLOW_OK) e.no_error();
    fail_unless_equals_int(flow, GST_FLOW_OK);
    while (GstBuffer *b = e.pull()) gst_buffer_unref(b);
  }
  stop = true;
  hammer.join();
  signals.join();
  e.no_error();
}
GST_END_TEST

GST_START_TEST(frames_that_are_too_small_are_an_error) {
  Element e;
  e.caps(caps_of("NV12", width, height));
  fail_unless_equals_int(e.push(frame(0), 0), GST_FLOW_OK);
  fail_unless_equals_int(e.push(gst_buffer_new_allocate(nullptr, 100, nullptr)), GST_FLOW_ERROR);
  e.error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE);
  fail_unless_equals_int(e.push(gst_buffer_new()), GST_FLOW_ERROR);
  fail_unless_equals_int(e.push(frame(1), 1), GST_FLOW_OK);
  fail_unless_equals_uint64(e.stat("model-frames"), 2);
}
GST_END_TEST

GST_START_TEST(frames_without_times_work) {
  Element e("learning-time=10 motion-hold=200");
  e.caps("video/x-raw, format=NV12, width=64, height=48, framerate=0/1");
  for (int n = 0; n < 60; n++) {
    const bool there = n >= 20 && n < 30;
    Picture p = scene("NV12", width, height, n,
                      there ? std::vector<Rect>{{n % 40, 10, 20, 20}} : std::vector<Rect>{});
    GstBuffer *b = p.buffer(n);
    GST_BUFFER_PTS(b) = GST_BUFFER_DURATION(b) = GST_CLOCK_TIME_NONE;
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
  }
  fail_unless((e.events() == std::vector<std::string>{"motion-begin", "motion-end"}));
}
GST_END_TEST

// What became of NULL to READY, and the message that tells why.
static std::string open_with(const char *settings, GstStateChangeReturn expected, GstMessageType type,
                             const std::string &element = "cudamog") {
  GstElement *e = gst_parse_launch((element + " " + settings).c_str(), nullptr);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(e, bus);
  fail_unless_equals_int(gst_element_set_state(e, GST_STATE_READY), expected);
  std::string said;
  int count = 0;
  while (GstMessage *m = gst_bus_pop_filtered(
             bus, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))) {
    GError *error = nullptr;
    fail_unless_equals_int(GST_MESSAGE_TYPE(m), type);
    if (type == GST_MESSAGE_ERROR)
      gst_message_parse_error(m, &error, nullptr);
    else
      gst_message_parse_warning(m, &error, nullptr);
    fail_unless(g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s",
                error->message);
    said = error->message;
    g_error_free(error);
    gst_message_unref(m);
    count++;
  }
  fail_unless_equals_int(count, 1);
  gst_element_set_state(e, GST_STATE_NULL);
  gst_element_set_bus(e, nullptr);
  gst_object_unref(bus);
  gst_object_unref(e);
  return said;
}

GST_START_TEST(a_device_that_does_not_exist) {
  const std::string said =
      open_with("backend=cuda cuda-device-id=200", GST_STATE_CHANGE_FAILURE, GST_MESSAGE_ERROR);
  fail_unless(said.find("backend=cpu") != std::string::npos, "'%s' does not say what to do", said.c_str());
  if (gst::is_gpu(nullptr)) // then OpenGL may serve, and the warning waits until it is tried
    g_print("SKIP: the warning of backend=auto: there is a GPU\n");
  else
    open_with("backend=auto cuda-device-id=200", GST_STATE_CHANGE_SUCCESS, GST_MESSAGE_WARNING);
  const std::string segmentation = open_with("backend=cuda cuda-device-id=200", GST_STATE_CHANGE_FAILURE,
                                             GST_MESSAGE_ERROR, "glcolinearseg");
  fail_unless(segmentation.find("backend=cpu") != std::string::npos, "'%s' does not say what to do",
              segmentation.c_str());
}
GST_END_TEST

GST_START_TEST(no_device_at_all) {
  if (have_device()) {
    g_print("SKIP: no_device_at_all: there is a CUDA device\n");
    return;
  }
  open_with("backend=cuda", GST_STATE_CHANGE_FAILURE, GST_MESSAGE_ERROR);
  if (gst::is_gpu(nullptr)) {
    g_print("SKIP: the warning of backend=auto: there is a GPU without CUDA\n");
    return;
  }
  open_with("", GST_STATE_CHANGE_SUCCESS, GST_MESSAGE_WARNING);
  Element e("backend=auto");
  e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, GST_MESSAGE_WARNING);
  GstCaps *caps = gst_pad_query_caps(GST_BASE_TRANSFORM_SINK_PAD(e.get()), nullptr);
  gchar *text = gst_caps_to_string(caps);
  fail_if(strstr(text, "CUDAMemory"), "frames in CUDA memory are offered without a device: %s", text);
  g_free(text);
  gst_caps_unref(caps);
  e.caps(caps_of("NV12", width, height));
  fail_unless_equals_int(e.push(frame(0), 0), GST_FLOW_OK);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cudamog-robust");
  TCase *tests = tcase_create("robust");
  tcase_set_timeout(tests, 240);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, every_property_may_change_while_playing);
  tcase_add_test(tests, every_property_reads_as_it_was_set);
  tcase_add_test(tests, other_threads_may_do_what_they_like);
  tcase_add_test(tests, frames_that_are_too_small_are_an_error);
  tcase_add_test(tests, frames_without_times_work);
  tcase_add_test(tests, a_device_that_does_not_exist);
  tcase_add_test(tests, no_device_at_all);
  return run(suite, argc, argv);
}
