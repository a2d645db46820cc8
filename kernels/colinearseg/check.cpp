// SPDX-License-Identifier: LGPL-2.1-or-later
// Both OpenGL backends, on OpenGL and OpenGL ES, against the reference. Every pixel must be equal: colinearseg.h says why
// none may differ.
#include "common/error.h"
#include "kernels/colinearseg/gl.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>

namespace vigil::colinearseg {
namespace {

using check::Checker;
using check::Skip;

// A frame in host memory and as a texture.
struct Frame {
  Frame(const GlDevice &d, int width, int height)
      : texture(d, GL_RGBA8, width, height), bytes(std::size_t(4) * width * height) {}
  ConstImage image() const {
    return {PixelFormat::rgba, texture.width(), texture.height(), {bytes.data()}, {4 * texture.width()}};
  }
  GlTexture texture;
  std::vector<std::uint8_t> bytes;
};

// A scene: a background with texture, noise, changes of brightness, objects that move, and areas of 0 and of 255.
void paint(Frame &f, Checker &c, int number) {
  const int w = f.texture.width(), h = f.texture.height();
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
  f.texture.write(f.bytes.data());
}

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

std::string label(const Config &k, Path path, int number, const Params &p) {
  return text(name_of(path), " ", k.width, "x", k.height, " frame ", number, " Ts ", p.static_threshold,
              " O ", p.darkness_offset, " B1 ", p.temporal_compactness, " B2 ", p.compactness, " iterations ",
              p.iterations);
}

struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1, 1},   {2, 1},   {1, 3},    {7, 5},    {31, 9},   {32, 33},
                          {33, 17}, {64, 48}, {131, 97}, {641, 37}, {225, 130}};

// Before each frame the backend gets the reference's state, so that an error shows where it happens.
void lock_step(Checker &c, const GlDevice &d, Path path) {
  for (const Size s : sizes) {
    const Config config{s.width, s.height};
    Reference reference(config, 3);
    GlSegmenter segmenter(d, config, 3, path);
    Frame frame(d, s.width, s.height);
    std::vector<std::uint8_t> mask(std::size_t(s.width) * s.height);
    for (int t = 0; t < 20; t++) {
      paint(frame, c, t);
      const Params p = draw(c, t);
      segmenter.load(reference.state());
      reference.segment(frame.image(), p, {mask.data(), s.width, s.height, s.width});
      segmenter.segment(frame.texture.id(), p);
      compare(c, reference.state(), segmenter.save(), label(config, path, t, p));
      if (c.failures > 8) return;
    }
  }
}

// Learning, measuring, then 50 frames on their own, temporal state included; then a background is given.
void long_run(Checker &c, const GlDevice &d, Path path) {
  const Config config{150, 71};
  Reference reference(config, 9);
  GlSegmenter segmenter(d, config, 9, path);
  Frame frame(d, config.width, config.height);
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
      segmenter.set_background(frame.image(), 4);
    }
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter.segment(frame.texture.id(), p);
    changed += std::size_t(std::count(mask.begin(), mask.end(), 255));
    compare(c, reference.state(), segmenter.save(), text("long run, ", label(config, path, t, p)));
    if (c.failures > 4) return;
  }
  c.expect(changed > 20000 && changed < 69 * mask.size() / 2,
           text("the long run shows nothing: ", changed, " pixels were foreground"));
}

// Pixels whose D2 is a whole number, and thresholds exactly there: D2 > T is false, and true for T one less.
void ties(Checker &c, const GlDevice &d, Path path) {
  const Config config{48, 16};
  Reference reference(config, 1);
  GlSegmenter segmenter(d, config, 1, path);
  Frame background(d, config.width, config.height), frame(d, config.width, config.height);
  std::vector<std::uint8_t> mask(std::size_t(config.width) * config.height);
  for (int t = 0; t < 24; t++) {
    // (v, u, .) against (u, v, .) has fore = back, so D2 = fore - cross = 9 (v - u)^2, also with a darkness offset
    const auto u = static_cast<std::uint8_t>(c.rng()), v = static_cast<std::uint8_t>(c.rng()),
               w = static_cast<std::uint8_t>(c.rng());
    for (std::size_t i = 0; i < mask.size(); i++) {
      const std::uint8_t b[4] = {u, v, w, 0}, f[4] = {v, u, w, 0};
      std::copy_n(b, 4, &background.bytes[4 * i]);
      std::copy_n(f, 4, &frame.bytes[4 * i]);
    }
    frame.texture.write(frame.bytes.data());
    reference.set_background(background.image(), 1);
    segmenter.set_background(background.image(), 1);
    const int d2 = 9 * (v - u) * (v - u);
    const bool above = t % 2 == 1;
    Params p{.static_threshold = std::max(d2 - above, 0),
             .darkness_offset = int(c.rng() % 10000001),
             .temporal_compactness = 0,
             .compactness = 0,
             .iterations = 1};
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter.segment(frame.texture.id(), p);
    compare(c, reference.state(), segmenter.save(), text("tie, ", label(config, path, t, p)));
    const auto want = std::uint8_t(above && d2 > 0 ? 255 : 0);
    c.expect(std::all_of(mask.begin(), mask.end(), [&](std::uint8_t m) { return m == want; }),
             text("a tie at D2 = ", d2, " is decided wrongly by the reference"));
  }
}

void large(Checker &c, const GlDevice &d, Path path) {
  const Config config{3840, 2160};
  Reference reference(config, 1);
  GlSegmenter segmenter(d, config, 1, path);
  Frame frame(d, config.width, config.height);
  std::vector<std::uint8_t> mask(std::size_t(config.width) * config.height);
  Params p;
  p.iterations = 2;
  for (int t = 0; t < 3; t++) {
    paint(frame, c, t);
    reference.segment(frame.image(), p, {mask.data(), config.width, config.height, config.width});
    segmenter.segment(frame.texture.id(), p);
  }
  compare(c, reference.state(), segmenter.save(), label(config, path, 3, p));
}

void all(Checker &c, const GlDevice &d, Path path) {
  if (path == Path::compute && !d.has_compute()) throw Skip{d.name() + " has no compute shaders"};
  lock_step(c, d, path);
  long_run(c, d, path);
  ties(c, d, path);
}

void run_compute(Checker &c) {
  all(c, static_cast<const GlDevice &>(c.device), Path::compute);
}
void run_fragment(Checker &c) {
  all(c, static_cast<const GlDevice &>(c.device), Path::fragment);
}
void run_large(Checker &c) {
  const auto &d = static_cast<const GlDevice &>(c.device);
  if (d.has_compute()) large(c, d, Path::compute);
  large(c, d, Path::fragment);
}
void run_es(Checker &c) {
  std::unique_ptr<GlDevice> es;
  try {
    es = open_egl(true);
  } catch (const Error &e) {
    throw Skip{e.what()};
  }
  all(c, *es, Path::fragment);
  if (es->has_compute()) all(c, *es, Path::compute);
}

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

  // Even noise of variance 9: level and spread are those of 9 times a chi-square variable of 26 degrees of freedom.
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

// Wrong input gives errors that name the value, and changes nothing.
void run_errors(Checker &c) {
  const auto &d = static_cast<const GlDevice &>(c.device);
  const auto throws = [&](const char *what, Error::Kind kind, const std::string &part, auto &&call) {
    try {
      call();
      c.fail(text(what, " is accepted"));
    } catch (const Error &e) {
      c.expect(e.kind() == kind && std::string(e.what()).find(part) != std::string::npos,
               text(what, ": ", e.what()));
    }
  };
  GlSegmenter s(d, {20, 10}, 2);
  const std::vector<std::uint8_t> bytes(4 * 20 * 10);
  throws("a background of another size", Error::Kind::bad_data, "19x10", [&] {
    s.set_background({PixelFormat::rgba, 19, 10, {bytes.data()}, {4 * 20}}, 2);
  });
  throws("a grey background", Error::Kind::bad_setting, "rgba", [&] {
    s.set_background({PixelFormat::gray8, 20, 10, {bytes.data()}, {20}}, 2);
  });
  throws("no frames to learn", Error::Kind::bad_setting, "not 0", [&] { s.learn(0); });
  throws("a picture of no pixels", Error::Kind::bad_setting, "0x10", [&] { GlSegmenter(d, {0, 10}, 2); });
  throws("a huge picture", Error::Kind::bad_setting, "1000000", [&] { GlSegmenter(d, {1000000, 10}, 2); });
  throws("a state of another size", Error::Kind::bad_data, "8x8", [&] { s.load(empty_state({8, 8}, 1)); });
  throws("a state with short arrays", Error::Kind::bad_data, "arrays", [&] {
    State broken = empty_state({20, 10}, 1);
    broken.mask.pop_back();
    s.load(broken);
  });
  const GlSource good = {"kernels/a.glsl", "int two() { return 2; }\n"};
  const GlSource bad = {"kernels/b.frag", "out vec4 c;\nvoid main() {\n  c = nonsense(two());\n}\n"};
  throws("a shader with a mistake", Error::Kind::device, "kernels/b.frag:3:", [&] {
    GlProgram::fragment(d, {good, bad});
  });
  const std::string named =
      name_lines("0(7) : error C1503\n0:1(2): error: x\nERROR: 0:4: 'y'\n", 3, {good, bad});
  c.expect(named == "kernels/b.frag:3: error C1503\n0:1(2): error: x\nkernels/a.glsl:1: 'y'\n",
           "the lines of a driver's log are named wrongly: " + named);
  throws("an address of elsewhere", Error::Kind::bad_setting, "address", [&] { d.range_of(bytes.data()); });
}

void time_path(Checker &c, const GlDevice &d, Path path, const Config &config) {
  GlSegmenter segmenter(d, config, 1, path);
  Frame frame(d, config.width, config.height);
  paint(frame, c, 0);
  segmenter.segment(frame.texture.id(), {});
  paint(frame, c, 1);
  for (const int iterations : {0, 1, 2, 4, 6, 8, 10}) {
    Params p;
    p.iterations = iterations;
    c.time(text(name_of(path), " ", config.width, "x", config.height, " iterations ", iterations),
           double(config.width) * config.height, [&] { segmenter.segment(frame.texture.id(), p); });
  }
}
void run_times(Checker &c) {
  const auto &d = static_cast<const GlDevice &>(c.device);
  if (!c.benching()) throw Skip{"only with --bench"};
  if (!d.has_timer()) throw Skip{"this OpenGL has no timer queries"};
  for (const Config &config : {Config{640, 480}, Config{1920, 1080}})
    for (const Path path : {Path::compute, Path::fragment})
      if (path == Path::fragment || d.has_compute()) time_path(c, d, path, config);
}

const check::Register cases[] = {
    check::Register{{"colinearseg/definitions", run_definitions, {Backend::gl}}},
    check::Register{{"colinearseg/errors", run_errors, {Backend::gl}}},
    check::Register{{"colinearseg/compute", run_compute, {Backend::gl}}},
    check::Register{{"colinearseg/fragment", run_fragment, {Backend::gl}}},
    check::Register{{"colinearseg/es", run_es, {Backend::gl}}},
    check::Register{{"colinearseg/large", run_large, {Backend::gl}}},
    check::Register{{"colinearseg/times", run_times, {Backend::gl}}},
};

} // namespace
} // namespace vigil::colinearseg
