// SPDX-License-Identifier: LGPL-2.1-or-later
#include "trouble.h"

#include <algorithm>
#include <string_view>

namespace vigil::monitor {
namespace {

std::string kind(const std::string &label) {
  return label.substr(std::string_view("camera-").size());
}

} // namespace

bool CameraTrouble::is_label(const std::string &name) {
  constexpr std::string_view known[] = {"camera-covered", "camera-blurred", "camera-moved"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

void CameraTrouble::begin(const std::string &label, double time, double left, std::optional<Point> shift) {
  since_.try_emplace(kind(label), time);
  if (shift) shift_ = shift;
  events_.begin({label, time, std::clamp(1 - left, 0.0, 1.0), "", "", true, true});
}

void CameraTrouble::end(const std::string &label, double time) {
  since_.erase(kind(label));
  if (label == "camera-moved") shift_.reset();
  events_.end(label, time);
}

void CameraTrouble::clock_set(double change) {
  for (auto &[kind, since] : since_) since += change;
}

void CameraTrouble::forget() {
  since_.clear();
  shift_.reset();
}

} // namespace vigil::monitor
