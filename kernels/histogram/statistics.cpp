// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/histogram/statistics.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vigil::histogram {
namespace {

constexpr int clip_margin = 2;       // codes
constexpr double much_bright = 0.01; // shares of clipped pixels that are too many
constexpr double much_dark = 0.05;
constexpr double grey = 0.18;                               // of white, in light
constexpr double gamma = 2.2;                               // light is value ^ gamma
constexpr double tolerance = 1, least_step = 0.5, most = 4; // stops
constexpr double little_contrast = 0.25;

std::uint64_t total(const Bins &b, int first = 0, int last = bins - 1) {
  return std::accumulate(b.begin() + first, b.begin() + last + 1, std::uint64_t{0});
}

int percentile(const Bins &b, std::uint64_t pixels, unsigned percent) {
  const std::uint64_t wanted = (percent * pixels + 99) / 100; // at least 1
  std::uint64_t sum = 0;
  for (int v = 0; v < bins; v++)
    if ((sum += b[v]) >= wanted) return v;
  return bins - 1;
}

double light(double value) {
  return std::pow(std::clamp(value, 0., 1.), gamma);
}

// How many stops brighter `from` must be to be `to`, both shares of white in light.
double stops(double from, double to) {
  return from > 0 ? std::clamp(std::log2(to / from), -most, most) : most;
}

} // namespace

Statistics statistics(const Counts &counts, int channels, Levels levels) {
  if (levels.black < 0 || levels.black >= levels.white || levels.white >= bins)
    fail(Error::Kind::bad_setting, "black at ", levels.black, " and white at ", levels.white,
         " are not levels of 8 bits");
  Statistics s;
  const Bins &h = counts.intensity;
  const std::uint64_t pixels = total(h);
  if (pixels == 0) return s;
  const auto value = [&](double code) { return (code - levels.black) / (levels.white - levels.black); };
  for (int v = 0; v < bins; v++) {
    s.mean += value(v) * h[v] / double(pixels);
    s.metered += light(value(v)) * h[v] / double(pixels);
  }
  s.median = value(percentile(h, pixels, 50));
  s.contrast = value(percentile(h, pixels, 95)) - value(percentile(h, pixels, 5));
  s.clipped_dark = double(total(h, 0, std::min(levels.black + clip_margin, bins - 1))) / double(pixels);
  for (int c = 0; c < channels; c++) {
    const Bins &b = counts.channel[c];
    const double full = double(total(b, std::max(levels.white - clip_margin, 0))) / double(pixels);
    s.clipped_bright = std::max(s.clipped_bright, full);
    s.bright_end = std::max(s.bright_end, value(percentile(b, pixels, 99)));
  }
  return s;
}

const char *name_of(Exposure e) {
  switch (e) {
  case Exposure::brighter:
    return "brighter";
  case Exposure::darker:
    return "darker";
  case Exposure::both_ends:
    return "both-ends-clip";
  default:
    return "good";
  }
}

Advice advise(const Statistics &s) {
  Advice a;
  const bool bright = s.clipped_bright > much_bright, dark = s.clipped_dark > much_dark;
  if (bright && dark) {
    a.exposure = Exposure::both_ends;
    return a;
  }
  a.low_contrast = s.contrast < little_contrast;
  const double wanted = stops(s.metered, grey);
  if (bright || wanted < -tolerance) {
    a.exposure = Exposure::darker;
    a.stops = bright ? std::min(wanted, -least_step) : wanted;
  } else if (wanted > tolerance) {
    const double room = stops(light(s.bright_end), 1);
    if (room < least_step) return a;
    a.exposure = Exposure::brighter;
    a.stops = std::min(wanted, room);
  }
  return a;
}

} // namespace vigil::histogram
