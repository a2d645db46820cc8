// SPDX-License-Identifier: LGPL-2.1-or-later
// What real cameras do to a model of the background, with the element's defaults: exposure that moves, poles
// that sway, a lens cap, pictures that change wholly, ghosts, people who wait. Never may a mistake lock
// itself in; how soon all is normal is tested.
#include "common/shifted.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <unistd.h>
#include <utility>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 160, height = 120;
const Rect person{40, 32, 16, 40};

class Camera {
 public:
  explicit Camera(const std::string &settings = "", const char *format = "GRAY8")
      : element("backend=" + tested_backend() + " async-depth=0 detect-shadows=false " + settings),
        format_(format) {
    element.caps(caps_of(format, width, height));
  }
  // One frame of the scene as a camera of this gain and offset sees it; gives the share of foreground.
  double show(double gain = 1, double offset = 0, const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, number_, objects);
    for (auto &v : p.bytes)
      v = static_cast<std::uint8_t>(std::clamp(std::lround(gain * v + offset), 0L, 255L));
    return push(p);
  }
  // The scene under a cloud that takes 0.45 of the light and has come to column `x`; its edge is 60 pixels
  // wide.
  double show_cloud(double x, const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, number_, objects);
    const Plane<std::uint8_t> plane = p.image().plane(0);
    for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++) {
        const double share = std::clamp((x - i) / 60, 0., 1.);
        plane.row(j)[i] = static_cast<std::uint8_t>(std::lround(plane.row(j)[i] * (1 - 0.45 * share)));
      }
    return push(p);
  }
  // Plates with edges of two pixels, of a camera that turns about the middle of its picture, by so many
  // degrees clockwise, and zooms in by so much of 1. Objects stay where they are in the picture.
  double show_turned(double degrees, double larger, const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, number_, objects);
    const Image image = p.image();
    const double angle = degrees * std::numbers::pi / 180, across = std::cos(angle) / (1 + larger),
                 aside = std::sin(angle) / (1 + larger);
    const auto bytes = static_cast<int>(row_bytes(image.format, 0, 1));
    for (int i = 1; i < plane_count(image.format); i++)
      for (int y = 0; y < plane_rows(i, height); y++)
        std::fill_n(image.plane(i).row(y), row_bytes(image.format, i, width), std::uint8_t{128});
    for (int y = 0; y < height; y++)
      for (int k = 0; k < bytes * width; k++) {
        std::uint8_t &sample = image.plane(0).row(y)[k];
        const double x = k / bytes - (width - 1) / 2., down = y - (height - 1) / 2.;
        const double u = across * x + aside * down, v = across * down - aside * x;
        const double level = 110 + 40 * std::clamp(4 * std::sin(u / 4), -1., 1.) +
                             20 * std::sin(u / 6.5 + v / 9) + 40 * std::clamp(4 * std::sin(v / 5), -1., 1.);
        if (sample != 230) sample = static_cast<std::uint8_t>(std::lround(level) + sample % 3);
      }
    return push(p);
  }
  // The scene of a camera that was pushed `x` pixels aside; what leaves at one side comes in at the other.
  // GRAY8.
  double show_shifted(int x) {
    Picture p = scene(format_, width, height, number_);
    const Plane<std::uint8_t> plane = p.image().plane(0);
    for (int y = 0; y < height; y++) std::rotate(plane.row(y), plane.row(y) + x, plane.row(y) + width);
    return push(p);
  }
  // The scene from a pole that sways: the same place lies (x, y) pixels further to the right and down,
  // objects with it, and what comes in at the border is part of the scene. Colour formats: even numbers.
  double show_swayed(Shift by, std::vector<Rect> objects = {}) {
    constexpr int border = 32;
    for (Rect &r : objects) {
      r.x += border;
      r.y += border;
    }
    Picture wide = scene(format_, width + 2 * border, height + 2 * border, number_, objects);
    Picture p(format_, width, height);
    const Image from = wide.image(), to = p.image();
    for (int i = 0; i < plane_count(to.format); i++) {
      const int part = i == 0 ? 1 : 2; // chroma has half of the rows and columns
      const std::ptrdiff_t pixel = row_bytes(to.format, i, 2) / (i == 0 ? 2 : 1);
      for (int y = 0; y < plane_rows(i, height); y++)
        std::copy_n(from.plane(i).row(y + (border - by.y) / part) + pixel * ((border - by.x) / part),
                    row_bytes(to.format, i, width), to.plane(i).row(y));
    }
    return push(p);
  }
  // Soft edges, on which a pixel makes little difference, shifted by `x`. GRAY8.
  double show_hills(int x) {
    Picture p = scene(format_, width, height, number_);
    const Plane<std::uint8_t> plane = p.image().plane(0);
    for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++) {
        const double u = i - x, v = j;
        const double level =
            120 + 30 * std::sin(u / 4) + 25 * std::sin(u / 6.5 + v / 9) + 30 * std::sin(v / 5);
        plane.row(j)[i] = static_cast<std::uint8_t>(std::lround(level) + plane.row(j)[i] % 3);
      }
    return push(p);
  }
  double show_again() { // the same bytes each time
    return push(scene(format_, width, height, 0));
  }
  double show_noise() {
    Picture p = scene(format_, width, height, number_);
    std::uint32_t r = static_cast<std::uint32_t>(number_) * 2654435761u + 1;
    for (auto &v : p.bytes) v = static_cast<std::uint8_t>((r = r * 1664525u + 1013904223u) >> 24);
    return push(p);
  }
  // One colour all over, with the scene's noise of 5 levels unless it is `pure`.
  double show_colour(int level, bool pure = false) {
    Picture p = scene(format_, width, height, number_), still = scene(format_, width, height, 0);
    for (std::size_t i = 0; i < p.bytes.size(); i++)
      p.bytes[i] =
          std::uint8_t(pure ? level : std::clamp(level + int(p.bytes[i]) - int(still.bytes[i]), 0, 255));
    return push(p);
  }
  // The scene with the shutter's blurred offsets, which a thermal core corrects itself by, still in it.
  double show_offset(int level, const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, number_, objects);
    const Plane<std::uint8_t> plane = p.image().plane(0);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        plane.row(y)[x] = std::uint8_t(std::clamp(plane.row(y)[x] + level + (x / 40 + y / 40) % 2, 0, 255));
    return push(p);
  }
  // Another place, which has nothing in common with the scene.
  double show_other_place() {
    Picture p = scene(format_, width, height, number_);
    std::reverse(p.bytes.begin(), p.bytes.end());
    for (auto &v : p.bytes) v = std::uint8_t(240 - v);
    return push(p);
  }
  // The scene under noise of a deviation, in levels: a sum of twelve uniform numbers.
  double show_noisy(double deviation, const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, 0, objects);
    std::uint32_t r = static_cast<std::uint32_t>(number_) * 2654435761u + 1;
    for (auto &v : p.bytes) {
      double sum = -6;
      for (int i = 0; i < 12; i++) sum += double((r = r * 1664525u + 1013904223u) >> 8) / 0x1p24;
      v = static_cast<std::uint8_t>(std::clamp(std::lround(v + deviation * sum), 0L, 255L));
    }
    return push(p);
  }
  // Four levels of grey: what lies between two of them flickers by a quarter of the range.
  double show_four_levels(const std::vector<Rect> &objects = {}) {
    Picture p = scene(format_, width, height, number_, objects);
    for (auto &v : p.bytes) v = static_cast<std::uint8_t>((v + 42) / 85 * 85);
    return push(p);
  }
  double within(const Rect &r) const {
    int count = 0;
    for (int y = r.y; y < r.y + r.height; y++)
      for (int x = r.x; x < r.x + r.width; x++) count += mask_[std::size_t(y * width + x)] == 255;
    return double(count) / (r.width * r.height);
  }
  // Frames of the plain scene until at most a hundredth of the mask is foreground; -1: not within `most`.
  int normal_after(int most, double gain = 1) {
    for (int n = 0; n < most; n++)
      if (show(gain) < 0.01) return n;
    return -1;
  }
  // As stats tell it.
  double exposure_gain(double *offset = nullptr) {
    GstStructure *stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    double gain = 0, shift = 0;
    fail_unless(gst_structure_get(stats, "exposure-gain", G_TYPE_DOUBLE, &gain, "exposure-offset",
                                  G_TYPE_DOUBLE, &shift, nullptr));
    gst_structure_free(stats);
    if (offset) *offset = shift;
    return gain;
  }
  const std::vector<std::uint8_t> &mask() const { return mask_; }
  Shift shift() { // as stats tell it
    GstStructure *stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    Shift s;
    fail_unless(gst_structure_get(stats, "shift-x", G_TYPE_INT, &s.x, "shift-y", G_TYPE_INT, &s.y, nullptr));
    gst_structure_free(stats);
    return s;
  }
  Element element;
  int ghosts = 0; // boxes of the last frame that say that they are one

 private:
  double push(const Picture &p) {
    fail_unless_equals_int(element.push(p, number_++), GST_FLOW_OK);
    GstBuffer *b = element.pull();
    fail_unless(b != nullptr, "no frame came");
    ghosts = 0;
    gpointer state = nullptr;
    while (GstMeta *m =
               gst_buffer_iterate_meta_filtered(b, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
      gboolean ghost = FALSE;
      gst_structure_get_boolean(gst_video_region_of_interest_meta_get_param(
                                    reinterpret_cast<GstVideoRegionOfInterestMeta *>(m), "blob"),
                                "ghost", &ghost);
      ghosts += ghost;
    }
    mask_ = element.bytes_of(b);
    gst_buffer_unref(b);
    return double(std::count(mask_.begin(), mask_.end(), 255)) / double(mask_.size());
  }
  const char *format_;
  int number_ = 0;
  std::vector<std::uint8_t> mask_;
};

} // namespace

GST_START_TEST(exposure_that_follows_someone_is_no_motion) {
  for (const char *format : {"GRAY8", "RGBA", "I420"}) {
    Camera with("", format), without("exposure=off light-jump=0", format);
    double most = 0, most_without = 0;
    for (int n = 0; n < 120; n++) {
      const double gain = n < 60 ? 1 : std::max(0.7, 1 - (n - 60) * 0.03);
      const double a = with.show(gain), b = without.show(gain);
      if (n < 60) continue;
      most = std::max(most, a);
      most_without = std::max(most_without, b);
    }
    fail_unless(most < 0.005, "%s: %f of the picture is foreground", format, most);
    fail_unless(most_without > 0.1, "%s: without, only %f is: the test shows nothing", format, most_without);
    fail_unless(with.element.events().empty(), "%s: motion was reported", format);
  }
}
GST_END_TEST

// With foreground-rate=1 outlines are not looked at.
GST_START_TEST(the_shadow_of_a_cloud_is_no_motion) {
  for (const char *format : {"GRAY8", "I420"}) {
    Camera with("", format), without("foreground-rate=1", format);
    const auto pass = [](Camera &camera) {
      for (int n = 0; n < 60; n++) camera.show();
      for (int n = 0; n < 40; n++) camera.show_cloud(5.5 * n);
      for (int n = 0; n < 40; n++) camera.show_cloud(220);
      for (int n = 39; n >= 0; n--) camera.show_cloud(5.5 * n);
    };
    pass(with);
    pass(without);
    fail_unless(!without.element.events().empty(), "%s: no motion without: the test shows nothing", format);
    fail_unless(with.element.events().empty(), "%s: motion was reported", format);
    for (int n = 0; n < 40; n++) with.show();
    for (int n = 0; n < 10; n++) with.show(1, 0, {person});
    fail_unless(with.within(person) > 0.9, "%s: only %f of a person who comes is seen", format,
                with.within(person));
    fail_unless(!with.element.events().empty(), "%s: a person who comes is not reported", format);
  }
}
GST_END_TEST

GST_START_TEST(who_comes_while_the_exposure_moves_is_seen) {
  Camera camera;
  for (int n = 0; n < 60; n++) camera.show();
  for (int n = 0; n < 20; n++) camera.show(0.75, 0, {person});
  fail_unless(camera.within(person) > 0.9, "only %f of the person is seen", camera.within(person));
  double offset = 0;
  const double gain = camera.exposure_gain(&offset);
  fail_unless(std::abs(gain * 120 + offset - 0.75 * 120) < 4, "gain %f, offset %f", gain, offset);
}
GST_END_TEST

// 30 frames is what light-jump promises; one more brings its news to the model.
GST_START_TEST(exposure_by_a_factor_of_four) {
  Camera camera;
  for (int n = 0; n < 100; n++) camera.show();
  const int darker = camera.normal_after(40, 0.25), back = camera.normal_after(40);
  fail_unless(darker >= 0 && back >= 0, "normal after %d and %d frames", darker, back);
}
GST_END_TEST

// Daylight that fades is no exposure: the model follows it, so that it does not watch the dusk with a picture
// of noon.
GST_START_TEST(light_that_fades_is_followed) {
  Camera camera;
  for (int n = 0; n < 60; n++) camera.show();
  double most = 0;
  for (int n = 0; n < 1800; n++) most = std::max(most, camera.show(std::max(0.8, 1 - n / 6000.)));
  fail_unless(most < 0.01, "%f of the picture was foreground while the light faded", most);
  const double gain = camera.exposure_gain();
  fail_unless(gain > 0.93, "the model still has the picture of %f of the light", gain);
}
GST_END_TEST

// What is learnt at once is no shadow of itself: a lamp, then the light of the whole room.
GST_START_TEST(a_light_after_a_light_is_told) {
  for (const char *format : {"GRAY8", "I420"})
    for (const char *ratio : {"", " background-ratio=0.95"}) {
      Camera camera(std::string("detect-shadows=true") + ratio, format);
      for (int n = 0; n < 100; n++) camera.show();
      for (int n = 0; n < 40; n++) camera.show_cloud(5.5 * n);
      fail_unless(camera.element.events().empty(), "%s%s: the cloud was reported", format, ratio);
      for (int n = 0; n < 5; n++) camera.show(0.1, 4);
      const std::vector<std::string> events = camera.element.events();
      fail_unless(events == std::vector<std::string>{"light-jump"}, "%s%s: %zu messages, first %s", format,
                  ratio, events.size(), events.empty() ? "none" : events[0].c_str());
    }
}
GST_END_TEST

// A light that was there before brings its background back: who stands there when it comes is seen at once.
GST_START_TEST(a_light_that_is_known_is_recalled) {
  Camera camera;
  for (int n = 0; n < 100; n++) camera.show();
  for (int n = 0; n < 100; n++) camera.show(0.1, 4);
  double rest = 0;
  for (int n = 0; n < 8; n++) rest = camera.show(1, 0, {person});
  const double share = double(person.width * person.height) / (width * height);
  fail_unless(camera.within(person) > 0.9, "only %f of the person is seen", camera.within(person));
  fail_unless(rest < share + 0.01, "%f of the picture is foreground, the person is %f", rest, share);
  for (int n = 0; n < 40; n++) camera.show(1, 0, {person});
  fail_unless(camera.within(person) > 0.9, "only %f of the person is left", camera.within(person));
}
GST_END_TEST

// So does a light that was there before a restart; reset forgets it.
GST_START_TEST(a_saved_model_brings_its_lights) {
  const Folder folder;
  const std::string path = folder / "model";
  for (const char *format : {"GRAY8", "I420", "RGBA"}) {
    Camera first("", format), again("", format), forgetful("", format);
    for (int n = 0; n < 100; n++) first.show();
    for (int n = 0; n < 100; n++) first.show(0.1, 4);
    gboolean done = FALSE;
    g_signal_emit_by_name(first.element.get(), "save-model", path.c_str(), &done);
    fail_unless(done, "%s: not saved", format);
    for (Camera *c : {&again, &forgetful}) {
      g_signal_emit_by_name(c->element.get(), "load-model", path.c_str(), &done);
      fail_unless(done, "%s: not loaded", format);
      for (int n = 0; n < 20; n++) c->show(0.1, 4);
    }
    g_signal_emit_by_name(forgetful.element.get(), "reset");
    for (int n = 0; n < 100; n++) forgetful.show(0.1, 4);
    for (int n = 0; n < 8; n++) again.show(1, 0, {person});
    for (int n = 0; n < 40; n++) forgetful.show(1, 0, {person});
    fail_unless(again.within(person) > 0.9, "%s: only %f of the person is seen", format,
                again.within(person));
    fail_unless(forgetful.within(person) < 0.1, "%s: after reset, %f of the person is seen", format,
                forgetful.within(person));
  }
}
GST_END_TEST

GST_START_TEST(who_fills_two_thirds_is_no_light) {
  Camera camera("exposure=off");
  for (int n = 0; n < 300; n++) camera.show();
  const Rect near{0, 0, 104, 120};
  for (int n = 0; n < 20; n++) camera.show(1, 0, {near});
  fail_unless(camera.within(near) > 0.9, "only %f is seen", camera.within(near));
  for (const std::string &e : camera.element.events()) fail_unless(e != "light-jump");
}
GST_END_TEST

// A cap leaves some light; a picture that is wholly black has not even noise.
GST_START_TEST(a_lens_cap_and_a_black_picture) {
  for (const auto &[before, level] : {std::pair{0, 3}, {100, 3}, {0, 0}, {100, 0}}) {
    Camera camera;
    for (int n = 0; n < before; n++) camera.show();
    for (int n = 0; n < 75; n++) camera.show(0, level);
    const int after = camera.normal_after(60);
    fail_unless(after >= 0, "of level %d, with %d frames before it: not normal after 60 frames", level,
                before);
    for (int n = 0; n < 30; n++) camera.show(); // light-jump's frames of relearning are over
    for (int n = 0; n < 20; n++) camera.show(1, 0, {person});
    fail_unless(camera.within(person) > 0.9, "after it, %f of a person is seen", camera.within(person));
  }
}
GST_END_TEST

GST_START_TEST(pictures_that_change_wholly) {
  Camera camera;
  for (int n = 0; n < 60; n++) camera.show();
  for (int n = 0; n < 60; n++) camera.show_noise();
  const int after = camera.normal_after(60);
  fail_unless(after >= 0, "not normal after 60 frames");
}
GST_END_TEST

GST_START_TEST(a_picture_of_one_colour) {
  for (const char *format : {"GRAY8", "I420"})
    for (const bool pure : {false, true})
      for (const int before : {0, 100}) {
        Camera camera("", format);
        for (int n = 0; n < before; n++) camera.show();
        for (int n = 0; n < 75; n++) camera.show_colour(128, pure);
        const int after = camera.normal_after(60);
        fail_unless(after >= 0, "%s, pure %d, %d frames before it: not normal after 60 frames", format, pure,
                    before);
        for (int n = 0; n < 30; n++) camera.show(); // light-jump's frames of relearning are over
        for (int n = 0; n < 20; n++) camera.show(1, 0, {person});
        fail_unless(camera.within(person) > 0.9, "%s: after it, %f of a person is seen", format,
                    camera.within(person));
      }
}
GST_END_TEST

// A recorder that shows two cameras in turn.
GST_START_TEST(pictures_of_two_places_in_turn) {
  for (const int each : {1, 10, 50}) {
    Camera camera;
    for (int n = 0; n < 60; n++) camera.show();
    for (int n = 0; n < 300; n++)
      if (n / each % 2)
        camera.show();
      else
        camera.show_other_place();
    const int after = camera.normal_after(60);
    fail_unless(after >= 0, "%d frames of each: not normal after 60 frames", each);
    for (int n = 0; n < 60; n++) camera.show();
    for (int n = 0; n < 20; n++) camera.show(1, 0, {person});
    fail_unless(camera.within(person) > 0.9, "%d frames of each: after it, %f of a person is seen", each,
                camera.within(person));
  }
}
GST_END_TEST

// A night camera raises its gain within a second, and lowers it again after ten.
GST_START_TEST(noise_that_grows_tenfold) {
  for (const char *format : {"GRAY8", "RGBA"}) {
    Camera camera("", format);
    for (int n = 0; n < 100; n++) camera.show_noisy(1.5);
    int noisy = 0; // frames that are not normal
    for (int n = 0; n < 250; n++) noisy += camera.show_noisy(n < 25 ? 1.5 + 0.54 * n : 15) >= 0.01;
    fail_unless(noisy <= 75, "%s: %d of 250 noisy frames are not normal", format, noisy);
    for (int n = 0; n < 20; n++) camera.show_noisy(15, {person});
    fail_unless(camera.within(person) > 0.9, "%s: in noise, %f of a person is seen", format,
                camera.within(person));
    for (int n = 0; n < 60; n++) camera.show_noisy(1.5);
    const double rest = camera.show_noisy(1.5);
    fail_unless(rest < 0.01, "%s: 60 frames after the noise, %f is foreground", format, rest);
    for (int n = 0; n < 20; n++) camera.show_noisy(1.5, {person});
    fail_unless(camera.within(person) > 0.9, "%s: after the noise, %f of a person is seen", format,
                camera.within(person));
  }
}
GST_END_TEST

GST_START_TEST(a_picture_of_four_grey_levels) {
  Camera camera;
  int foreground = 0;
  for (int n = 0; n < 200; n++) {
    const bool normal = camera.show_four_levels() < 0.01;
    foreground += n >= 60 && !normal;
  }
  fail_unless(foreground == 0, "%d of 140 frames are not normal", foreground);
  for (int n = 0; n < 20; n++) camera.show_four_levels({person});
  fail_unless(camera.within(person) > 0.9, "%f of a person is seen", camera.within(person));
}
GST_END_TEST

// A thermal core shuts its lens for half a second, and its levels are some others afterwards.
GST_START_TEST(a_calibration_flash) {
  for (const bool pure : {false, true}) {
    Camera camera;
    int offset = 0;
    for (int n = 0; n < 100; n++) camera.show();
    for (int flash = 0; flash < 5; flash++) {
      for (int n = 0; n < 13; n++) camera.show_colour(110, pure);
      offset = flash % 2 ? -6 : 9;
      int after = -1;
      for (int n = 0; n < 100; n++)
        if (camera.show_offset(offset) < 0.01 && after < 0) after = n;
      fail_unless(after >= 0 && after <= 40, "flash %d: normal after %d frames", flash, after);
      fail_unless(camera.show_offset(offset) < 0.01, "flash %d: not normal to the end", flash);
    }
    for (int n = 0; n < 20; n++) camera.show_offset(offset, {person});
    fail_unless(camera.within(person) > 0.9, "after it, %f of a person is seen", camera.within(person));
  }
}
GST_END_TEST

// It shakes by up to half of the picture: all that is learnt meanwhile is wrong.
GST_START_TEST(a_camera_that_shakes_wildly) {
  Camera camera;
  for (int n = 0; n < 100; n++) camera.show();
  for (int n = 0; n < 60; n++) camera.show_shifted(n * 37 % (width / 2));
  const int after = camera.normal_after(60);
  fail_unless(after >= 0, "not normal after 60 frames");
  for (int n = 0; n < 30; n++) camera.show(); // light-jump's frames of relearning are over
  for (int n = 0; n < 20; n++) camera.show(1, 0, {person});
  fail_unless(camera.within(person) > 0.9, "after it, %f of a person is seen", camera.within(person));
}
GST_END_TEST

GST_START_TEST(a_picture_that_stands_still) {
  Camera camera;
  for (int n = 0; n < 300; n++) camera.show_again();
  for (int n = 0; n < 20; n++) camera.show(1, 0, {person});
  fail_unless(camera.within(person) > 0.9, "after it, %f of a person is seen", camera.within(person));
  const int after = camera.normal_after(60);
  fail_unless(after >= 0, "not normal after 60 frames");
}
GST_END_TEST

GST_START_TEST(who_was_there_from_the_start_leaves_no_ghost) {
  Camera camera("learning-rate=0.005"), slow("learning-rate=0.005 foreground-rate=1");
  for (int n = 0; n < 60; n++) {
    camera.show(1, 0, {person});
    slow.show(1, 0, {person});
  }
  int gone = -1, gone_slowly = 100, said = 0, said_slowly = 0;
  for (int n = 0; n < 100; n++) {
    camera.show();
    slow.show();
    said += camera.ghosts;
    said_slowly += slow.ghosts;
    if (gone < 0 && camera.within(person) < 0.05) gone = n;
    if (slow.within(person) > 0.5) gone_slowly = n;
  }
  fail_unless(gone >= 0 && gone <= 75, "the ghost stayed for %d frames", gone);
  fail_unless(gone_slowly >= 10, "there was no ghost to begin with");
  fail_unless(said > 0 && said_slowly == 0, "%d and %d boxes say that they are ghosts", said, said_slowly);
}
GST_END_TEST

GST_START_TEST(who_waits_stays_and_what_is_put_down_does_not) {
  Camera waits("learning-rate=0.005"), thing("learning-rate=0.005");
  for (int n = 0; n < 100; n++) {
    waits.show();
    thing.show();
  }
  double least = 1;
  int absorbed = -1, ghosts = 0;
  for (int n = 0; n < 250; n++) { // 10 s
    Rect r = person;
    r.x += n / 6 % 2 * 2; // shifts its weight
    waits.show(1, 0, {r});
    thing.show(1, 0, {person});
    ghosts += waits.ghosts + thing.ghosts;
    least = std::min(least, waits.within({person.x + 2, person.y, person.width - 2, person.height}));
    if (absorbed < 0 && thing.within(person) < 0.1) absorbed = n;
  }
  fail_unless(ghosts == 0, "what is there is said to be a ghost %d times", ghosts);
  fail_unless(least > 0.85, "of the person who waits only %f was seen at some time", least);
  fail_unless(absorbed >= 25 && absorbed < 120, "the thing was absorbed after %d frames", absorbed);
  Camera never("learning-rate=0.01 absorb-after=0 foreground-rate=0");
  for (int n = 0; n < 100; n++) never.show();
  for (int n = 0; n < 150; n++) never.show(1, 0, {person});
  fail_unless(never.within(person) > 0.9, "absorb-after=0 kept only %f of the thing", never.within(person));
}
GST_END_TEST

// Whole pixels, for luma alone; chroma of 2x2 pixels has its own places.
static Shift sway_at(int n, int step) {
  return {step * int(std::lround(5 * std::sin(0.43 * n))), step * int(std::lround(2 * std::sin(0.58 * n)))};
}

GST_START_TEST(a_pole_that_sways_is_no_motion) {
  for (const char *format : {"GRAY8", "RGBA", "I420", "NV12"}) {
    const int step = format[0] == 'I' || format[0] == 'N' ? 2 : 1;
    Camera with("", format), without("stabilize=off light-jump=0", format);
    double most = 0, most_without = 0, least_seen = 1;
    for (int n = 0; n < 40; n++) {
      with.show_swayed({});
      without.show_swayed({});
    }
    for (int n = 0; n < 60; n++) {
      const Shift s = sway_at(n, step);
      most = std::max(most, with.show_swayed(s));
      most_without = std::max(most_without, without.show_swayed(s));
      const Shift reported = with.shift();
      fail_unless(reported == s, "%s: stats say %d,%d, it was %d,%d", format, reported.x, reported.y, s.x,
                  s.y);
    }
    fail_unless(most < 0.005, "%s: %f of the picture is foreground", format, most);
    fail_unless(most_without > 0.05, "%s: without, only %f is: the test shows nothing", format, most_without);
    fail_unless(with.element.events().empty(), "%s: motion was reported", format);
    for (int n = 0; n < 20; n++) { // the mask lies on the person where the frame shows it
      const Shift s = sway_at(n, step);
      with.show_swayed(s, {person});
      least_seen =
          std::min(least_seen, with.within({person.x + s.x, person.y + s.y, person.width, person.height}));
    }
    fail_unless(least_seen > 0.9, "%s: at some time only %f of a person is seen", format, least_seen);
  }
}
GST_END_TEST

GST_START_TEST(a_camera_that_turns_and_zooms_is_no_motion) {
  for (const char *format : {"GRAY8", "RGBA", "I420", "NV12"}) {
    Camera with("", format), without("stabilize=off light-jump=0", format);
    double sum = 0, sum_without = 0, least_seen = 1;
    const auto turn = [](int n) { return 1.8 * std::sin(0.43 * n); };
    const auto zoom = [](int n) { return 0.015 * std::sin(0.31 * n); };
    for (int n = 0; n < 40; n++) {
      with.show_turned(0, 0);
      without.show_turned(0, 0);
    }
    for (int n = 0; n < 60; n++) {
      sum += with.show_turned(turn(n), zoom(n));
      sum_without += without.show_turned(turn(n), zoom(n));
    }
    fail_unless(sum / 60 < 0.2 * sum_without / 60, "%s: %f of the picture is foreground, %f without", format,
                sum / 60, sum_without / 60);
    for (int n = 0; n < 20; n++) { // the mask lies on the person where the frame shows it
      with.show_turned(turn(n), zoom(n), {person});
      least_seen = std::min(least_seen, with.within(person));
    }
    fail_unless(least_seen > 0.85, "%s: at some time only %f of a person is seen", format, least_seen);
  }
}
GST_END_TEST

// What came into view at the border is not foreground, and the model there is as it was.
GST_START_TEST(what_a_sway_uncovers_is_not_learnt) {
  Camera camera("foreground-rate=1 median=0");
  for (int n = 0; n < 60; n++) camera.show_swayed({});
  for (int n = 0; n < 60; n++) {
    const Shift s{n % 2 ? 12 : -12, 0};
    const Rect left{0, 0, 12, height}, right{width - 12, 0, 12, height};
    camera.show_swayed(s, {{-12, 0, 12, height}, {width, 0, 12, height}});
    fail_unless(camera.shift() == s);
    fail_unless(camera.within(n % 2 ? left : right) == 0, "what was uncovered is foreground");
  }
  camera.show_swayed({}, {{width - 12, 0, 12, height}});
  fail_unless(camera.within({width - 12, 0, 12, height}) > 0.95,
              "only %f of what stands where nothing was seen", camera.within({width - 12, 0, 12, height}));
  camera.show_swayed({});
  fail_unless(camera.within({width - 12, 0, 12, height}) < 0.05, "the border has forgotten its background");
}
GST_END_TEST

GST_START_TEST(a_camera_that_stands_still_is_left_alone) {
  for (const char *format : {"GRAY8", "RGBA"}) {
    Camera with("", format), without("stabilize=off", format);
    for (int n = 0; n < 120; n++) {
      std::vector<Rect> objects;
      if (n > 40) objects.push_back({n, 20, 60, 90});
      with.show(1, 0, objects);
      without.show(1, 0, objects);
      fail_unless(with.mask() == without.mask(), "%s: frame %d has another mask", format, n);
    }
  }
}
GST_END_TEST

// The range is 16 pixels of 160.
GST_START_TEST(a_sway_beyond_the_range_locks_nothing_in) {
  Camera camera;
  for (int n = 0; n < 100; n++) camera.show_swayed({});
  for (int n = 0; n < 60; n++) camera.show_swayed({n % 2 ? 30 : -30, 0});
  int after = -1;
  for (int n = 0; n < 60 && after < 0; n++)
    if (camera.show_swayed({}) < 0.01) after = n;
  fail_unless(after >= 0, "not normal after 60 frames");
  for (int n = 0; n < 30; n++) camera.show_swayed({}); // light-jump's frames of relearning are over
  for (int n = 0; n < 20; n++) camera.show_swayed(sway_at(n, 1), {});
  for (int n = 0; n < 20; n++) camera.show_swayed({}, {person});
  fail_unless(camera.within(person) > 0.9, "after it, %f of a person is seen", camera.within(person));
}
GST_END_TEST

// The model follows a pixel behind, so that the shift does not grow with the drift.
GST_START_TEST(a_camera_that_drifts_is_followed) {
  Camera camera;
  for (int n = 0; n < 60; n++) camera.show_hills(0);
  double most = 0;
  for (int n = 0; n < 900; n++) most = std::max(most, camera.show_hills(n / 60));
  fail_unless(most < 0.05, "%f of the picture was foreground", most);
  for (int n = 0; n < 60; n++) most = camera.show_hills(14);
  fail_unless(most < 0.01, "%f of the picture is foreground after it", most);
  fail_unless(camera.shift().x < 13, "the model is still %d pixels behind", camera.shift().x);
}
GST_END_TEST

GST_START_TEST(a_saved_model_is_found_again_from_another_place) {
  const std::string file = std::string(g_get_tmp_dir()) + "/vigil-swayed-" + std::to_string(getpid());
  {
    Camera camera;
    for (int n = 0; n < 60; n++) camera.show_swayed(sway_at(n, 1));
    gboolean saved = FALSE;
    g_signal_emit_by_name(camera.element.get(), "save-model", file.c_str(), &saved);
    fail_unless(saved);
  }
  Camera camera("model-location=" + file);
  for (int n = 0; n < 3; n++) {
    const double foreground = camera.show_swayed({7, 3});
    fail_unless(foreground < 0.01, "frame %d: %f is foreground", n, foreground);
  }
  fail_unless(camera.shift() != Shift{}, "no shift was found");
  std::remove(file.c_str());
}
GST_END_TEST

GST_START_TEST(stabilize_may_change_while_it_plays) {
  Camera camera("light-jump=0");
  for (int n = 0; n < 60; n++) camera.show_swayed({});
  fail_unless(camera.show_swayed({6, 0}) < 0.01);
  gst_util_set_object_arg(G_OBJECT(camera.element.get()), "stabilize", "off");
  fail_unless(camera.show_swayed({6, 0}) > 0.05 && camera.shift() == Shift{}, "off changes nothing");
  gst_util_set_object_arg(G_OBJECT(camera.element.get()), "stabilize", "auto");
  fail_unless(camera.show_swayed({6, 0}) < 0.01 && camera.shift() == (Shift{6, 0}), "auto changes nothing");
}
GST_END_TEST

static Suite *cudamog_scene_suite() {
  Suite *suite = suite_create("cudamog-scene");
  TCase *tests = tcase_create("scene");
  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 60); // of each, on a machine with much to do
  tcase_add_test(tests, exposure_that_follows_someone_is_no_motion);
  tcase_add_test(tests, the_shadow_of_a_cloud_is_no_motion);
  tcase_add_test(tests, who_comes_while_the_exposure_moves_is_seen);
  tcase_add_test(tests, exposure_by_a_factor_of_four);
  tcase_add_test(tests, light_that_fades_is_followed);
  tcase_add_test(tests, a_light_after_a_light_is_told);
  tcase_add_test(tests, a_light_that_is_known_is_recalled);
  tcase_add_test(tests, a_saved_model_brings_its_lights);
  tcase_add_test(tests, who_fills_two_thirds_is_no_light);
  tcase_add_test(tests, a_lens_cap_and_a_black_picture);
  tcase_add_test(tests, pictures_that_change_wholly);
  tcase_add_test(tests, a_picture_of_one_colour);
  tcase_add_test(tests, pictures_of_two_places_in_turn);
  tcase_add_test(tests, noise_that_grows_tenfold);
  tcase_add_test(tests, a_picture_of_four_grey_levels);
  tcase_add_test(tests, a_calibration_flash);
  tcase_add_test(tests, a_camera_that_shakes_wildly);
  tcase_add_test(tests, a_pole_that_sways_is_no_motion);
  if (tested_backend() == "cpu") // which alone follows turns
    tcase_add_test(tests, a_camera_that_turns_and_zooms_is_no_motion);
  tcase_add_test(tests, what_a_sway_uncovers_is_not_learnt);
  tcase_add_test(tests, a_camera_that_stands_still_is_left_alone);
  tcase_add_test(tests, a_sway_beyond_the_range_locks_nothing_in);
  tcase_add_test(tests, a_camera_that_drifts_is_followed);
  tcase_add_test(tests, a_saved_model_is_found_again_from_another_place);
  tcase_add_test(tests, stabilize_may_change_while_it_plays);
  tcase_add_test(tests, a_picture_that_stands_still);
  tcase_add_test(tests, who_was_there_from_the_start_leaves_no_ghost);
  tcase_add_test(tests, who_waits_stays_and_what_is_put_down_does_not);
  return suite;
}
int main(int argc, char **argv) {
  if (tested_backend() == "cuda" && skipped_without_cuda("cudamog-scene")) return 77;
  if (tested_backend() == "gl" && skipped_without_gl("cudamog-scene")) return 77;
  return run(cudamog_scene_suite(), argc, argv);
}
