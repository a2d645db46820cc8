// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mask_file.h"

#include "common/error.h"
#include "kernels/rules/polygon_mask.h"

#include <atomic>
#include <filesystem>
#include <png.h>
#include <utility>

namespace vigil::monitor {

MaskFile::MaskFile(std::string camera, std::function<std::string(const std::string &)> path)
    : camera_(std::move(camera)), path_(std::move(path)) {}

MaskFile::~MaskFile() {
  std::error_code error;
  for (const std::string &file : {last_, before_last_})
    if (!file.empty()) std::filesystem::remove(file, error);
}

void MaskFile::set(const std::map<std::string, Mask> &masks) {
  const std::lock_guard guard(lock_);
  polygons_.clear();
  for (const auto &[name, mask] : masks) polygons_.push_back(mask.points);
}

std::string MaskFile::draw(int width, int height) {
  const std::lock_guard guard(lock_);
  std::string next;
  std::error_code none;
  if (!polygons_.empty()) {
    const auto pixels = rules::polygon_mask(polygons_, width, height);
    static std::atomic<unsigned> number = 0;
    // What a killed program has left goes; what cannot be removed is let alone.
    do {
      next = path_(text("masks/", camera_, "-", ++number, ".png"));
      std::filesystem::remove(next, none);
    } while (std::filesystem::exists(next, none));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_GRAY;
    if (!png_image_write_to_file(&image, next.c_str(), 0, pixels.data(), 0, nullptr))
      fail(Error::Kind::write, "masks cannot be written to ", next, ": ", image.message);
  }
  if (!before_last_.empty()) std::filesystem::remove(before_last_, none);
  before_last_ = std::exchange(last_, next);
  return next;
}

} // namespace vigil::monitor
