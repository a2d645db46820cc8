// SPDX-License-Identifier: LGPL-2.1-or-later
// Filter chains on OpenCL against the reference: every byte must be the same.
#include "common/device_cast.h"
#include "kernels/filter/opencl.h"
#include "tests/check/checker.h"
#include "tests/check/filter/compare.h"

#include <cmath>

namespace vigil::filter {
namespace {

using check::Checker;
using check::Picture;
using enum PixelFormat;

constexpr PixelFormat formats[] = {rgba, bgra, gray8, gray16, rgba64};

ClDevice &cl(Checker &c) {
  return device_cast<ClDevice>(c.device);
}

// Parameters anywhere in their ranges, ends and defaults among them.
Stage random_stage(Checker &c, const StageType &type) {
  Stage s{&type, {}};
  for (const StageParam &p : type.params) {
    double v = std::uniform_real_distribution<double>(p.min, p.max)(c.rng);
    const auto kind = c.rng() % 6;
    if (kind == 0) v = p.value;
    if (kind == 1) v = c.rng() % 2 ? p.min : p.max;
    s.values.push_back(p.whole ? std::floor(v) : v);
  }
  // Half of the matrices are of rank one.
  if (type.takes_matrix) {
    const auto side = [&] { return 1 + 2 * int(c.rng() % 4); };
    const auto weight = [&] { return std::uniform_real_distribution<double>(-1, 1)(c.rng); };
    s.matrix = {side(), side(), {}};
    std::vector<double> row;
    for (int i = 0; i < s.matrix.columns; i++) row.push_back(weight());
    const bool rank_one = c.rng() % 2;
    for (int y = 0; y < s.matrix.rows; y++) {
      const double factor = weight();
      for (const double r : row) s.matrix.values.push_back(rank_one ? r * factor : weight());
    }
    s.values[0] = double(s.matrix.values.size()) / 2; // as the language demands: not too much in all
  }
  // A white above black, as the language demands.
  if (std::string_view(type.name) == "levels" && s.values[1] - s.values[0] < 1 / 255.)
    s.values[0] = 0, s.values[1] = 1;
  return s;
}

Chain random_chain(Checker &c, PixelFormat format, int stages) {
  const auto types = stage_types();
  Chain chain;
  while (int(chain.size()) < stages) {
    const StageType &t = types[c.rng() % types.size()];
    if ((t.needs_colour && !is_colour(format)) || !fuses(t.kind)) continue;
    chain.push_back(random_stage(c, t));
  }
  return chain;
}

// `work` lets `fast` filter; what comes out must be the reference's.
void compare(Checker &c, ClFilter &fast, const Chain &chain, PixelFormat format, int width, int height,
             int padding) {
  compare_with_reference(c, fast, chain, format, width, height, padding, [&] {
    return text("\"", to_text(chain), "\", ", fast.shape().name(), ", ", fast.passes(), " passes");
  });
}

struct Size {
  int width, height, padding;
};

// Every stage, a few to a chain: kernels are few, as processors' compilers are slow.
void run_stages(Checker &c) {
  constexpr Size sizes[] = {{1, 1, 0}, {5, 3, 3}, {70, 41, 1}, {140, 67, 0}};
  for (const PixelFormat format : {rgba, gray8, rgba64, gray16}) {
    Chain chain;
    const auto run = [&] {
      ClFilter fast(cl(c), chain, format);
      for (const Size &s : sizes) compare(c, fast, chain, format, s.width, s.height, s.padding);
      chain.clear();
    };
    for (const StageType &type : stage_types()) {
      if ((type.needs_colour && !is_colour(format)) || !fuses(type.kind)) continue;
      chain.push_back(random_stage(c, type));
      if (is_point(type.kind) ? chain.size() == 4 : chain.size() >= 2) run();
    }
    if (!chain.empty()) run();
  }
}

// Matrices in one pass and in two, to the largest; what is of rank one is found to be so.
void run_matrices(Checker &c) {
  constexpr Size sizes[] = {{1, 1, 0}, {16, 9, 2}, {77, 50, 0}};
  std::string bell, ring;
  for (int y = -7; y <= 7; y++)
    for (int x = -7; x <= 7; x++) {
      const char *between = x > -7 ? "," : y > -7 ? ";" : "";
      bell += text(between, std::exp(-0.05 * x * x) * std::exp(-0.08 * y * y));
      ring += text(between, x * x + y * y > 20 && x * x + y * y < 50 ? 1 : -0.1);
    }
  struct Case {
    std::string chain;
    bool separable;
  };
  const Case cases[] = {{"correlate matrix=" + bell + " divide=50", true},
                        {"correlate matrix=" + ring + " divide=60 offset=0.2", false},
                        {"correlate matrix=1,2,1;2,4,2;1,2,1 divide=16 repeat=3", true},
                        {"correlate matrix=-1,0,1 divide=0.125 offset=-0.5", true},
                        {"correlate matrix=0,1,0;1,-4,1;0,1,0", false}};
  for (const PixelFormat format : {rgba, gray8, rgba64})
    for (const Case &k : cases) {
      const Chain chain = parse(k.chain);
      c.expect(weights_of(chain[0], full_scale(format)).separable() == k.separable,
               text("\"", k.chain, "\" is ", k.separable ? "not " : "", "done in two passes"));
      ClFilter fast(cl(c), chain, format);
      for (const Size &s : sizes) compare(c, fast, chain, format, s.width, s.height, s.padding);
    }
}

void run_random(Checker &c) {
  constexpr Size sizes[] = {{1, 1, 0}, {2, 7, 0}, {33, 1, 5}, {64, 32, 0}, {201, 131, 1}};
  const std::vector<Shape> all = shapes(cl(c));
  for (int n = 0; n < 10; n++) {
    const PixelFormat format = formats[n % 5];
    const Chain chain = random_chain(c, format, n < 2 ? n : 2 + int(c.rng() % 4));
    ClOptions o;
    o.shape = all[c.rng() % all.size()];
    o.staged = n % 4 == 3;
    if (n % 4 == 2) o.round_trip = 1e9; // everything in one pass that fits
    ClFilter fast(cl(c), chain, format, o);
    for (const Size &s : sizes) compare(c, fast, chain, format, s.width, s.height, s.padding);
  }
}

// Numbers change without new kernels, structure with them, and what is refused changes nothing.
void run_changes(Checker &c) {
  ClFilter fast(cl(c), parse("gaussian sigma=1.5 ! invert ! sharpen"), rgba);
  const auto step = [&](const char *chain, bool rebuilt) {
    const Chain next = parse(chain);
    c.expect(fast.set_chain(next) == rebuilt,
             text("\"", chain, "\": kernels were ", rebuilt ? "not " : "", "built"));
    compare(c, fast, next, rgba, 50, 40, 0);
  };
  step("gaussian sigma=1.4 ! gamma value=2 ! emboss amount=0.25", false);
  step("gaussian sigma=1.4 ! gamma value=2 ! invert ! sharpen amount=3", false);
  step("gaussian sigma=1.4 ! gamma value=2 ! laplacian", true);
  step("", true);
  ClFilter grey(cl(c), parse("median"), gray8);
  try {
    grey.set_chain(parse("sepia"));
    c.fail("sepia on gray8 was not refused");
  } catch (const Error &e) {
    c.expect(e.kind() == Error::Kind::bad_setting, e.what());
  }
  compare(c, grey, parse("median"), gray8, 20, 20, 0);
  // Samples of 16 bits at odd addresses are refused, not read.
  ClFilter deep(cl(c), parse("median"), gray16);
  Picture odd(c, gray16, 8, 8, 1);
  try {
    deep.apply(odd.device(), odd.device(), c.queue());
    c.fail("samples at odd addresses were not refused");
  } catch (const Error &e) {
    c.expect(e.kind() == Error::Kind::bad_setting, e.what());
  }
}

void measure(Checker &c) {
  constexpr const char *chains[] = {
      "",
      "gaussian sigma=2",
      "gaussian sigma=2 ! grayscale ! sharpen amount=0.5",
      "brightness amount=0.1 ! saturation amount=1.3 ! contrast amount=1.2",
      "median ! sharpen amount=0.5 ! gamma value=1.2",
      "sharpen ! sharpen",
      "sharpen ! sharpen ! sharpen ! sharpen",
      "gaussian sigma=1 ! gaussian sigma=1",
      "gaussian sigma=2 ! gaussian sigma=2",
      "gaussian sigma=4 ! gaussian sigma=4",
      "correlate matrix=1,2,3,2,1;2,4,6,4,2;3,6,9,6,3;2,4,6,4,2;1,2,3,2,1 divide=81",
      "correlate matrix=1,2,3,2,1;2,4,6,4,2;3,6,10,6,3;2,4,6,4,2;1,2,3,2,1 divide=82",
      "bilateral spatial-sigma=1.5",
  };
  const double pixels = 1920. * 1080;
  for (const PixelFormat format : {rgba, rgba64})
    for (const char *chain : chains) {
      Picture in(c, format, 1920, 1080), out(c, format, 1920, 1080);
      in.bytes = c.noise(in.bytes.size());
      in.send();
      const auto time = [&](const char *how, const ClOptions &o) {
        ClFilter f(cl(c), parse(chain), format, o);
        c.time(
            text(name_of(format), " ", chain, " ", how, ", ", f.shape().name(), ", ", f.passes(), " passes"),
            pixels, [&] { f.apply(in.device(), out.device(), c.queue()); }, {}, cl(c).is_cpu() ? 1 : 20);
      };
      for (const Shape &s : shapes(cl(c))) {
        time("fused", {.shape = s, .round_trip = 1e9});
        time("staged", {.shape = s, .staged = true});
      }
    }
}

check::Register stages_case{{"filter/stages", run_stages, {Backend::opencl}}};
check::Register random_case{{"filter/random",
                             [](Checker &c) {
                               run_random(c);
                               if (c.benching()) measure(c);
                             },
                             {Backend::opencl}}};
check::Register matrices_case{{"filter/matrices", run_matrices, {Backend::opencl}}};
check::Register changes_case{{"filter/changes", run_changes, {Backend::opencl}}};

} // namespace
} // namespace vigil::filter
