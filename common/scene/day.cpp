// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/day.h"

#include "common/scene/ground.h"
#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::scene {
namespace {

constexpr double seconds_an_hour = 3600, begin_hour = 12;
constexpr Rgb moonlight{0.20f, 0.22f, 0.28f}, lamplight{0.58f, 0.50f, 0.36f}, evening{1, 0.88f, 0.72f};
constexpr float lamps_below = 0.3f;                                    // of daylight
constexpr ScenePoint lamp_feet[] = {{-6, 8.4f}, {5, 12}, {-1, 16.5f}}; // metres
constexpr float lamp_reach = 4.5f;                                     // metres
constexpr double cloud_speed = 6;                                      // metres a second
constexpr float cloud_length = 110, cloud_depth = 0.45f;               // metres, share of the light

double smooth(double from, double to, double v) {
  const double t = std::clamp((v - from) / (to - from), 0., 1.);
  return t * t * (3 - 2 * t);
}
// 1 from `from` to `to`, and slopes of `slope` hours before and after; hours of the day.
double during(double hour, double from, double to, double slope) {
  return smooth(from - slope, from, hour) * (1 - smooth(to, to + slope, hour));
}

} // namespace

double hour_of(double time) {
  return std::fmod(begin_hour + time / seconds_an_hour, 24);
}

Weather weather_at(double time) {
  const double hour = hour_of(time), height = std::sin((hour - 6) / 12 * 3.14159265358979); // of the sun
  const double daylight = smooth(-0.1, 0.25, height);
  const double rain = during(hour, 16.75, 17.5, 0.1) + during(hour, 2, 2.75, 0.1);
  return {float(daylight),
          float(daylight * (1 - smooth(0.05, 0.45, height))),
          float(during(hour, 16.5, 18, 0.4) + during(hour, 1.5, 3, 0.4)),
          float(during(hour, 12, 16, 0.3) + during(hour, 8, 10.5, 0.3)),
          float(rain),
          daylight < double(lamps_below)};
}

Sun day_sun(double time) {
  const Weather w = weather_at(time);
  const auto turn = float(12 - hour_of(time)); // hours before noon
  const float bright = w.daylight * (1 - 0.8f * w.overcast);
  return {{std::clamp(0.3f * turn, -1.6f, 1.6f), 0.3f}, 0.12f + 0.28f * bright, 0.3f - 0.2f * bright};
}

Day::Day(const Settings &s, const Camera &camera)
    : seed_(mix(s.seed, 0x64617973u)), width_(s.width), height_(s.height),
      columns_((s.width - 1) / grid_step + 2), rows_((s.height - 1) / grid_step + 2) {
  if (s.headlights) beams_.emplace(s, camera);
  for (int row = 0; row < rows_; row++)
    for (int column = 0; column < columns_; column++)
      ground_.push_back(foot_of(camera, float(column * grid_step), float(row * grid_step)));
  lamps_.resize(std::size_t(width_) * std::size_t(height_));
  for (int y = 0; y < height_; y++)
    for (int x = 0; x < width_; x++) {
      const ScenePoint at = foot_of(camera, float(x) + 0.5f, float(y) + 0.5f);
      float sum = 0;
      for (const ScenePoint &lamp : lamp_feet) {
        const float far2 = (at.x - lamp.x) * (at.x - lamp.x) + (at.y - lamp.y) * (at.y - lamp.y);
        sum += 1 / ((1 + far2 / (lamp_reach * lamp_reach)) * (1 + far2 / (lamp_reach * lamp_reach)));
      }
      lamps_[std::size_t(y) * std::size_t(width_) + std::size_t(x)] = std::min(sum, 1.f);
    }
}

std::unique_ptr<Effect::Frame> Day::frame(const Moment &moment, const std::vector<Actor> &actors) const {
  return std::make_unique<Frame>(*this, moment, actors);
}

Day::Frame::Frame(const Day &d, const Moment &moment, const std::vector<Actor> &actors) : day_(d) {
  const Weather w = weather_at(moment.time);
  noise_ = 2 - w.daylight;
  const float day = w.daylight * (1 - 0.3f * w.overcast);
  const auto mixed = [&](float night, float warm) {
    return night + day * (1 + w.warmth * (warm - 1) * (1 - w.overcast)) * (1 - night);
  };
  sky_ = {mixed(moonlight.r, evening.r), mixed(moonlight.g, evening.g), mixed(moonlight.b, evening.b)};
  lamps_ = w.lamps ? lamplight : Rgb{0, 0, 0};
  if (w.lamps && d.beams_) beams_.emplace(*d.beams_, actors);

  clouds_.assign(d.ground_.size(), 1.f);
  if (const float depth = cloud_depth * w.broken * w.daylight * (1 - w.overcast); depth > 0) {
    const auto drift = float(std::fmod(moment.time * cloud_speed / cloud_length, 65536.));
    for (std::size_t i = 0; i < d.ground_.size(); i++) {
      const float v =
          value_noise(d.seed_, d.ground_[i].x / cloud_length + drift, d.ground_[i].y / cloud_length) +
          0.5f * value_noise(d.seed_ + 1, 2 * d.ground_[i].x / cloud_length + 2 * drift,
                             2 * d.ground_[i].y / cloud_length);
      clouds_[i] = 1 - depth * float(smooth(-0.15, 0.25, double(v)));
    }
  }

  const auto area = double(d.width_) * double(d.height_);
  const int drops = int(std::lround(double(w.rain) * 120 * area / (double(d.height_) * 320)));
  const float unit = float(d.height_) / 240;
  for (int i = 0; i < drops; i++) {
    Random random(mix(d.seed_, 0x7261696eu, std::uint32_t(moment.frame), std::uint32_t(i)));
    const int length = 1 + int(random.between(5, 14) * unit);
    const int top = int(random.between(-14 * unit, float(d.height_)));
    drops_.push_back({int(random.between(0, float(d.width_))), top, length, random.between(0.05f, 0.2f),
                      random.between(15, 55) * (0.3f + 0.7f * w.daylight)});
  }
}

void Day::Frame::row(const ColourRow &row, int y) const {
  light(row, y);
  rain(row, y);
}

void Day::Frame::light(const ColourRow &row, int y) const {
  const int above = y / grid_step, columns = day_.columns_;
  const float down = float(y % grid_step) / float(grid_step);
  const float *const upper = clouds_.data() + std::ptrdiff_t(above) * columns, *const lower = upper + columns;
  const float *const lamps = day_.lamps_.data() + std::ptrdiff_t(y) * day_.width_;
  for (int x = 0; x < day_.width_; x++) {
    const int c = x / grid_step;
    const float across = float(x % grid_step) / float(grid_step);
    const float top = upper[c] + (upper[c + 1] - upper[c]) * across,
                low = lower[c] + (lower[c + 1] - lower[c]) * across;
    const float cloud = top + (low - top) * down;
    const Rgb beams = beams_ ? beams_->light(x, y) : Rgb{0, 0, 0};
    row.r[x] *= sky_.r * cloud + lamps_.r * lamps[x] + beams.r;
    row.g[x] *= sky_.g * cloud + lamps_.g * lamps[x] + beams.g;
    row.b[x] *= sky_.b * cloud + lamps_.b * lamps[x] + beams.b;
  }
  if (beams_) beams_->glare(row, y);
}

void Day::Frame::rain(const ColourRow &row, int y) const {
  for (const Drop &d : drops_) {
    if (y < d.top || y >= d.top + d.length) continue;
    const int x = d.x + int(d.slant * float(y - d.top));
    if (x < 0 || x >= day_.width_) continue;
    row.r[x] += d.brightness;
    row.g[x] += d.brightness;
    row.b[x] += d.brightness;
  }
}

// Somebody comes by in a part of the slots of five minutes, in more of them by day: people on both pavements,
// some of whom stop for half a minute, and cars. One car parks from 17:10 until 07:40.
void Plot::passers(double time, std::vector<Actor> &actors) const {
  constexpr double slot = 300, longest = 90; // seconds
  constexpr int parked_id = 1 << 24;
  if (density_ <= 0 || time < quiet_) return;
  const double since = time - quiet_;
  for (auto n = std::int64_t(since / slot); n >= 0 && double(n + 1) * slot + longest > since; n--) {
    Random random(mix(seed_, 0x70617373u, std::uint32_t(n)));
    const double begin = double(n) * slot + double(random.between(60, float(slot) - 5));
    const float busy = (0.35f + 0.55f * weather_at(quiet_ + begin).daylight) * density_;
    const std::uint32_t look = random.next();
    const float which = random.between(0, 1), aside = random.between(-0.3f, 0.3f),
                hurry = random.between(0.87f, 1.15f);
    const bool comes = random.between(0, 1) < busy, leftwards = random.between(0, 1) < 0.5f;
    if (!comes || since < begin) continue;
    const bool car = which >= 0.7f, stops = which < 0.12f;
    const float speed = car ? 7.5f * hurry : 1.35f * hurry;
    const ScenePoint heading{leftwards ? -1.f : 1.f, 0};
    const ScenePoint at{0, (car ? (leftwards ? 13.7f : 10.6f) : which < 0.4f ? 16.f : 7.2f) + aside};
    float from, to;
    if (!camera_.visible_stretch(at, heading, car ? 3.4f + beam_margin_ : 1.6f, from, to)) continue;
    const double half = 0.5 * double(to - from) / double(speed), wait = stops ? 30 : 0;
    const double t = since - begin;
    if (t > 2 * half + wait) continue;
    const bool stands = t > half && t < half + wait;
    const auto walked = float((std::min(t, half) + std::max(0., t - half - wait)) * double(speed));
    const float sway = stands ? 0.08f * float(std::sin(2.5 * t)) : 0.f;
    const float s = from + walked + sway;
    Actor a{car ? Kind::car : Kind::person,
            {at.x + s * heading.x, at.y},
            heading,
            walked,
            stands ? 0.f : speed,
            look,
            1 + int(n)};
    if (stands) a.since = quiet_ + begin + half;
    actors.push_back(a);
  }

  constexpr double parks = (17 + 10 / 60. - 12) * 3600, leaves = (24 + 7 + 40 / 60. - 12) * 3600; // of time
  constexpr double braking = 2, fast = 6;
  const double day = std::fmod(time, 86400), days = std::floor(time / 86400);
  const ScenePoint at{0, 8.9f};
  float from, to;
  if (!camera_.visible_stretch(at, {1, 0}, 3.4f, from, to)) return;
  const double way = day < parks ? -0.5 * braking * std::pow(std::min(parks - day, fast / braking), 2) -
                                       fast * std::max(0., parks - day - fast / braking)
                     : day > leaves ? 0.5 * braking * std::pow(day - leaves, 2)
                                    : 0;
  if (way < double(from) || way > double(to)) return;
  Actor a{Kind::car, {float(way), at.y}, {1, 0}, float(100 + way), float(fast), mix(seed_, 0x7061726bu)};
  a.id = parked_id + int(days);
  if (way == 0) {
    a.speed = 0;
    a.since = days * 86400 + parks;
  }
  actors.push_back(a);
}

} // namespace vigil::scene
