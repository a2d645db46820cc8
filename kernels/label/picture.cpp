// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/picture.h"

#include "kernels/fisher/motion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace vigil::label {
namespace {

float luma_in_format(PixelFormat format, const std::uint8_t *row, int x) {
  switch (format) {
  case PixelFormat::rgba:
  case PixelFormat::bgra: {
    const std::uint8_t *p = row + std::ptrdiff_t{4} * x;
    const int red = format == PixelFormat::rgba ? 0 : 2;
    return fisher::motion_luma(p[red], p[1], p[2 - red]);
  }
  case PixelFormat::rgba64: {
    const std::uint8_t *p = row + std::ptrdiff_t{8} * x; // the high bytes
    return fisher::motion_luma(p[1], p[3], p[5]);
  }
  case PixelFormat::gray16:
  case PixelFormat::p010:
    return row[2 * x + 1];
  case PixelFormat::i420_10:
    return static_cast<float>((row[2 * x] | row[2 * x + 1] << 8) / 4);
  default:
    return row[x];
  }
}

// Which pixels of a line of `from` make one of `to`, and how much of each.
struct PictureTaps {
  int first = 0;
  std::vector<float> weights;
};

std::vector<PictureTaps> picture_taps(int from, int to) {
  const double ratio = double(from) / to, reach = std::max(1., ratio);
  std::vector<PictureTaps> out;
  for (int i = 0; i < to; i++) {
    const double centre = (i + 0.5) * ratio;
    PictureTaps t;
    t.first = std::max(0, static_cast<int>(std::floor(centre - reach)));
    float sum = 0;
    for (int j = t.first; j < std::min(from, static_cast<int>(std::ceil(centre + reach))); j++) {
      t.weights.push_back(static_cast<float>(std::max(0., 1 - std::abs(j + 0.5 - centre) / reach)));
      sum += t.weights.back();
    }
    for (float &w : t.weights) w /= sum;
    out.push_back(std::move(t));
  }
  return out;
}

// The box as far as it is in the picture.
std::optional<track::Box> inside_picture(const track::Box &box, int width, int height) {
  if (!std::isfinite(box.x) || !std::isfinite(box.y) || !std::isfinite(box.width) ||
      !std::isfinite(box.height))
    return std::nullopt;
  const double left = std::clamp(box.x, 0., double(width)), top = std::clamp(box.y, 0., double(height)),
               right = std::clamp(box.x + box.width, 0., double(width)),
               bottom = std::clamp(box.y + box.height, 0., double(height));
  if (!(right > left) || !(bottom > top)) return std::nullopt;
  return track::Box{left, top, right - left, bottom - top};
}

} // namespace

Part part_around(const track::Box &box, int width, int height) {
  constexpr double margin = 1.4, least = 32;
  const double side = std::max(margin * std::max(box.width, box.height), least);
  const auto even = [](double v) { return static_cast<int>(std::lround(v / 2)) * 2; };
  const int w = std::min(even(side), width), h = std::min(even(side), height);
  return {std::clamp(even(box.x + box.width / 2 - side / 2), 0, (width - w) & ~1),
          std::clamp(even(box.y + box.height / 2 - side / 2), 0, (height - h) & ~1), w, h};
}

Part fitted(const Part &from, int width, int height) {
  const double scale = std::min(double(width) / from.width, double(height) / from.height);
  const int w = std::clamp(static_cast<int>(std::lround(from.width * scale)), 1, width),
            h = std::clamp(static_cast<int>(std::lround(from.height * scale)), 1, height);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

namespace {

// value(x, y) is 0..255.
template <class Value>
Picture scaled_around(int width, int height, const track::Box &box, Value value) {
  if (width < 2 || height < 2) return {};
  const auto whole = inside_picture(box, width, height);
  if (!whole) return {};
  constexpr int side = static_cast<int>(picture_side);
  const Part from = part_around(*whole, width, height), to = fitted(from, side, side);
  const auto across = picture_taps(from.width, to.width), down = picture_taps(from.height, to.height);
  const auto line = static_cast<std::size_t>(to.width);
  std::vector<float> rows(line * static_cast<std::size_t>(from.height)),
      values(static_cast<std::size_t>(from.width));
  for (int y = 0; y < from.height; y++) {
    for (int x = 0; x < from.width; x++) values[std::size_t(x)] = value(from.x + x, from.y + y);
    for (std::size_t x = 0; x < line; x++) {
      float sum = 0;
      for (std::size_t i = 0; i < across[x].weights.size(); i++)
        sum += across[x].weights[i] * values[std::size_t(across[x].first) + i];
      rows[std::size_t(y) * line + x] = sum;
    }
  }
  Picture out(picture_bytes);
  for (std::size_t y = 0; y < down.size(); y++)
    for (std::size_t x = 0; x < line; x++) {
      float sum = 0;
      for (std::size_t i = 0; i < down[y].weights.size(); i++)
        sum += down[y].weights[i] * rows[(std::size_t(down[y].first) + i) * line + x];
      out[(std::size_t(to.y) + y) * picture_side + std::size_t(to.x) + x] =
          static_cast<std::uint8_t>(std::lround(std::clamp(sum, 0.F, 255.F)));
    }
  return out;
}

} // namespace

Picture picture_around(const ConstImage &frame, const track::Box &box) {
  return scaled_around(frame.width, frame.height, box, [&](int x, int y) {
    return luma_in_format(frame.format, frame.data[0] + y * frame.stride[0], x);
  });
}

Picture silhouette_around(Plane<const std::uint8_t> mask, const track::Box &box) {
  constexpr int object = 255;
  return scaled_around(mask.width, mask.height, box,
                       [&](int x, int y) { return mask.row(y)[x] == object ? 255.F : 0.F; });
}

bool shows_something(const Picture &silhouette) {
  return silhouette.size() == picture_bytes &&
         std::any_of(silhouette.begin(), silhouette.end(), [](int v) { return v > 0; });
}

double sharpness(const Picture &p) {
  if (p.size() != picture_bytes) return 0;
  double sum = 0;
  for (std::size_t y = 1; y + 1 < picture_side; y++)
    for (std::size_t x = 1; x + 1 < picture_side; x++) {
      const std::size_t at = y * picture_side + x;
      sum += std::abs(4 * p[at] - p[at - 1] - p[at + 1] - p[at - picture_side] - p[at + picture_side]);
    }
  constexpr auto inner = static_cast<double>((picture_side - 2) * (picture_side - 2));
  return sum / inner;
}

} // namespace vigil::label
