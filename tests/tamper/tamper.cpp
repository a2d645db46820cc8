// SPDX-License-Identifier: LGPL-2.1-or-later
// Sketches, their comparison, and what a watch says of pictures that are shifted, blurred, covered or hidden.
#include "common/error.h"
#include "kernels/tamper/known_views.h"
#include "kernels/tamper/tamper_detector.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using vigil::test::expect;

// A ground of patches of all sizes, larger than any picture that is cut out of it.
class Ground {
 public:
  static constexpr int width = 800, height = 700;
  // Patches of 3 to `largest` pixels.
  explicit Ground(int largest = 42, int patches = 6000) : luma_(std::size_t(width) * height, 120.f) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return int(random() % unsigned(n)); };
    for (int i = 0; i < patches; i++) {
      const int w = 3 + below(largest - 2), h = 3 + below(largest - 2), left = below(width),
                top = below(height);
      const auto v = float(40 + below(160));
      for (int y = top; y < std::min(top + h, height); y++)
        for (int x = left; x < std::min(left + w, width); x++) at(x, y) = v;
    }
  }
  float &at(int x, int y) { return luma_[std::size_t(y) * width + std::size_t(x)]; }
  float mean(int x, int y, int radius) {
    float sum = 0;
    for (int v = y - radius; v <= y + radius; v++)
      for (int u = x - radius; u <= x + radius; u++) sum += at(u, v);
    return sum / float((2 * radius + 1) * (2 * radius + 1));
  }

 private:
  std::vector<float> luma_;
};

struct View {
  int x = 200, y = 200, blur = 0;
  float gain = 1, offset = 0, noise = 3;
  int hidden = 0; // columns from the left that show something else
};

struct Picture {
  int width, height;
  std::vector<std::uint8_t> bytes;
  ConstImage image() const {
    ConstImage i{PixelFormat::gray8, width, height, {}, {}};
    i.data[0] = bytes.data();
    i.stride[0] = width;
    return i;
  }
};

// Without noise, which is the costly part where the view is blurred.
std::vector<float> clean(Ground &ground, const View &v, int width, int height) {
  std::vector<float> luma;
  luma.reserve(std::size_t(width) * std::size_t(height));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const float seen =
          x < v.hidden ? 60.f + float((x / 9 + y / 7) % 2) * 50.f : ground.mean(v.x + x, v.y + y, v.blur);
      luma.push_back(v.gain * seen + v.offset);
    }
  return luma;
}

Picture with_noise(const std::vector<float> &luma, float sigma, int number, int width, int height) {
  static const std::vector<float> table = [] {
    std::mt19937 random(1);
    std::normal_distribution<float> noise;
    std::vector<float> all(65536);
    for (float &v : all) v = noise(random);
    return all;
  }();
  Picture p{width, height, std::vector<std::uint8_t>(luma.size())};
  std::mt19937 random(unsigned(number) + 1);
  std::size_t at = 0;
  for (std::size_t i = 0; i < luma.size(); i++, at++) {
    if (i % 64 == 0) at = random() % (table.size() - 64);
    p.bytes[i] = std::uint8_t(std::clamp(luma[i] + sigma * table[at] + 0.5f, 0.f, 255.f));
  }
  return p;
}

Picture take(Ground &ground, const View &v, int number, int width = 320, int height = 240) {
  return with_noise(clean(ground, v, width, height), v.noise, number, width, height);
}

std::vector<tamper::Spot> spots_of(const Picture &p) {
  static const std::unique_ptr<Device> cpu = open_cpu(1);
  static const std::unique_ptr<Queue> queue = cpu->make_queue();
  std::vector<tamper::Spot> spots(std::size_t(tamper::layout_for(p.width, p.height).cells()));
  tamper::make(*cpu)->apply(p.image(), spots.data(), *queue);
  return spots;
}

void sketch_to(tamper::Sketch &s, const Picture &p, const tamper::Sketch &before) {
  tamper::sketch(tamper::layout_for(p.width, p.height), spots_of(p), before, s);
}
tamper::Sketch sketch_of(const Picture &p) {
  tamper::Sketch s;
  sketch_to(s, p, {});
  return s;
}
std::optional<tamper::Event> look(tamper::TamperDetector &watch, const Picture &p, double seconds) {
  return watch.look(tamper::layout_for(p.width, p.height), spots_of(p), seconds);
}
// What is known of a view after some noisy frames.
tamper::Sketch known_of(Ground &ground) {
  tamper::Sketch known = sketch_of(take(ground, {}, 100)), before = known, s;
  for (int n = 1; n < 10; n++) {
    sketch_to(s, take(ground, {}, 100 + n), before);
    tamper::blend(known, s, 1 / float(n));
    std::swap(before, s);
  }
  return known;
}

void exposure_changes_nothing(Ground &ground) {
  const tamper::Sketch known = known_of(ground);
  for (const View &v : {View{}, View{.gain = 0.5f}, View{.gain = 0.3f, .offset = 60}, View{.gain = 1.2f}}) {
    const tamper::Comparison c = compare(sketch_of(take(ground, v, 1)), known);
    expect(c.textured >= 40, "blocks are textured");
    expect(c.agreement > 0.95f, "agreement " + std::to_string(c.agreement));
    expect(c.sharpness && std::abs(*c.sharpness - 1) < 0.1f,
           "sharpness with gain " + std::to_string(v.gain) + ": " + std::to_string(c.sharpness.value_or(-1)));
  }
}

void blur_is_measured(Ground &ground) {
  const tamper::Sketch known = known_of(ground);
  float last = 1.1f;
  for (const int blur : {0, 1, 2, 4}) {
    const tamper::Comparison c = compare(sketch_of(take(ground, {.blur = blur, .gain = 0.7f}, 1)), known);
    expect(c.sharpness.has_value() && *c.sharpness < last, "a blur of " + std::to_string(blur));
    last = c.sharpness.value_or(2);
  }
  expect(last < tamper::blurred_below, "sharpness of the strongest blur: " + std::to_string(last));
}

void shifts_are_found(Ground &ground) {
  const tamper::Sketch known = known_of(ground);
  for (const auto &[x, y] : {std::pair{0, 0}, {6, 0}, {-23, 9}, {60, -50}}) {
    const tamper::Sketch moved = sketch_of(take(ground, {.x = 200 - x, .y = 200 - y}, 1));
    const auto s = find_shift(moved, known);
    expect(s && std::hypot(s->x - float(x), s->y - float(y)) < 1.5f,
           "a shift of " + std::to_string(x) + ", " + std::to_string(y) + " was taken for " +
               (s ? std::to_string(s->x) + ", " + std::to_string(s->y) : "none"));
  }
  expect(!find_shift(sketch_of(take(ground, {.x = 420, .y = 410}, 1)), known), "there is no such shift");
}

// What a watch says of views, each for some seconds at four frames a second: "+covered 12.25 ..."
struct Shown {
  View view;
  double seconds;
};
std::string said(Ground &ground, const std::vector<Shown> &views, int width = 320, int height = 240) {
  tamper::TamperDetector watch;
  std::string all;
  int number = 0;
  const auto add = [&](const std::optional<tamper::Event> &e) {
    if (!e) return;
    const char *names[] = {"covered", "blurred", "moved"};
    if (!all.empty()) all += ' ';
    all += (e->begins ? '+' : '-') + std::string(names[int(e->trouble)]);
    all += '@' + std::to_string(int(number * 0.25));
    expect(e->since <= number * 0.25, "it was first seen before the first frame");
  };
  for (const Shown &s : views) {
    const std::vector<float> luma = clean(ground, s.view, width, height);
    for (int i = 0; i < int(4 * s.seconds); i++, number++) {
      const std::optional<double> took = watch.due(0.25);
      expect(took == 0.25, "each frame is due");
      add(look(watch, with_noise(luma, s.view.noise, number, width, height), *took));
    }
  }
  add(watch.stop());
  return all;
}

void is(const std::string &found, const std::string &wanted) {
  expect(found == wanted, "wanted '" + wanted + "', found '" + found + "'");
}

void events(Ground &ground) {
  const View black{.gain = 0.01f, .offset = 5}, moved{.x = 230};
  is(said(ground, {{{}, 20}}), "");
  is(said(ground, {{{}, 10}, {black, 1.5}, {{}, 5}}), ""); // too short
  is(said(ground, {{{}, 10}, {black, 5}, {{}, 5}}), "+covered@11 -covered@15");
  // Fine detail, since sharpness is that of the finest detail against cells of four pixels.
  Ground fine(8, 60000);
  const View blurred{.blur = 4};
  is(said(fine, {{{}, 10}, {blurred, 7}, {{}, 5}}), "");
  is(said(fine, {{{}, 10}, {blurred, 10}, {{}, 5}}), "+blurred@17 -blurred@20");
  is(said(ground, {{{}, 10}, {moved, 15}}), "+moved@15 -moved@20");
  // There and back: it is reported both times.
  is(said(ground, {{{}, 10}, {moved, 15}, {{}, 15}}), "+moved@15 -moved@20 +moved@30 -moved@35");
  // Turned away, to a place that was not in view.
  is(said(ground, {{{}, 10}, {{.x = 440, .y = 420}, 40}}), "+moved@40 -moved@45");
  // Covered, and another view when the cover goes.
  is(said(ground, {{{}, 10}, {black, 5}, {moved, 15}}), "+covered@11 -covered@19 +moved@20 -moved@25");
  // A cap from the first picture on is what the camera shows; so is what comes after it.
  is(said(ground, {{black, 10}, {{}, 20}}), "");
  // The end of all pictures ends what goes on.
  is(said(ground, {{{}, 10}, {black, 5}}), "+covered@11 -covered@15");
}

void no_events(Ground &ground) {
  // Someone hides two thirds of the picture, and stands.
  is(said(ground, {{{}, 10}, {{.hidden = 210}, 60}, {{}, 10}}), "");
  // Exposure and contrast.
  is(said(ground, {{{}, 10}, {{.gain = 0.4f}, 20}, {{.gain = 0.5f, .offset = 100}, 20}, {{}, 10}}), "");
  // A pole that sways, by up to a tenth of the width.
  std::vector<Shown> sways{{{}, 10}};
  for (int i = 0; i < 240; i++)
    sways.push_back({{.x = 200 + int(std::lround(30 * std::sin(i * 1.9)))}, 0.25});
  sways.push_back({{}, 10});
  is(said(ground, sways), "");
  // Nothing to see at all, and pictures that are too small.
  is(said(ground, {{{.gain = 0}, 60}, {{.gain = 0, .noise = 30}, 60}}), "");
  is(said(ground, {{{}, 20}, {{.x = 230}, 20}}, 1, 1), "");
  is(said(ground, {{{}, 20}, {{.x = 230}, 20}}, 17, 9), "");
}

// Frames come slowly, quickly, or without a time.
void looks_are_due() {
  tamper::TamperDetector watch;
  int due = 0;
  for (int i = 0; i < 100; i++) due += watch.due(0.04).has_value(); // nothing was looked at: all are
  expect(due == 100, "the first frames are due");
  Ground ground;
  const Picture p = take(ground, {}, 0);
  look(watch, p, 0.04);
  due = 0;
  for (int i = 0; i < 100; i++) due += watch.due(0.04).has_value();
  expect(due >= 13 && due <= 16, std::to_string(due) + " of 100 frames are due");
  for (int i = 0; i < 10; i++) expect(watch.due(1).has_value(), "each slow frame is due");
}

// Which views are shown, each for some seconds at four frames a second: "new 1@12" or "known 0@24", with the
// place in the list and the second.
std::string views_in(Ground &ground, const std::vector<Shown> &shown, bool explained = false) {
  tamper::KnownViews views;
  tamper::Sketch s, before;
  std::string all;
  int number = 0;
  for (const Shown &v : shown) {
    const std::vector<float> luma = clean(ground, v.view, 320, 240);
    for (int i = 0; i < int(4 * v.seconds); i++, number++) {
      std::swap(s, before);
      sketch_to(s, with_noise(luma, v.view.noise, number, 320, 240), before);
      const auto change = views.look(s, before, 0.25, explained);
      if (!change) continue;
      if (!all.empty()) all += ' ';
      all +=
          (change->known ? "known " : "new ") + std::to_string(change->to) + '@' + std::to_string(number / 4);
    }
  }
  return all;
}

void views_are_known(Ground &ground) {
  const View away{.x = 440, .y = 420}, near_by{.x = 260}, black{.gain = 0.01f, .offset = 5};
  is(views_in(ground, {{{}, 10}, {away, 10}, {{}, 5}, {near_by, 5}, {away, 5}, {{}, 5}}),
     "new 1@10 known 0@20 new 2@25 known 1@30 known 0@35");
  // In another light, and after the lens was covered.
  is(views_in(ground, {{{}, 10}, {away, 5}, {{.gain = 0.5f, .offset = 20}, 5}}), "new 1@10 known 0@15");
  is(views_in(ground, {{{}, 10}, {black, 10}, {{}, 5}, {{.hidden = 210}, 20}, {{}, 5}}), "");
  is(views_in(ground, {{{}, 10}, {away, 10}, {{}, 10}}, true), ""); // a model explains them all
  // What passes, and a camera that turns: no picture stands.
  std::vector<Shown> turns{{{}, 10}};
  for (int i = 1; i <= 20; i++) turns.push_back({{.x = 200 + 12 * i, .y = 200 + 12 * i}, 0.25});
  turns.push_back({{.x = 440, .y = 440}, 5});
  is(views_in(ground, turns), "new 1@15");
  is(views_in(ground, {{{.gain = 0}, 20}, {{.gain = 0, .noise = 30}, 20}}), "");
  // One place more than are remembered: the view that was current longest ago goes.
  std::vector<Shown> many;
  for (int i = 0; i <= int(tamper::KnownViews::most); i++)
    many.push_back({{.x = 20 + i % 3 * 200, .y = 10 + i / 3 * 200}, 3});
  many.push_back(many[1]);
  many.push_back(many[0]);
  is(views_in(ground, many),
     "new 1@3 new 2@6 new 3@9 new 4@12 new 5@15 new 6@18 new 7@21 new 0@24 known 1@27 new 2@30");
  // A view that is known is no camera that was moved, however long it stands.
  tamper::TamperDetector watch;
  tamper::KnownViews seen;
  std::string moved;
  int number = 0;
  const std::vector<float> home = clean(ground, {}, 320, 240), other_place = clean(ground, away, 320, 240);
  for (const std::vector<float> *luma : {&home, &other_place, &home, &other_place})
    for (int i = 0; i < 4 * 40; i++) {
      const auto e = look(watch, with_noise(*luma, 3, number++, 320, 240), 0.25);
      if (e) moved += vigil::text(e->begins ? '+' : '-', number / 4, ' ');
      const auto change = seen.look(watch.shown(), watch.shown_before(), 0.25, false);
      if (change && change->known) watch.recognise(seen.current());
    }
  is(moved, "+70 -75 ");
  // Looks that last no time, or very long.
  tamper::KnownViews views;
  const tamper::Sketch one = sketch_of(take(ground, {}, 1)), other = sketch_of(take(ground, away, 2));
  for (const double seconds : {0., 1e9})
    for (const tamper::Sketch *s : {&one, &other, &other, &one}) views.look(*s, *s, seconds, false);
  expect(views.look(other, other, 0.25, false).has_value(), "the other view is known");
}

} // namespace

int main() {
  Ground ground;
  const std::vector<vigil::test::Case> cases = {
      {"exposure changes nothing", [&] { exposure_changes_nothing(ground); }},
      {"blur is measured", [&] { blur_is_measured(ground); }},
      {"shifts are found", [&] { shifts_are_found(ground); }},
      {"events", [&] { events(ground); }},
      {"no events", [&] { no_events(ground); }},
      {"looks are due", looks_are_due},
      {"views are known", [&] { views_are_known(ground); }},
  };
  return vigil::test::run_cases("tamper tamper", cases);
}
