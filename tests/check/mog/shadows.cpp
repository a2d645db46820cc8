// SPDX-License-Identifier: LGPL-2.1-or-later
// What counts as a shadow with nothing set, on a wall that was learnt: pale ones, also of another colour, and
// deep ones of the wall's own.
#include "kernels/mog/mog.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <array>

namespace vigil::mog {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

struct Sample {
  const char *what;
  std::array<std::uint8_t, 3> rgb;
  int label, label_without_deep;
};
constexpr std::array<std::uint8_t, 3> wall{100, 120, 140};
// The wall's variance is the least one, 4: a pale shadow's colour may be 18 levels away, a deep one's 4, each
// times its brightness.
constexpr Sample samples[] = {{"the wall", wall, 0, 0},
                              {"a pale shadow", {90, 108, 126}, 127, 127},
                              {"a pale shadow of another colour", {98, 108, 118}, 127, 127},
                              {"something pale of quite another colour", {118, 108, 98}, 255, 255},
                              {"a deep shadow", {60, 72, 84}, 127, 255},
                              {"something dark of another colour", {66, 72, 79}, 255, 255},
                              {"something as dark as no shadow is", {40, 48, 56}, 255, 255},
                              {"something brighter", {120, 144, 168}, 255, 255}};
constexpr int width = int(std::size(samples));

void paint(Picture &p, bool is_wall) {
  for (int x = 0; x < width; x++) {
    std::uint8_t *const pixel = p.host().plane(0).row(0) + 4 * std::ptrdiff_t(x);
    const auto &rgb = is_wall ? wall : samples[x].rgb;
    std::copy(rgb.begin(), rgb.end(), pixel);
    pixel[3] = 255;
  }
  p.send();
}

void run(Checker &c) {
  for (const Precision precision : {Precision::single, Precision::double_, Precision::compact})
    for (const bool deep : {true, false}) {
      Params params;
      if (!deep) params.deep_shadow_distance = 0;
      const auto model = make(c.device, {width, 1, 3, Method::zivkovic, precision, 5});
      Picture frame(c, rgba, width, 1), mask(c, gray8, width, 1);
      for (int t = 1; t <= 61; t++) {
        paint(frame, t <= 60);
        const Step step{frame.device(), mask.device().plane(0), learning_rate(params, std::uint64_t(t))};
        model->apply({&step, 1}, params, {}, c.queue());
        mask.fetch();
      }
      for (int x = 0; x < width; x++) {
        const int want = deep ? samples[x].label : samples[x].label_without_deep, got = mask.bytes[x];
        c.expect(got == want, text(samples[x].what, deep ? "" : ", without deep shadows", ", precision ",
                                   int(precision), ": ", got, ", not ", want));
      }
    }
}

// Deep shadows need colour, and the distance is half as large in Y U V; pale ones have a threshold of the
// format's own.
void run_constants(Checker &c) {
  const auto expect = [&](PixelFormat f, int channels, double threshold, double distance2) {
    const Constants k = resolve({}, Method::zivkovic, f, channels);
    c.expect(k.deep_shadow_threshold == threshold && k.deep_shadow2 == distance2,
             text("format ", int(f), ", ", channels, " channels: deep shadows from ", k.deep_shadow_threshold,
                  " on, within ", k.deep_shadow2));
  };
  expect(rgba, 3, 0.5, 16);
  expect(nv12, 3, 0.5, 16 / 4);
  expect(i420, 3, 0.5, 16 / 4);
  expect(gray8, 1, 0.85, 16);
  const auto pale = [&](PixelFormat f, int channels, double own) {
    const Constants k = resolve({}, Method::zivkovic, f, channels),
                    set = resolve({.shadow_threshold = 0.7f}, Method::zivkovic, f, channels);
    c.expect(k.shadow_threshold == own && set.shadow_threshold == double(0.7f),
             text("format ", int(f), ", ", channels, " channels: pale shadows from ", k.shadow_threshold,
                  " on, set ", set.shadow_threshold));
  };
  pale(rgba, 3, 0.85);
  pale(nv12, 3, 0.8);
  pale(i420, 3, 0.8);
  pale(nv12, 1, 0.85);
  pale(gray8, 1, 0.85);
  const Params paler{.shadow_threshold = 0.4f};
  c.expect(resolve(paler, Method::zivkovic, rgba, 3).deep_shadow_threshold == double(0.4f),
           "deep shadows begin where pale ones end");
}

const check::Register registered[] = {check::Register{{"mog/shadows", run}},
                                      check::Register{{"mog/shadow-constants", run_constants}}};

} // namespace
} // namespace vigil::mog
