// SPDX-License-Identifier: LGPL-2.1-or-later
// What counts as a shadow with default settings, on a wall that was learnt: pale ones, also of another
// colour, and deep ones of the wall's own.
#include "kernels/mog/mog.h"

#include "common/error.h"
#include "tests/check/checker.h"
#include "tests/check/mog/served.h"

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
      if (!served(c, precision)) continue;
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

// Of a grey picture in a colour format only what is hardly darker is a shadow, as on luma alone. A grey thing
// on coloured ground, and the other way round, is judged by its colour.
void run_grey(Checker &c) {
  struct {
    std::array<std::uint8_t, 3> ground, seen;
    int label;
  } constexpr yuv[] = {{{118, 128, 128}, {118, 128, 128}, 0},   {{118, 128, 128}, {105, 128, 128}, 127},
                       {{118, 128, 128}, {95, 128, 128}, 255},  {{118, 128, 128}, {75, 129, 127}, 255},
                       {{118, 129, 128}, {75, 128, 128}, 127},  {{118, 127, 129}, {105, 129, 127}, 127},
                       {{118, 128, 128}, {140, 128, 128}, 255}, {{118, 130, 126}, {80, 129, 127}, 127},
                       {{118, 140, 118}, {80, 128, 128}, 255},  {{118, 128, 128}, {80, 140, 118}, 255}},
              rgb[] = {{{118, 118, 118}, {118, 118, 118}, 0},   {{118, 118, 118}, {105, 105, 105}, 127},
                       {{118, 118, 118}, {95, 95, 95}, 255},    {{118, 118, 118}, {75, 76, 75}, 255},
                       {{118, 118, 118}, {140, 140, 140}, 255}, {{112, 118, 122}, {75, 79, 81}, 127},
                       {{90, 118, 140}, {80, 80, 80}, 255}};
  constexpr float threshold = 0.85f;
  const auto check = [&](PixelFormat format, const auto &cases) {
    const int wide = 2 * int(std::size(cases)), last = wide - 2;
    const bool packed = format == rgba || format == bgra;
    const auto put = [&](Picture &p, int at, const std::array<std::uint8_t, 3> &v) {
      for (int x = at; x < at + 2; x++)
        for (int y = 0; y < 2; y++) {
          if (packed) {
            std::uint8_t *const pixel = p.host().plane(0).row(y) + 4 * std::ptrdiff_t(x);
            std::copy(v.begin(), v.end(), pixel);
            pixel[3] = 255;
            continue;
          }
          p.host().plane(0).row(y)[x] = v[0];
          if (format == nv12) {
            p.host().plane(1).row(0)[at] = v[1];
            p.host().plane(1).row(0)[at + 1] = v[2];
          } else if (format == i420) {
            p.host().plane(1).row(0)[at / 2] = v[1];
            p.host().plane(2).row(0)[at / 2] = v[2];
          }
        }
    };
    for (const Precision precision : {Precision::single, Precision::double_, Precision::compact}) {
      if (!served(c, precision)) continue;
      const Params params{.shadow_threshold = threshold};
      const auto model = make(c.device, {wide, 2, 3, Method::zivkovic, precision, 5});
      Picture frame(c, format, wide, 2), mask(c, gray8, wide, 2);
      for (int t = 1; t <= 61; t++) {
        for (int at = 0; at <= last; at += 2)
          put(frame, at, t <= 60 ? cases[at / 2].ground : cases[at / 2].seen);
        frame.send();
        const Step step{frame.device(), mask.device().plane(0), learning_rate(params, std::uint64_t(t))};
        model->apply({&step, 1}, params, {}, c.queue());
        mask.fetch();
      }
      for (int x = 0; x < wide; x++) {
        const auto &s = cases[x / 2];
        const int got = mask.bytes[x];
        c.expect(got == s.label,
                 text("format ", int(format), ", precision ", int(precision), ": ", int(s.seen[0]), " ",
                      int(s.seen[1]), " ", int(s.seen[2]), " on ", int(s.ground[0]), " ", int(s.ground[1]),
                      " ", int(s.ground[2]), ": ", got, ", not ", s.label));
      }
    }
  };
  check(nv12, yuv);
  check(i420, yuv);
  check(rgba, rgb);
  check(bgra, rgb);
}

// A model's first frame is learnt whatever the rate; a rate of 0 then keeps what it knows.
void run_frozen(Checker &c) {
  for (const Method method : {Method::zivkovic, Method::mog})
    for (const Precision precision : {Precision::single, Precision::double_, Precision::compact}) {
      if (!served(c, precision)) continue;
      const Params params{.learning_rate = 0};
      const auto model = make(c.device, {width, 1, 1, method, precision, 5});
      Picture frame(c, gray8, width, 1), mask(c, gray8, width, 1);
      const auto label_of = [&](int level, std::uint64_t number) {
        std::fill(frame.bytes.begin(), frame.bytes.end(), std::uint8_t(level));
        frame.send();
        const Step step{frame.device(), mask.device().plane(0), learning_rate(params, number)};
        model->apply({&step, 1}, params, {}, c.queue());
        mask.fetch();
        return int(mask.bytes[0]);
      };
      label_of(100, 1);
      bool kept = true;
      for (std::uint64_t n = 2; n < 100; n += 2)
        kept = kept && label_of(200, n) == 255 && label_of(100, n + 1) == 0;
      c.expect(kept, text("rate 0, method ", name_of(method), ", precision ", int(precision),
                          ": the first frame is not the background"));
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

const check::Register registered[] = {check::Register{{"mog/shadows", run, every_backend}},
                                      check::Register{{"mog/grey-in-colour", run_grey, every_backend}},
                                      check::Register{{"mog/frozen", run_frozen, every_backend}},
                                      check::Register{{"mog/shadow-constants", run_constants}}};

} // namespace
} // namespace vigil::mog
