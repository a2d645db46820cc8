// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/camera.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {
constexpr float degree = 3.14159265f / 180;
constexpr float yaw = 14 * degree; // the street runs a little uphill in the picture
constexpr float pitch =
    23 * degree; // with the field of view: the top of the picture is just below the horizon
constexpr float focal_length = 1.374f; // of the picture's height: 40 degrees from top to bottom
} // namespace

Camera::Camera(int width, int height, float pole, float aside, float down)
    : height_(pole), sin_yaw_(std::sin(yaw + aside * degree)), cos_yaw_(std::cos(yaw + aside * degree)),
      sin_pitch_(std::sin(pitch + down * degree)), cos_pitch_(std::cos(pitch + down * degree)),
      focal_(focal_length * std::max(float(height), width * 0.5f)), cx_(width * 0.5f), cy_(height * 0.5f) {}

Camera::Seen Camera::see(const World &p) const {
  const float a = p.u * cos_yaw_ - p.v * sin_yaw_, b = p.u * sin_yaw_ + p.v * cos_yaw_, drop = height_ - p.y;
  const float depth = b * cos_pitch_ + drop * sin_pitch_;
  if (depth < 0.1f) return {{0, 0}, 0};
  const float scale = focal_ / depth;
  return {{cx_ + a * scale, cy_ - (b * sin_pitch_ - drop * cos_pitch_) * scale}, scale};
}

World Camera::ray(float x, float y) const {
  const float a = (x - cx_) / focal_, up = (cy_ - y) / focal_;
  const float b = cos_pitch_ + up * sin_pitch_;
  return {a * cos_yaw_ + b * sin_yaw_, b * cos_yaw_ - a * sin_yaw_, up * cos_pitch_ - sin_pitch_};
}

bool Camera::ground_row(float y, GroundRow &row) const {
  const World left = ray(0, y), next = ray(1, y);
  if (left.y > -1e-3f) return false;
  const float depth = height_ / -left.y; // of the ground along the optical axis, the same for the whole row
  row.start = {left.u * depth, left.v * depth};
  row.step = {(next.u - left.u) * depth, (next.v - left.v) * depth};
  row.scale = focal_ / depth;
  return true;
}

bool Camera::visible_stretch(ScenePoint at, ScenePoint heading, float margin, float &from, float &to) const {
  const auto right = [&](ScenePoint p) { return p.x * cos_yaw_ - p.y * sin_yaw_; };
  const auto depth = [&](ScenePoint p) { return (p.x * sin_yaw_ + p.y * cos_yaw_) * cos_pitch_; };
  // |x - cx| <= cx is two half planes through the eye: depth * k -+ right >= 0; and the depth is at least 1
  // m.
  const float k = cx_ / focal_, lift = height_ * sin_pitch_;
  const struct {
    float value, slope;
  } bounds[] = {{k * (depth(at) + lift) - right(at), k * depth(heading) - right(heading)},
                {k * (depth(at) + lift) + right(at), k * depth(heading) + right(heading)},
                {depth(at) + lift - 1, depth(heading)}};
  from = -1e4f;
  to = 1e4f;
  for (const auto &b : bounds) {
    if (std::abs(b.slope) < 1e-6f) {
      if (b.value < 0) return false;
    } else if (b.slope > 0)
      from = std::max(from, -b.value / b.slope);
    else
      to = std::min(to, -b.value / b.slope);
  }
  if (from >= to) return false;
  from -= margin;
  to += margin;
  return true;
}

} // namespace vigil::scene
