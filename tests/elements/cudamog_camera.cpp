// SPDX-License-Identifier: LGPL-2.1-or-later
// What cudamog says of the camera itself: covered, out of focus, moved; on drawn scenes whose times are
// known.
#include "tests/elements/fixture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::test;

namespace {

struct Said {
  std::string what; // camera-covered begin
  double at, since; // seconds of running time
  double shift_x = 0, shift_y = 0;
};

using Structure = std::unique_ptr<GstStructure, decltype(&gst_structure_free)>;

// The element messages of a scene of 320x240 at 8 frames a second. `after_seconds` calls act(element) once.
std::vector<Structure> messages_of(const std::string &scene, int seconds, const std::string &settings = "",
                                   double after_seconds = -1, void (*act)(GstElement *) = nullptr) {
  GError *error = nullptr;
  const std::string line = "scenetestsrc " + scene + " num-buffers=" + std::to_string(8 * seconds) +
                           " ! video/x-raw,format=I420,width=320,height=240,framerate=8/1 ! cudamog name=c "
                           "backend=" +
                           tested_backend() + " output=passthrough " + settings +
                           " ! appsink name=sink sync=false";
  GstElement *pipeline = gst_parse_launch(line.c_str(), &error);
  fail_unless(pipeline && !error, "%s: %s", line.c_str(), error ? error->message : "");
  GstElement *cudamog = gst_bin_get_by_name(GST_BIN(pipeline), "c"),
             *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (int n = 0;; n++) { // one frame at a time, so that what is done is done at its time
    GstSample *sample = nullptr;
    g_signal_emit_by_name(sink, "pull-sample", &sample);
    if (!sample) break;
    gst_sample_unref(sample);
    if (act && n == int(8 * after_seconds)) act(cudamog);
  }
  std::vector<Structure> all;
  while (GstMessage *m = gst_bus_pop(bus)) {
    fail_if(GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR, "%s", line.c_str());
    if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT)
      all.emplace_back(gst_structure_copy(gst_message_get_structure(m)), gst_structure_free);
    gst_message_unref(m);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  for (gpointer o : {gpointer(bus), gpointer(sink), gpointer(cudamog), gpointer(pipeline)})
    gst_object_unref(o);
  return all;
}

double time_of(const Structure &message) {
  guint64 at = 0;
  fail_unless(gst_structure_get_uint64(message.get(), "running-time", &at));
  return double(at) / GST_SECOND;
}

// What is said of the camera.
template <class... Args>
std::vector<Said> said_of(const Args &...args) {
  std::vector<Said> all;
  for (const Structure &m : messages_of(args...)) {
    const GstStructure *const s = m.get();
    if (!g_str_has_prefix(gst_structure_get_name(s), "camera-")) continue;
    guint64 since = 0;
    double agreement = -1;
    fail_unless(gst_structure_get(s, "since", G_TYPE_UINT64, &since, "agreement", G_TYPE_DOUBLE, &agreement,
                                  nullptr));
    fail_unless(agreement >= 0 && agreement <= 1);
    Said one{std::string(gst_structure_get_name(s)) + " " + gst_structure_get_string(s, "state"), time_of(m),
             double(since) / GST_SECOND};
    gst_structure_get(s, "shift-x", G_TYPE_DOUBLE, &one.shift_x, "shift-y", G_TYPE_DOUBLE, &one.shift_y,
                      nullptr);
    all.push_back(one);
  }
  return all;
}

std::string words(const std::vector<Said> &all) {
  std::string text;
  for (const Said &s : all) text += s.what + "@" + std::to_string(s.at) + " ";
  return text;
}

// Seconds of the scenes' own stories (common/scene/trials.cpp), with quiet=5: the first five seconds are
// those in which a view is learnt.
constexpr double quiet = 5;

} // namespace

GST_START_TEST(a_lens_that_is_covered) {
  const auto said = said_of("scene=covered quiet=5", 25);
  fail_unless(said.size() == 2, "%s", words(said).c_str());
  fail_unless(said[0].what == "camera-covered begin" && said[1].what == "camera-covered end", "%s",
              words(said).c_str());
  fail_unless(said[0].since >= quiet + 8 && said[0].since <= quiet + 9.5, "%s", words(said).c_str());
  fail_unless(said[0].at <= quiet + 12, "%s", words(said).c_str());
  fail_unless(said[1].at >= quiet + 11 && said[1].at <= quiet + 14, "%s", words(said).c_str());
}
GST_END_TEST

// By 4 degrees to the right and 1.5 up: the content goes 23 pixels to the left and 8.6 down.
GST_START_TEST(a_camera_that_is_turned) {
  const auto said = said_of("scene=moved quiet=5", 35);
  fail_unless(said.size() == 2, "%s", words(said).c_str());
  fail_unless(said[0].what == "camera-moved begin" && said[1].what == "camera-moved end", "%s",
              words(said).c_str());
  fail_unless(std::abs(said[0].since - (quiet + 12)) <= 1 && said[0].at <= quiet + 12 + 7, "%s",
              words(said).c_str());
  fail_unless(said[1].at <= said[0].at + 7, "%s", words(said).c_str());
  fail_unless(std::abs(said[0].shift_x + 23) < 4 && std::abs(said[0].shift_y - 8.6) < 4, "%f %f",
              said[0].shift_x, said[0].shift_y);
}
GST_END_TEST

// Three views in turn, 6 s each, after 2.6 s of the first one; nobody is there. Each is learnt once.
GST_START_TEST(a_camera_on_a_tour) {
  const auto begun_after_a_tour = [](const char *settings) {
    int begun = 0;
    for (const Structure &m : messages_of("scene=pan-tilt density=0", 60, settings))
      begun += time_of(m) > 21 && gst_structure_has_name(m.get(), "motion-begin");
    return begun;
  };
  for (const char *settings : {"motion-delay=100", "motion-delay=100 async-depth=2"}) {
    const int with = begun_after_a_tour(settings);
    fail_unless(with == 0, "%s: %d times motion began where nobody is", settings, with);
  }
  const int without = begun_after_a_tour("motion-delay=100 watch-camera=false");
  fail_unless(without > 0, "without known views motion did not begin, so this test says nothing");
}
GST_END_TEST

GST_START_TEST(a_camera_out_of_focus) {
  const auto said = said_of("scene=defocused quiet=5", 40);
  fail_unless(said.size() == 2, "%s", words(said).c_str());
  fail_unless(said[0].what == "camera-blurred begin" && said[1].what == "camera-blurred end", "%s",
              words(said).c_str());
  fail_unless(said[0].at >= quiet + 12 + 8 && said[0].at <= quiet + 13 + 9, "%s", words(said).c_str());
  fail_unless(said[1].at >= quiet + 24 && said[1].at <= quiet + 28, "%s", words(said).c_str());
}
GST_END_TEST

GST_START_TEST(nothing_is_said_of_a_good_camera) {
  for (const char *scene : {"street", "indoor", "light-switch", "camouflage", "foliage", "crowd", "empty",
                            "auto-exposure", "white-balance", "parked-car", "traffic"}) {
    const auto said = said_of(std::string("scene=") + scene, 30);
    fail_unless(said.empty(), "%s: %s", scene, words(said).c_str());
  }
}
GST_END_TEST

GST_START_TEST(it_can_be_off) {
  fail_unless(said_of("scene=covered quiet=5", 25, "watch-camera=false").empty());
  fail_unless(said_of("scene=covered quiet=5", 25, "post-messages=false").empty());
  // While a lens is covered: that ends what goes on.
  const auto said = said_of("scene=covered quiet=5", 25, "", quiet + 11.5,
                            [](GstElement *e) { g_object_set(e, "watch-camera", FALSE, nullptr); });
  fail_unless(said.size() == 2 && said[1].what == "camera-covered end" && said[1].at <= quiet + 12.5, "%s",
              words(said).c_str());
}
GST_END_TEST

GST_START_TEST(the_end_of_the_stream_ends_it) {
  const auto said = said_of("scene=defocused quiet=5", 28);
  fail_unless(said.size() == 2 && said[1].what == "camera-blurred end", "%s", words(said).c_str());
}
GST_END_TEST

static Suite *cudamog_camera_suite() {
  Suite *suite = suite_create("cudamog-camera");
  TCase *tests = tcase_create("camera");
  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 200); // of each, on a machine with much to do
  tcase_add_test(tests, a_lens_that_is_covered);
  tcase_add_test(tests, a_camera_that_is_turned);
  tcase_add_test(tests, a_camera_on_a_tour);
  tcase_add_test(tests, a_camera_out_of_focus);
  tcase_add_test(tests, nothing_is_said_of_a_good_camera);
  tcase_add_test(tests, it_can_be_off);
  tcase_add_test(tests, the_end_of_the_stream_ends_it);
  return suite;
}
int main(int argc, char **argv) {
  if (tested_backend() == "cuda" && skipped_without_cuda("cudamog-camera")) return 77;
  if (tested_backend() == "gl" && skipped_without_gl("cudamog-camera")) return 77;
  return run(cudamog_camera_suite(), argc, argv);
}
