// SPDX-License-Identifier: LGPL-2.1-or-later
#include "activity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace vigil::monitor {
namespace {

int cell(double v, int n) {
  return std::clamp(static_cast<int>(v * n), 0, n - 1);
}

} // namespace

void Activity::frame(double time, std::vector<Rect> boxes, double area) {
  const std::lock_guard guard(lock_);
  frames_++;
  constexpr double longest = 1; // a frame that comes after a gap stands for no more
  const double lasted = std::clamp(time - last_frame_, 0.0, longest);
  last_frame_ = time;
  now_.changed = std::max(now_.changed, std::min(area, 1.0));
  now_.boxes = std::max(now_.boxes, static_cast<int>(boxes.size()));
  if (!boxes.empty()) {
    MovingCells &moved = moved_[static_cast<std::int64_t>(std::floor(time))];
    for (const Rect &b : boxes) moved.set(b);
  }
  for (const Rect &b : boxes) {
    const int x1 = cell(b.x + b.width, columns), y1 = cell(b.y + b.height, rows);
    for (int y = cell(b.y, rows); y <= y1; y++)
      for (int x = cell(b.x, columns); x <= x1; x++)
        heat_[static_cast<std::size_t>(y * columns + x)] += static_cast<float>(lasted);
  }
  warm_ = warm_ || !boxes.empty();
  boxes_ = std::move(boxes);
}

void Activity::scores(std::map<std::string, double> s) {
  const std::lock_guard guard(lock_);
  now_.scores = std::move(s);
}

void Activity::exposure(std::optional<double> gain, std::optional<Point> shift) {
  const std::lock_guard guard(lock_);
  now_.gain = gain;
  now_.shift = shift;
}

Activity::Second Activity::end_second(double time) {
  const std::lock_guard guard(lock_);
  const double lasted = time - second_began_;
  now_.time = time;
  now_.fps = second_began_ > 0 && lasted > 0 ? frames_ / lasted : 0;
  Second out{now_, frames_ ? boxes_ : std::vector<Rect>()};
  past_[ended_++ % past_.size()] = now_;
  frames_ = 0;
  second_began_ = time;
  now_ = {};
  return out;
}

std::vector<Activity::Sample> Activity::samples() const {
  const std::lock_guard guard(lock_);
  std::vector<Sample> out;
  for (std::size_t i = ended_ - std::min(ended_, past_.size()); i < ended_; i++)
    out.push_back(past_[i % past_.size()]);
  return out;
}

std::vector<float> Activity::take_heat() {
  const std::lock_guard guard(lock_);
  if (!warm_) return {};
  warm_ = false;
  std::vector<float> out(heat_.size());
  out.swap(heat_);
  return out;
}

MovedSeconds Activity::take_moved() {
  const std::lock_guard guard(lock_);
  return std::exchange(moved_, {});
}

std::optional<double> Activity::mean_fps() const {
  const std::lock_guard guard(lock_);
  constexpr std::size_t seconds = 5;
  if (ended_ == 0) return std::nullopt;
  double sum = 0;
  const std::size_t n = std::min(seconds, ended_);
  for (std::size_t i = ended_ - n; i < ended_; i++) sum += past_[i % past_.size()].fps;
  return sum / static_cast<double>(n);
}

nlohmann::json to_json(const Activity::Sample &s) {
  nlohmann::json shift;
  if (s.shift) shift = {{"x", s.shift->x}, {"y", s.shift->y}};
  return {{"time", s.time},
          {"changed_fraction", s.changed},
          {"boxes", s.boxes},
          {"fps", s.fps},
          {"gain", s.gain ? nlohmann::json(*s.gain) : nlohmann::json()},
          {"shift", shift},
          {"scores", s.scores}};
}

nlohmann::json to_json(const Rect &r) {
  return {{"x", r.x}, {"y", r.y}, {"width", r.width}, {"height", r.height}};
}

} // namespace vigil::monitor
