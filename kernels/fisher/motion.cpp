// SPDX-License-Identifier: LGPL-2.1-or-later
// What the backends of Difference share, the reference, and the choice of a backend.
#include "kernels/fisher/motion.h"

#include "common/error.h"

namespace vigil::fisher {
namespace {

int luma_at(const ConstImage &frame, int x, int y) {
  const bool colour = frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra;
  const std::uint8_t *p = frame.plane(0).row(y) + (colour ? std::ptrdiff_t{4} * x : x);
  if (!colour) return *p;
  const int red = frame.format == PixelFormat::rgba ? 0 : 2;
  return motion_luma(p[red], p[1], p[2 - red]);
}

// Bytes of one picture, once the size and the lag were looked at.
std::size_t bytes_of_picture(int width, int height, int lag) {
  if (lag < 1 || lag > max_lag)
    fail(Error::Kind::bad_setting, "a difference over ", lag, " frames is not possible, but over 1 to ",
         max_lag);
  if (width < 1 || height < 1 || width > 1 << 16 || height > 1 << 16)
    fail(Error::Kind::bad_setting, "a frame of ", width, "x", height, " pixels is not possible");
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

} // namespace

Difference::Difference(Device &device, int width, int height, int lag)
    : width_(width), height_(height), lag_(lag), picture_(bytes_of_picture(width, height, lag)),
      seen_(static_cast<std::size_t>(lag)), memory_(device, picture_ * (static_cast<std::size_t>(lag) + 1)) {}

void Difference::take(const ConstImage &frame, std::uint64_t number, std::uint8_t *difference, Queue &queue) {
  if (frame.width != width_ || frame.height != height_)
    fail(Error::Kind::bad_setting, "a frame of ", frame.width, "x", frame.height,
         " pixels came where one of ", width_, "x", height_, " was announced");
  if (is_16_bit(frame.format))
    fail(Error::Kind::bad_setting, "differences are of pictures of 8 bits; this one has 16");
  if (!frame.data[0]) fail(Error::Kind::bad_setting, "the frame has no memory");
  const auto lag = static_cast<std::uint64_t>(lag_);
  auto &seen = seen_[number % lag];
  const bool known = number >= lag && seen == number - lag;
  seen = number;
  work(frame, memory_.as<std::uint8_t>() + picture_ * (number % lag + 1), known, difference, queue);
}

void Difference::remember(const ConstImage &frame, std::uint64_t number, Queue &queue) {
  take(frame, number, nullptr, queue);
}
ConstImage Difference::step(const ConstImage &frame, std::uint64_t number, Queue &queue) {
  auto *const difference = memory_.as<std::uint8_t>();
  take(frame, number, difference, queue);
  return {PixelFormat::gray8, width_, height_, {difference}, {width_}};
}

std::unique_ptr<Difference> make_difference(Device &device, int width, int height, int lag) {
  return device.backend() == Backend::cuda ? make_cuda_difference(device, width, height, lag)
                                           : make_cpu_difference(device, width, height, lag);
}

std::vector<std::uint8_t> reference_difference(const ConstImage &now, const ConstImage *before) {
  std::vector<std::uint8_t> out;
  for (int y = 0; y < now.height; y++)
    for (int x = 0; x < now.width; x++)
      out.push_back(before ? motion_difference(luma_at(now, x, y), luma_at(*before, x, y)) : 128);
  return out;
}

} // namespace vigil::fisher
