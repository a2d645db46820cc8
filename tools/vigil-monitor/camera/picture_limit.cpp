// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture_limit.h"

#include "common/error.h"

namespace vigil::monitor {

std::optional<std::string> PictureLimit::refuses(const GstCaps *caps) const {
  if (!caps || !gst_caps_get_size(caps)) return std::nullopt;
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  int width = 0, height = 0;
  if (!gst_structure_get_int(s, "width", &width) || !gst_structure_get_int(s, "height", &height))
    return std::nullopt;
  if (width <= 0 || height <= 0) return vigil::text("the camera sends pictures of ", width, "x", height);
  if (std::uint64_t(width) * std::uint64_t(height) <= max_pixels_) return std::nullopt;
  return vigil::text("the camera sends pictures of ", width, "x", height, ", but at most ", max_pixels_,
                     " pixels are taken; set the camera to a smaller size, or raise max_pixels");
}

std::optional<std::string> PictureLimit::changes(int width, int height, double now) {
  if (width == width_ && height == height_) return std::nullopt;
  const bool first = !width_;
  width_ = width;
  height_ = height;
  if (first) return std::nullopt;
  constexpr double minute = 60;
  constexpr std::size_t most = 10;
  changes_.push_back(now);
  while (now - changes_.front() > minute) changes_.pop_front();
  if (changes_.size() <= most) return std::nullopt;
  return vigil::text("the size of the camera's pictures changed ", changes_.size(),
                     " times within a minute; set the camera to one size");
}

} // namespace vigil::monitor
