// SPDX-License-Identifier: LGPL-2.1-or-later
// What cudamog reports, and what operators of cameras tune: motion, light-jump, foreground-rate,
// learning-time, the ignore mask.
#include "tests/elements/fixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 160, height = 120;
const Rect person{40, 32, 16, 32}; // 512 pixels, 2.7 % of the picture

class Camera {
 public:
  // Without clean-up, so that counts are exact, and without what cudamog_scene.cpp tests.
  explicit Camera(const std::string &settings, int fps = 25)
      : element("median=0 open=0 close=0 detect-shadows=false exposure=off foreground-rate=1 light-jump=0 " +
                settings),
        fps_(fps) {
    element.caps(caps_of("GRAY8", width, height, "", fps));
  }
  // Shows `count` frames and returns the last mask.
  std::vector<std::uint8_t> show(int count, const std::vector<Rect> &objects = {}, int light = 0) {
    std::vector<std::uint8_t> mask;
    for (int i = 0; i < count; i++, number_++) {
      fail_unless_equals_int(
          element.push(scene("GRAY8", width, height, number_, objects, light), number_, fps_), GST_FLOW_OK);
      mask = element.pull_bytes();
    }
    return mask;
  }
  Element element;

 private:
  int fps_, number_ = 0;
};

double share(const std::vector<std::uint8_t> &mask, const Rect &r) {
  int count = 0;
  for (int y = r.y; y < r.y + r.height; y++)
    for (int x = r.x; x < r.x + r.width; x++) count += mask[y * width + x] == 255;
  return double(count) / (r.width * r.height);
}

std::uint64_t field(const GstStructure *s, const char *name) {
  guint64 v = 0;
  fail_unless(gst_structure_get_uint64(s, name, &v), "no field %s", name);
  return v;
}

} // namespace

GST_START_TEST(motion_begins_and_ends) {
  Camera camera("learning-rate=0.001 motion-threshold=0.01 motion-hold=400");
  camera.show(20);
  fail_unless(camera.element.events().empty(), "motion in an empty scene");
  camera.show(5, {person});
  GstMessage *m = camera.element.message(GST_MESSAGE_ELEMENT);
  fail_unless(m, "no message");
  const GstStructure *s = gst_message_get_structure(m);
  fail_unless_equals_string(gst_structure_get_name(s), "motion-begin");
  for (const char *name : {"running-time", "stream-time", "timestamp"})
    fail_unless_equals_uint64(field(s, name), 20 * 40 * GST_MSECOND);
  double fraction = 0;
  fail_unless(gst_structure_get_double(s, "changed-fraction", &fraction));
  fail_unless(std::abs(fraction - 512. / (width * height)) < 1e-9, "changed fraction is %f", fraction);
  const GValue *boxes = gst_structure_get_value(s, "boxes");
  fail_unless(GST_VALUE_HOLDS_ARRAY(boxes));
  fail_unless_equals_int(gst_value_array_get_size(boxes), 1);
  const GstStructure *box = gst_value_get_structure(gst_value_array_get_value(boxes, 0));
  int x = 0, y = 0, w = 0, h = 0;
  guint area = 0;
  fail_unless(gst_structure_get(box, "x", G_TYPE_INT, &x, "y", G_TYPE_INT, &y, "width", G_TYPE_INT, &w,
                                "height", G_TYPE_INT, &h, "area", G_TYPE_UINT, &area, nullptr));
  fail_unless(x == person.x && y == person.y && w == person.width && h == person.height && area == 512);
  gst_message_unref(m);

  camera.show(9); // 360 ms of quiet after the last frame with motion
  fail_unless(camera.element.events().empty(), "motion ended before motion-hold");
  camera.show(1, {person}); // still the same motion
  camera.show(9);
  fail_unless(camera.element.events().empty());
  camera.show(1);
  m = camera.element.message(GST_MESSAGE_ELEMENT);
  fail_unless(m, "no message");
  fail_unless(gst_structure_has_name(gst_message_get_structure(m), "motion-end"));
  fail_unless_equals_uint64(field(gst_message_get_structure(m), "quiet"), 400 * GST_MSECOND);
  gst_message_unref(m);
  fail_unless(camera.element.events().empty());
}
GST_END_TEST

GST_START_TEST(motion_that_does_not_last_is_no_event) {
  Camera camera("learning-rate=0.001 motion-threshold=0.01 motion-hold=0 motion-delay=120");
  camera.show(10);
  for (int i = 0; i < 3; i++) { // 40 ms a frame: never for longer than 80 ms
    camera.show(3, {person});
    camera.show(1);
  }
  fail_unless(camera.element.events().empty(), "motion of 80 ms was reported with motion-delay=120");
  camera.show(3, {person});
  fail_unless(camera.element.events().empty());
  camera.show(1, {person});
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-begin"});
  camera.show(1);
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-end"});
  camera.show(2, {person}); // too short again
  camera.element.set("motion-delay", "0");
  camera.show(1, {person});
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-begin"});
}
GST_END_TEST

GST_START_TEST(frames_further_apart_than_motion_delay_are_motion_one_by_one) {
  Camera camera("learning-rate=0.001 motion-threshold=0.01 motion-hold=0 motion-delay=40"); // 40 ms a frame
  camera.show(10);
  camera.show(1, {person});
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-begin"});
  camera.show(1);
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-end"});
  camera.element.set("motion-delay", "41");
  camera.show(1, {person});
  camera.show(1);
  fail_unless(camera.element.events().empty(), "one frame of 40 ms was motion with motion-delay=41");
}
GST_END_TEST

// Less than min-area, and so in no box: what counts is that it goes from place to place.
GST_START_TEST(who_passes_far_away_is_told) {
  const auto reported = [](const char *settings, bool walks) {
    Element e(std::string("median=0 detect-shadows=false exposure=off stabilize=off light-jump=0 "
                          "output=passthrough motion-threshold=0.002 ") +
              settings);
    e.caps(caps_of("GRAY8", width, height));
    for (int number = 0; number < 120; number++) {
      const Rect small{walks ? number - 40 : 40, 56, 5, 5};
      std::vector<Rect> objects;
      if (number >= 40 && (walks || number % 10 < 2)) objects.push_back(small);
      fail_unless_equals_int(e.push(scene("GRAY8", width, height, number, objects), number), GST_FLOW_OK);
      e.pull_bytes();
    }
    return e.events();
  };
  fail_unless((reported("", true) == std::vector<std::string>{"motion-begin"}));
  fail_unless(reported("motion-threshold=0.02", true).empty(),
              "more is asked for than the person covers in that time");
  fail_unless(reported("", false).empty(), "what comes and goes in its place does not pass");
  fail_unless(reported("foreground-rate=1", true).empty(), "outlines are not looked at");
}
GST_END_TEST

GST_START_TEST(level_has_hysteresis) {
  Camera camera("learning-rate=0.001 motion-threshold=0.02 motion-hold=0 min-area=10");
  const Rect small{40, 32, 16, 16}; // 1.3 %: less than the threshold, more than half of it
  camera.show(10);
  camera.show(5, {small});
  fail_unless(camera.element.events().empty());
  camera.show(2, {person});
  camera.show(5, {small});
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-begin"});
  camera.show(1);
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-end"});
}
GST_END_TEST

GST_START_TEST(the_end_of_the_stream_ends_motion) {
  Camera camera("learning-rate=0.001");
  camera.show(5);
  camera.show(5, {person});
  gst_harness_push_event(camera.element.harness(), gst_event_new_eos());
  camera.element.event_at("motion-begin", 5);
  camera.element.event_at("motion-end", 9);
}
GST_END_TEST

GST_START_TEST(messages_can_be_off) {
  Camera camera("learning-rate=0.001 post-messages=false light-jump=0.5");
  camera.show(5);
  camera.show(3, {person});
  camera.show(3, {}, 100);
  fail_unless(camera.element.events().empty());
}
GST_END_TEST

GST_START_TEST(each_light_jump_is_one_message) {
  for (const char *flow : {"", " group-size=4 async-depth=2"}) {
    Element e(std::string("exposure=off light-jump=0.5 motion-threshold=0.01") + flow);
    e.caps(caps_of("GRAY8", width, height));
    const auto show = [&](int from, int to, int light) {
      for (int n = from; n < to; n++) e.push(scene("GRAY8", width, height, n, {}, light), n);
    };
    show(0, 100, 0);
    show(100, 200, 90);
    show(200, 300, 0);
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    std::vector<std::uint8_t> mask;
    for (int n = 0; n < 300; n++) {
      mask = e.pull_bytes();
      if (n == 150 || n == 299)
        fail_unless(std::count(mask.begin(), mask.end(), 255) < width * height / 100,
                    "the new light was not learnt");
    }
    const auto events = e.events();
    fail_unless((events == std::vector<std::string>{"light-jump", "light-jump"}), "%d messages with '%s'",
                int(events.size()), flow);
  }
}
GST_END_TEST

GST_START_TEST(without_light_jump_it_is_motion) {
  Camera camera("learning-rate=0.001");
  camera.show(10);
  camera.show(2, {}, 90);
  fail_unless(camera.element.events() == std::vector<std::string>{"motion-begin"});
}
GST_END_TEST

GST_START_TEST(foreground_rate_keeps_who_stands_still) {
  Camera plain("learning-rate=0.02"), patient("learning-rate=0.02 foreground-rate=0.05 absorb-after=0"),
      never("learning-rate=0.02 foreground-rate=0 absorb-after=0");
  for (Camera *c : {&plain, &patient, &never}) {
    c->show(50);
    const auto first = c->show(1, {person});
    fail_unless(share(first, person) == 1);
  }
  fail_unless(share(plain.show(80, {person}), person) < 0.1, "a plain model should have absorbed the person");
  fail_unless(share(patient.show(80, {person}), person) > 0.9);
  fail_unless(share(never.show(300, {person}), person) > 0.9);
}
GST_END_TEST

// How many frames a thing must stand there until it is background.
static int absorbed_after(const std::string &settings, int fps) {
  Camera camera(settings, fps);
  camera.show(12 * fps); // the model is no longer young: 1 / (2 * frames) is less than the steady rate
  for (int n = 1; n <= 20 * fps; n++)
    if (share(camera.show(1, {person}), person) < 0.5) return n;
  return 0;
}

GST_START_TEST(learning_time_is_in_seconds) {
  const int slow = absorbed_after("learning-time=20", 5), fast = absorbed_after("learning-time=20", 25);
  fail_unless(slow > 0 && fast > 0, "it was never absorbed");
  fail_unless(std::abs(slow / 5. - fast / 25.) <= 0.45, "%d frames at 5 fps, %d at 25", slow, fast);
  // 0.9 of the weight is the background: -20 s * ln(0.9)
  fail_unless(std::abs(fast / 25. - 20 * -std::log(0.9)) < 0.5, "%d frames at 25 fps", fast);
}
GST_END_TEST

GST_START_TEST(a_frozen_model_stays) {
  Camera camera("");
  camera.show(30);
  camera.element.set("learning-rate", "0");
  camera.element.set("learning-time", "0.1");
  fail_unless(share(camera.show(200, {person}), person) == 1);
  camera.element.set("learning-rate", "-1");
  fail_unless(share(camera.show(60, {person}), person) == 0);
}
GST_END_TEST

GST_START_TEST(black_of_the_mask_is_ignored) {
  const Folder folder;
  const std::string path = folder / "mask.png";
  std::vector<std::uint8_t> grey(width * height, 255);
  for (int y = 0; y < height; y++) std::fill_n(grey.begin() + y * width, width / 2, 0);
  write_png(path, width, height, grey);
  Camera camera("learning-rate=0.001 motion-threshold=0.01 min-area=10 mask-location=" + path);
  camera.show(10);
  const Rect across{width / 2 - 8, 20, 16, 16}, ignored{10, 10, 40, 40};
  fail_unless_equals_float(share(camera.show(1, {ignored}), ignored), 0);
  fail_unless(camera.element.events().empty(), "motion in an ignored region");
  fail_unless_equals_float(share(camera.show(1, {across}), across), 0.5);
  GstMessage *m = camera.element.message(GST_MESSAGE_ELEMENT);
  fail_unless(m);
  double fraction = 0; // of the pixels that are watched
  gst_structure_get_double(gst_message_get_structure(m), "changed-fraction", &fraction);
  fail_unless(std::abs(fraction - 128. / (width * height / 2)) < 1e-9, "changed fraction is %f", fraction);
  gst_message_unref(m);
  camera.element.set("mask-location", "");
  fail_unless_equals_float(share(camera.show(1, {ignored}), ignored), 1);
}
GST_END_TEST

GST_START_TEST(bad_masks_are_errors) {
  const Folder folder;
  const std::string wrong = folder / "wrong.png", text = folder / "text.png", cut = folder / "cut.png";
  write_png(wrong, 10, 10, std::vector<std::uint8_t>(100, 255));
  write_bytes(text, {'h', 'e', 'l', 'l', 'o'});
  write_png(cut, width, height, std::vector<std::uint8_t>(width * height, 255));
  auto bytes = read_bytes(cut);
  bytes.resize(bytes.size() / 2);
  write_bytes(cut, bytes);

  for (const std::string &path : {folder / "missing.png", text, folder / "."}) { // at the start
    GstElement *e = gst_parse_launch(("cudamog backend=cpu mask-location=" + path).c_str(), nullptr);
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(e, bus);
    fail_unless_equals_int(gst_element_set_state(e, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    fail_unless(m, "no error for %s", path.c_str());
    gst_message_unref(m);
    gst_element_set_state(e, GST_STATE_NULL);
    gst_element_set_bus(e, nullptr);
    gst_object_unref(bus);
    gst_object_unref(e);
  }
  for (const std::string &path : {wrong, cut}) { // at the first frame
    Element e("mask-location=" + path);
    e.caps(caps_of("GRAY8", width, height));
    fail_unless_equals_int(e.push(scene("GRAY8", width, height, 0), 0), GST_FLOW_ERROR);
    const bool size = path == wrong;
    const std::string said =
        e.error(size ? GST_STREAM_ERROR : GST_RESOURCE_ERROR,
                size ? int(GST_STREAM_ERROR_WRONG_TYPE) : int(GST_RESOURCE_ERROR_OPEN_READ));
    fail_unless(said.find(path) != std::string::npos, "'%s' does not name the file", said.c_str());
    if (size)
      fail_unless(said.find("10x10") != std::string::npos && said.find("160x120") != std::string::npos);
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cudamog-motion");
  TCase *tests = tcase_create("motion");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, motion_begins_and_ends);
  tcase_add_test(tests, motion_that_does_not_last_is_no_event);
  tcase_add_test(tests, frames_further_apart_than_motion_delay_are_motion_one_by_one);
  tcase_add_test(tests, who_passes_far_away_is_told);
  tcase_add_test(tests, level_has_hysteresis);
  tcase_add_test(tests, the_end_of_the_stream_ends_motion);
  tcase_add_test(tests, messages_can_be_off);
  tcase_add_test(tests, each_light_jump_is_one_message);
  tcase_add_test(tests, without_light_jump_it_is_motion);
  tcase_add_test(tests, foreground_rate_keeps_who_stands_still);
  tcase_add_test(tests, learning_time_is_in_seconds);
  tcase_add_test(tests, a_frozen_model_stays);
  tcase_add_test(tests, black_of_the_mask_is_ignored);
  tcase_add_test(tests, bad_masks_are_errors);
  return run(suite, argc, argv);
}
