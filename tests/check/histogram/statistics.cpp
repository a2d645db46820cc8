// SPDX-License-Identifier: LGPL-2.1-or-later
// What is host code: fewer bins, the panel, advice. Statistics themselves are pinned by tests/golden.
#include "kernels/histogram/statistics.h"
#include "common/error.h"
#include "tests/check/checker.h"

#include <cmath>
#include <numeric>

namespace vigil::histogram {
namespace {

using check::Checker;

void run_bins(Checker &c) {
  Bins all;
  std::iota(all.begin(), all.end(), 1u);
  const auto few = in_bins(all, 64);
  c.expect(few.size() == 64 && few[0] == 1 + 2 + 3 + 4 && few[63] == 253 + 254 + 255 + 256,
           "four bins of 256 are one of 64");
  c.expect(in_bins(all, 256) == std::vector<std::uint32_t>(all.begin(), all.end()), "256 bins stay");
  c.refused("65 bins", [&] { in_bins(all, 65); });
}

void run_panels(Checker &c) {
  for (const int width : {1, 2, 3, 64, 257, 640, 1920, 7680})
    for (const int height : {1, 2, 5, 128, 131, 480, 4320}) {
      const Panel p = panel_for(width, height, 64);
      std::uint8_t memory = 0;
      check_panel({PixelFormat::gray8, width, height, {&memory}, {width}}, p); // throws when it does not fit
    }
  const Panel usual = panel_for(640, 480, 256), large = panel_for(1920, 1080, 256);
  c.expect(usual.width == 256 && usual.height == 128 && usual.line == 1, "256x128 at VGA");
  c.expect(large.width == 512 && large.height == 256 && large.line == 2, "twice as large at 1080p");
}

// A grey picture with these shares of its pixels at these levels.
Counts mix(std::initializer_list<std::pair<int, unsigned>> parts) {
  Counts counts;
  for (const auto &[level, pixels] : parts) {
    counts.intensity[level] += pixels;
    for (Bins &b : counts.channel) b[level] += pixels;
  }
  return counts;
}

void run_advice(Checker &c) {
  const auto check = [&](const char *what, const Counts &counts, Exposure want, double low, double high,
                         bool low_contrast) {
    const Advice a = advise(statistics(counts, 3));
    c.expect(a.exposure == want && a.stops >= low && a.stops <= high && a.low_contrast == low_contrast,
             text(what, ": ", name_of(a.exposure), " by ", a.stops, " stops",
                  a.low_contrast ? ", low contrast" : ""));
  };
  constexpr int grey = 117; // (117 / 255) ^ 2.2 = 0.18
  check("grey", mix({{40, 100}, {grey, 800}, {180, 100}}), Exposure::good, 0, 0, false);
  check("all of it grey", mix({{grey, 1000}}), Exposure::good, 0, 0, true);
  check("night", mix({{5, 500}, {15, 400}, {80, 100}}), Exposure::brighter, 3, 4, false);
  check("night with lamps that must not clip", mix({{5, 500}, {15, 400}, {100, 80}, {180, 20}}),
        Exposure::brighter, 1, 1.2, false);
  check("night with lamps near white", mix({{5, 500}, {15, 400}, {100, 80}, {240, 20}}), Exposure::good, 0, 0,
        false);
  check("lens cap", mix({{0, 1000}}), Exposure::brighter, 4, 4, true);
  check("sky is lost", mix({{grey, 700}, {255, 300}}), Exposure::darker, -1.7, -1, false);
  check("a little is lost", mix({{60, 980}, {255, 20}}), Exposure::darker, -0.5, -0.5, true);
  check("a lamp may clip", mix({{30, 100}, {grey, 895}, {255, 5}}), Exposure::good, 0, 0, false);
  check("bright, nothing lost", mix({{150, 200}, {235, 800}}), Exposure::darker, -2.2, -1.5, false);
  check("backlight", mix({{0, 400}, {grey, 200}, {255, 400}}), Exposure::both_ends, 0, 0, false);
  check("nothing", {}, Exposure::brighter, 4, 4, true);

  Counts red = mix({{grey, 900}});
  red.intensity[76] = red.channel[0][255] = red.channel[1][0] = red.channel[2][0] = 100;
  check("one channel is lost", red, Exposure::darker, -0.5, -0.5, true);
  c.refused("black above white", [] { statistics({}, 1, {235, 16}); });
}

check::Register bins_case{{"histogram/bins", run_bins, {Backend::cpu}}};
check::Register panel_case{{"histogram/panels", run_panels, {Backend::cpu}}};
check::Register advice_case{{"histogram/advice", run_advice, {Backend::cpu}}};

} // namespace
} // namespace vigil::histogram
