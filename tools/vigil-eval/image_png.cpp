// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image.h"

#include "common/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <png.h>

namespace vigil::eval {

namespace {

struct Close {
  void operator()(std::FILE *f) const { std::fclose(f); }
};

// libpng reports errors by longjmp; an exception thrown from its handler is safe only where its frames carry
// unwind tables, so the text is kept here and the jump is taken, over C frames alone.
struct Message {
  char text[128] = "";
};
void on_error(png_structp png, png_const_charp what) {
  auto *m = static_cast<Message *>(png_get_error_ptr(png));
  std::snprintf(m->text, sizeof m->text, "%s", what);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

// Everything between setjmp and the return has trivial destructors; `out` and `rows` belong to the caller.
bool decode(png_structp png, png_infop info, std::FILE *file, GrayImage &out, std::vector<png_bytep> &rows,
            std::vector<std::uint8_t> &pixels) {
  if (setjmp(png_jmpbuf(png))) return false;
  constexpr png_uint_32 largest = 1 << 15; // a damaged header must not ask for all memory
  png_set_user_limits(png, largest, largest);
  png_init_io(png, file);
  png_read_info(png, info);
  png_set_expand(png); // palettes to RGB, few bits to eight
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_read_update_info(png, info);
  const int width = static_cast<int>(png_get_image_width(png, info));
  const int height = static_cast<int>(png_get_image_height(png, info));
  const int channels = png_get_channels(png, info);
  const std::size_t row = png_get_rowbytes(png, info);
  pixels.resize(row * height);
  rows.resize(height);
  for (int y = 0; y < height; y++) rows[y] = pixels.data() + row * y;
  png_read_image(png, rows.data());
  out.width = width;
  out.height = height;
  out.bytes.resize(static_cast<std::size_t>(width) * height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      out.bytes[static_cast<std::size_t>(y) * width + x] = rows[y][x * channels];
  return true;
}

struct Reader {
  png_structp png;
  png_infop info = nullptr;
  explicit Reader(Message &m) : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &m, on_error, on_warning)) {
    if (png) info = png_create_info_struct(png);
  }
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

} // namespace

GrayImage read_png(const std::string &path) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(Error::Kind::io, "cannot open ", path, ": ", std::strerror(errno));
  Message message;
  Reader reader(message);
  if (!reader.info) fail(Error::Kind::no_memory, "no memory to read ", path);
  GrayImage out;
  std::vector<png_bytep> rows;
  std::vector<std::uint8_t> pixels;
  if (!decode(reader.png, reader.info, file.get(), out, rows, pixels))
    fail(Error::Kind::bad_data, path, " is not a sound PNG: ", message.text);
  return out;
}

} // namespace vigil::eval
