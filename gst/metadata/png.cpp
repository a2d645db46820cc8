// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/png.h"

#include "common/error.h"

#include <cstring>
#include <filesystem>
#include <png.h>

namespace vigil::gst {
namespace {

class Png {
 public:
  explicit Png(const std::string &path) : path_(path) {
    // anything else could make the read wait without end, as a pipe would
    std::error_code why;
    if (!std::filesystem::is_regular_file(path, why))
      fail(Error::Kind::io, "cannot read the PNG image '", path,
           "': ", why ? why.message() : "it is not a plain file");
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) give_up();
  }
  ~Png() { png_image_free(&image); }
  Png(const Png &) = delete;
  Png &operator=(const Png &) = delete;

  [[noreturn]] void give_up() {
    fail(Error::Kind::io, "cannot read the PNG image '", path_, "': ", image.message);
  }
  png_image image;

 private:
  const std::string &path_;
};

} // namespace

static void check_size(const Png &png, const std::string &path, int width, int height) {
  if (int(png.image.width) != width || int(png.image.height) != height)
    fail(Error::Kind::bad_data, "the image '", path, "' is of ", png.image.width, "x", png.image.height,
         " pixels, but the frames are of ", width, "x", height);
}

std::vector<std::uint8_t> read_grey_png(const std::string &path, int width, int height) {
  Png png(path);
  check_size(png, path, width, height);
  png.image.format = PNG_FORMAT_GRAY;
  std::vector<std::uint8_t> pixels(std::size_t(width) * height);
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png.image, &white, pixels.data(), width, nullptr)) png.give_up();
  return pixels;
}

std::vector<std::uint8_t> read_rgba_png(const std::string &path, int width, int height) {
  Png png(path);
  check_size(png, path, width, height);
  png.image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> pixels(std::size_t(4) * width * height);
  if (!png_image_finish_read(&png.image, nullptr, pixels.data(), 4 * width, nullptr)) png.give_up();
  return pixels;
}

void check_png(const std::string &path) {
  Png png(path);
}

} // namespace vigil::gst
