// SPDX-License-Identifier: LGPL-2.1-or-later
// The backends, those of OpenGL on OpenGL ES as well, against the reference. Every pixel must be equal:
// colinearseg.h says why none may differ.
#include "tests/check/colinearseg/rig.h"

#include <algorithm>
#include <cmath>

namespace vigil::colinearseg {

using check::Checker;

void paint(HostFrame &f, Checker &c, int number) {
  const int w = f.config.width, h = f.config.height;
  std::normal_distribution<float> noise(0.f, 3.f);
  const float light = number % 5 == 4 ? 0.7f : 1.f;
  const bool random = number % 7 == 6;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 4; k++) {
        float v = float((x * 7 + y * 13 + k * 50) % 160 + 40) * light + noise(c.rng);
        const int along = (x + 5 * number) % 90;
        if (along < 20 && y % 50 > 10) v = float(40 * k + (x ^ y) % 32);
        if (y % 64 < 3) v = x % 40 < 20 ? 0.f : 255.f;
        if (random) v = float(c.rng() % 256);
        f.bytes[4 * (std::size_t(y) * w + x) + k] = static_cast<std::uint8_t>(std::clamp(v, 0.f, 255.f));
      }
}

namespace {

// Parameters from all of their ranges, often from the part that matters or from the ends.
Params draw(Checker &c, int number) {
  Params p = random_params<Params>(params_table, c.rng);
  p.iterations = int(c.rng() % 8);
  const auto of_scale = [&](int max) {
    return static_cast<int>(std::pow(double(max), std::uniform_real_distribution<double>(0.2, 1)(c.rng)));
  };
  if (number % 4 != 0) {
    p.static_threshold = of_scale(30000);
    p.darkness_offset = of_scale(1000000);
    p.compactness = of_scale(3000);
    p.temporal_compactness = of_scale(3000);
  }
  switch (number % 8) {
  case 2:
    p.compactness = 0;
    break;
  case 3:
    p.temporal_compactness = p.compactness = 0;
    break;
  case 4:
    p = {};
    break;
  case 5:
    p = lab_preset();
    break;
  case 6:
    p.darkness_offset = c.rng() % 2 ? 0 : 10000000;
    break;
  case 7:
    p.static_threshold = c.rng() % 2 ? 0 : 1000000;
    break;
  default:
    break;
  }
  if (number % 3 != 0) p.adapt_rate = 0;
  return p;
}

void compare(Checker &c, const State &want, const State &got, const std::string &where) {
  const auto different = [](const auto &a, const auto &b) {
    std::size_t n = a.size() == b.size() ? 0 : std::max(a.size(), b.size());
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); i++) n += a[i] != b[i];
    return n;
  };
  const auto same = [&](const char *what, std::size_t n) {
    if (n > 0) c.fail(text(where, ": ", n, " values of the ", what, " differ from the reference"));
  };
  same("mask", different(want.mask, got.mask));
  same("background", different(want.background, got.background));
  same("exact background", different(want.exact, got.exact));
  c.expect(want.frames == got.frames && want.learnt == got.learnt, where + ": the frames counted differ");
  c.expect(want.noise == got.noise,
           text(where, ": the noise differs: ", got.noise.level, " and ", got.noise.spread, ", not ",
                want.noise.level, " and ", want.noise.spread));
}

std::string label(const Config &k, const MakeRig &make, int number, const Params &p) {
  return text(make.name, " ", k.width, "x", k.height, " frame ", number, " Ts ", p.static_threshold, " O ",
              p.darkness_offset, " B1 ", p.temporal_compactness, " B2 ", p.compactness, " iterations ",
              p.iterations);
}

struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1, 1},   {2, 1},   {1, 3},    {7, 5},    {31, 9},   {32, 33},
                          {33, 17}, {64, 48}, {131, 97}, {641, 37}, {225, 130}};

// Every third frame the backend gets the reference's state, so that an error shows near where it happens.
// These are the frames that adapt; the two after them work with what the backend made of the background
// itself.
void lock_step(Checker &c, const MakeRig &make) {
  for (const Size s : sizes) {
    const Config config{s.width, s.height};
    Reference reference(config, 3);
    const auto segmenter = make(config, 3);
    HostFrame frame(config);
    std::vector<std::uint8_t> mask(std::size_t(s.width) * s.height);
    for (int t = 0; t < 20; t++) {
      paint(frame, c, t);
      const Params p = draw(c, t);
      if (t % 3 == 0) segmenter->load(reference.state());
      reference.segment(frame.image(), p, {mask.data(), s.width, s.height, s.width});
      segmenter->segment(frame.image(), p);
      compare(c, reference.state(), segmenter->save(), label(config, make, t, p));
      if (c.failures > 8) return;
    }
  }
}

// Learning, measuring, then 50 frames on their own, temporal state included; then a background is given.
void long_run(Checker &c, const MakeRig &make) {
  const Config config{150, 71};
  Reference reference(config, 9);
  const auto segmenter = make(config, 9);
  HostFrame frame(config);
  std::vector<std::uint8_t> mask(std::size_t(config.width) * config.height);
  Params p;
  p.significance = 1e-3f;
  p.adapt_rate = 0;
  std::size_t changed = 0;
  for (int t = 0; t < 9 + 50 + 10; t++) {
    paint(frame, c, t < 9 ? 0 : t % 6);
    if (t == 30) p.adapt_rate = 0.02f;
    if (t == 59) {
      reference.set_background(frame.image(), 4);
      segmenter->set_background(frame.image(), 4);
    }
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter->segment(frame.image(), p);
    changed += std::size_t(std::count(mask.begin(), mask.end(), 255));
    compare(c, reference.state(), segmenter->save(), text("long run, ", label(config, make, t, p)));
    if (c.failures > 4) return;
  }
  c.expect(changed > 20000 && changed < 69 * mask.size() / 2,
           text("the long run shows nothing: ", changed, " pixels were foreground"));
}

// Pixels whose D2 is a whole number, and thresholds exactly there: D2 > T is false, and true for T one less.
void ties(Checker &c, const MakeRig &make) {
  const Config config{48, 16};
  Reference reference(config, 1);
  const auto segmenter = make(config, 1);
  HostFrame background(config), frame(config);
  std::vector<std::uint8_t> mask(std::size_t(config.width) * config.height);
  for (int t = 0; t < 24; t++) {
    // (v, u, .) against (u, v, .) has fore = back, so D2 = fore - cross = 9 (v - u)^2, also with a darkness
    // offset
    const auto u = static_cast<std::uint8_t>(c.rng()), v = static_cast<std::uint8_t>(c.rng()),
               w = static_cast<std::uint8_t>(c.rng());
    for (std::size_t i = 0; i < mask.size(); i++) {
      const std::uint8_t b[4] = {u, v, w, 0}, f[4] = {v, u, w, 0};
      std::copy_n(b, 4, &background.bytes[4 * i]);
      std::copy_n(f, 4, &frame.bytes[4 * i]);
    }
    reference.set_background(background.image(), 1);
    segmenter->set_background(background.image(), 1);
    const int d2 = 9 * (v - u) * (v - u);
    const bool above = t % 2 == 1;
    Params p{.static_threshold = std::max(d2 - above, 0),
             .darkness_offset = int(c.rng() % 10000001),
             .temporal_compactness = 0,
             .compactness = 0,
             .iterations = 1};
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter->segment(frame.image(), p);
    compare(c, reference.state(), segmenter->save(), text("tie, ", label(config, make, t, p)));
    const auto want = std::uint8_t(above && d2 > 0 ? 255 : 0);
    c.expect(std::all_of(mask.begin(), mask.end(), [&](std::uint8_t m) { return m == want; }),
             text("a tie at D2 = ", d2, " is decided wrongly by the reference"));
  }
}

} // namespace

void check_segmentation(Checker &c, const MakeRig &make) {
  lock_step(c, make);
  long_run(c, make);
  ties(c, make);
}

void check_large(Checker &c, const MakeRig &make) {
  const Config config{3840, 2160};
  Reference reference(config, 1);
  const auto segmenter = make(config, 1);
  HostFrame frame(config);
  std::vector<std::uint8_t> mask(std::size_t(config.width) * config.height);
  Params p;
  p.iterations = 2;
  for (int t = 0; t < 3; t++) {
    paint(frame, c, t);
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter->segment(frame.image(), p);
  }
  compare(c, reference.state(), segmenter->save(), label(config, make, 3, p));
}

void check_throws(Checker &c, const char *what, Error::Kind kind, const std::string &part,
                  const std::function<void()> &call) {
  try {
    call();
    c.fail(text(what, " is accepted"));
  } catch (const Error &e) {
    c.expect(e.kind() == kind && std::string(e.what()).find(part) != std::string::npos,
             text(what, ": ", e.what()));
  }
}

// Wrong input gives errors that name the value, and changes nothing.
void check_errors(Checker &c, const MakeRig &make) {
  using enum Error::Kind;
  const auto s = make({20, 10}, 2);
  const std::vector<std::uint8_t> bytes(4 * 20 * 10);
  check_throws(c, "a background of another size", bad_data, "19x10", [&] {
    s->set_background({PixelFormat::rgba, 19, 10, {bytes.data()}, {4 * 20}}, 2);
  });
  check_throws(c, "a grey background", bad_setting, "rgba", [&] {
    s->set_background({PixelFormat::gray8, 20, 10, {bytes.data()}, {20}}, 2);
  });
  check_throws(c, "no frames to learn", bad_setting, "not 0", [&] { s->learn(0); });
  check_throws(c, "a picture of no pixels", bad_setting, "0x10", [&] { make({0, 10}, 2); });
  check_throws(c, "a huge picture", bad_setting, "1000000", [&] { make({1000000, 10}, 2); });
  check_throws(c, "a state of another size", bad_data, "8x8", [&] { s->load(empty_state({8, 8}, 1)); });
  check_throws(c, "a state with short arrays", bad_data, "arrays", [&] {
    State broken = empty_state({20, 10}, 1);
    broken.mask.pop_back();
    s->load(broken);
  });
}

namespace {

// What the definitions promise.
void run_definitions(Checker &c) {
  int seen[24] = {};
  const int draws = 24 * 2000;
  for (int i = 0; i < draws; i++) {
    const Order o = permutation(7, std::uint64_t(i / 8), i % 8);
    int number = 0;
    for (int k = 0; k < 4; k++) {
      int smaller = 0;
      for (int l = k + 1; l < 4; l++) smaller += o[l] < o[k];
      number = number * (4 - k) + smaller;
    }
    c.expect(number < 24 && o[0] + o[1] + o[2] + o[3] == 6, "an order is no permutation");
    seen[number]++;
  }
  double chi2 = 0;
  for (const int n : seen) chi2 += (n - 2000.) * (n - 2000.) / 2000.;
  c.expect(chi2 < 60,
           text("the permutations are not drawn evenly: chi-square ", chi2, " with 23 degrees of freedom"));
  c.expect(permutation(1, 0, 0) == permutation(1, 0, 0), "a permutation is not the same when drawn again");

  // Even noise of variance 9: level and spread are those of 9 times a chi-square variable of 26 degrees of
  // freedom.
  std::normal_distribution<double> normal;
  std::vector<std::uint32_t> samples;
  for (int i = 0; i < 4000; i++) {
    double sum = 0;
    for (int k = 0; k < 26; k++) sum += 9 * std::pow(normal(c.rng), 2);
    samples.push_back(std::uint32_t(std::ceil(sum)));
  }
  Noise noise;
  add_frame(noise, samples);
  c.expect(std::abs(std::expm1(noise.level) - 9 * 25.34) < 6,
           text("the noise level is ", std::expm1(noise.level)));
  c.expect(std::abs(noise.spread - 0.27) < 0.04, text("the noise spread is ", noise.spread));
  const int loose = threshold_for(noise, 0.5), strict = threshold_for(noise, 1e-5);
  c.expect(std::abs(loose - (9 * 25.34 + 260)) < 8, text("the threshold at the median is ", loose));
  c.expect(std::abs(strict / double(loose) - std::exp(4.265 * noise.spread)) < 0.01,
           text("the threshold of significance 1e-5 is ", strict));
  noise.frames = 100;
  noise.level = 1e9;
  c.expect(threshold_for(noise, 1e-12) == 1000000, "a threshold leaves its range");
}

const check::Register definitions{{"colinearseg/definitions", run_definitions, {Backend::cpu}}};

} // namespace
} // namespace vigil::colinearseg
