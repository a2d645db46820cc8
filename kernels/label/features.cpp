// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::label {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The median, or NaN of nothing.
double median(std::vector<double> v) {
  if (v.empty()) return unknown;
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

} // namespace

const char *name_of(Feature f) {
  static constexpr const char *names[feature_count] = {
      "aspect",   "aspect-change", "size",   "relative-size", "speed",  "relative-speed",
      "sideways", "straightness",  "travel", "rhythm",        "filled", "upright"};
  return names[static_cast<std::size_t>(f)];
}

void TrackViews::add(const View &v, double picture_width, double picture_height) {
  const track::Box &b = v.box;
  for (const double x : {v.seconds, b.x, b.y, b.width, b.height, picture_width, picture_height})
    if (!std::isfinite(x)) return;
  if (b.width <= 0 || b.height <= 0 || picture_width <= 0 || picture_height <= 0) return;
  if (!views_.empty() && v.seconds <= last_seconds_) return;
  last_seconds_ = v.seconds;
  if (count_++ % stride_) return;
  if (views_.size() == most_kept) { // every second one goes
    for (std::size_t i = 0; 2 * i < most_kept; i++) views_[i] = views_[2 * i];
    views_.resize(most_kept / 2);
    stride_ *= 2;
  }
  constexpr double border = 2; // pixels
  const bool whole = b.x >= border && b.y >= border && b.x + b.width <= picture_width - border &&
                     b.y + b.height <= picture_height - border;
  const auto or_unknown = [](bool known, double x) { return known && std::isfinite(x) ? x : unknown; };
  views_.push_back(
      {v.seconds, (b.x + b.width / 2) / picture_height, (b.y + b.height) / picture_height,
       std::log(b.height / b.width), std::log(std::sqrt(b.width * b.height) / picture_height),
       or_unknown(v.area > 0, std::min(1., v.area / (b.width * b.height))),
       or_unknown(v.spread_across > 0 && v.spread_down > 0, std::log(v.spread_down / v.spread_across) / 2),
       b.width / picture_height, whole});
}

// Of the views that show the whole object, or of all where none does.
std::vector<double> TrackViews::of_whole(double Kept::*field) const {
  std::vector<double> out;
  for (const bool any : {false, true}) {
    for (const Kept &k : views_)
      if ((k.whole || any) && !std::isnan(k.*field)) out.push_back(k.*field);
    if (!out.empty()) break;
  }
  return out;
}

TrackViews::Motion TrackViews::motion() const {
  // Steps of half a second: a box's edges jitter from frame to frame, and their sum would be no way.
  constexpr double step = 0.5;
  const Kept *last = nullptr;
  double way = 0, across = 0, down = 0, lasted = 0;
  for (const Kept &k : views_) {
    if (last && k.seconds - last->seconds < step) continue;
    if (last) {
      way += std::hypot(k.x - last->x, k.y - last->y);
      across += std::abs(k.x - last->x);
      down += std::abs(k.y - last->y);
      lasted += k.seconds - last->seconds;
    }
    last = &k;
  }
  if (lasted <= 0) return {unknown, unknown, unknown, unknown};
  const double travelled = std::hypot(last->x - views_.front().x, last->y - views_.front().y);
  return {way / lasted, way > 0 ? across / (across + down) : unknown, way > 0 ? travelled / way : unknown,
          travelled};
}

// The largest rise of the autocorrelation of the width after its first fall.
double TrackViews::rhythm() const {
  constexpr double rate = 12, shortest = 1.6, least_lag = 0.25, largest_lag = 1.2; // 1/s and s
  std::vector<const Kept *> whole;
  for (const Kept &k : views_)
    if (k.whole) whole.push_back(&k);
  if (whole.size() < 8) return unknown;
  const double lasted = whole.back()->seconds - whole.front()->seconds;
  // Fewer than four views a second cannot show a step.
  if (lasted < shortest || double(whole.size()) < 4 * lasted) return unknown;
  const auto n = static_cast<std::size_t>(std::min(lasted, 20.) * rate);
  std::vector<double> w(n);
  for (std::size_t i = 0, k = 0; i < n; i++) {
    const double at = whole.front()->seconds + double(i) / rate;
    while (k + 2 < whole.size() && whole[k + 1]->seconds < at) k++;
    const double part = (at - whole[k]->seconds) / (whole[k + 1]->seconds - whole[k]->seconds);
    w[i] = std::log(whole[k]->width) +
           std::clamp(part, 0., 1.) * std::log(whole[k + 1]->width / whole[k]->width);
  }
  // What changes slowly, since it comes nearer or turns, is taken off: the mean of the second around.
  const auto half = static_cast<std::size_t>(rate / 2);
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; i++) {
    const std::size_t from = i > half ? i - half : 0, to = std::min(n, i + half + 1);
    double sum = 0;
    for (std::size_t j = from; j < to; j++) sum += w[j];
    d[i] = w[i] - sum / double(to - from);
  }
  double power = 0;
  for (const double x : d) power += x * x;
  power /= double(n);
  if (power < 1e-6) return 0;
  double lowest = 1, rise = 0;
  for (std::size_t lag = 1; lag <= static_cast<std::size_t>(largest_lag * rate) && lag + 4 < n; lag++) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; i++) sum += d[i] * d[i + lag];
    const double r = sum / double(n - lag) / power;
    if (double(lag) / rate >= least_lag) rise = std::max(rise, r - lowest);
    lowest = std::min(lowest, r);
  }
  return std::clamp(rise / 2, 0., 1.);
}

Features TrackViews::features(const PlaceScale &place) const {
  Features out;
  out.fill(std::numeric_limits<float>::quiet_NaN());
  if (views_.empty()) return out;
  const auto put = [&](Feature f, double v) { out[static_cast<std::size_t>(f)] = static_cast<float>(v); };
  const std::vector<double> aspects = of_whole(&Kept::aspect);
  const double aspect = median(aspects), log_size = median(of_whole(&Kept::size));
  double change = 0;
  for (const double a : aspects) change += std::abs(a - aspect);
  put(Feature::aspect, aspect);
  if (aspects.size() >= 4) put(Feature::aspect_change, change / double(aspects.size()));
  put(Feature::size, log_size);
  put(Feature::filled, median(of_whole(&Kept::filled)));
  put(Feature::upright, median(of_whole(&Kept::upright)));
  put(Feature::rhythm, rhythm());
  const Motion m = motion();
  const double own = std::exp(log_size);
  put(Feature::speed, std::log(0.05 + m.speed / own));
  put(Feature::travel, std::log(0.05 + m.travelled / own));
  put(Feature::sideways, m.sideways);
  put(Feature::straightness, m.straightness);
  if (const auto usual = place.usual(median(of_whole(&Kept::y)))) {
    put(Feature::relative_size, log_size - usual->size);
    put(Feature::relative_speed, std::log(0.01 + m.speed) - usual->speed);
  }
  return out;
}

void TrackViews::teach(PlaceScale &place) const {
  if (views_.empty()) return;
  place.learn(median(of_whole(&Kept::y)), median(of_whole(&Kept::size)), std::log(0.01 + motion().speed));
}

} // namespace vigil::label
