// SPDX-License-Identifier: LGPL-2.1-or-later
// Views of pictures. They own nothing and are passed by value, to kernels as well.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#define VIGIL_HOST_DEVICE __host__ __device__
#else
#define VIGIL_HOST_DEVICE
#endif

namespace vigil {

// One plane of a picture: `height` rows of `width` elements, `stride` bytes from one row to the next.
// `data` is an address in the memory of the device that the plane was made for.
template <class T>
struct Plane {
  T *data = nullptr;
  int width = 0;
  int height = 0;
  std::ptrdiff_t stride = 0;

  VIGIL_HOST_DEVICE T *row(int y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T *>(reinterpret_cast<Byte *>(data) + y * stride);
  }
  template <std::same_as<const T> U> // a template, since nvcc warns of a plain one where T is const already
  VIGIL_HOST_DEVICE operator Plane<U>() const requires(!std::is_const_v<T>) {
    return {data, width, height, stride};
  }
};

// Pixel layouts that kernels read and write directly. GStreamer's RGBx and BGRx are rgba and bgra whose
// fourth byte carries nothing; it is copied like an alpha.
enum class PixelFormat : std::uint8_t {
  gray8, // plane 0: Y
  rgba,  // plane 0: R G B A
  bgra,  // plane 0: B G R A
  nv12,  // plane 0: Y, plane 1: U V pairs, one pair for 2x2 pixels, rounded up
  i420,  // plane 0: Y, planes 1 and 2: U and V, one value for 2x2 pixels, rounded up
  // Samples of 16 bits, low byte first, for the algorithms that say so.
  gray16,  // plane 0: Y
  p010,    // as nv12; each sample's 10 bits are its highest
  rgba64,  // plane 0: R G B A
  i420_10, // as i420; each sample's 10 bits are its lowest
};
constexpr bool is_16_bit(PixelFormat f) {
  return f >= PixelFormat::gray16;
}

// A picture; `T` is uint8_t or const uint8_t. plane(0) is width x height pixels (of 4 bytes for rgba and
// bgra, 8 for rgba64, 2 for the other 16-bit formats), the chroma planes are (width+1)/2 x (height+1)/2
// (pairs of samples for nv12 and p010).
template <class T>
struct BasicImage {
  PixelFormat format = PixelFormat::gray8;
  int width = 0;
  int height = 0;
  T *data[3] = {};
  std::ptrdiff_t stride[3] = {};

  VIGIL_HOST_DEVICE Plane<T> plane(int i) const {
    const bool chroma = i > 0;
    return {data[i], chroma ? (width + 1) / 2 : width, chroma ? (height + 1) / 2 : height, stride[i]};
  }
  template <std::same_as<const T> U>
  VIGIL_HOST_DEVICE operator BasicImage<U>() const requires(!std::is_const_v<T>) {
    return {format, width, height, {data[0], data[1], data[2]}, {stride[0], stride[1], stride[2]}};
  }
};
using Image = BasicImage<std::uint8_t>;
using ConstImage = BasicImage<const std::uint8_t>;

constexpr int plane_count(PixelFormat f) {
  if (f == PixelFormat::i420 || f == PixelFormat::i420_10) return 3;
  return f == PixelFormat::nv12 || f == PixelFormat::p010 ? 2 : 1;
}
// Bytes that one row of plane `i` occupies, without padding.
constexpr std::ptrdiff_t row_bytes(PixelFormat f, int i, int width) {
  if (f == PixelFormat::rgba || f == PixelFormat::bgra) return std::ptrdiff_t{4} * width;
  if (f == PixelFormat::rgba64) return std::ptrdiff_t{8} * width;
  const std::ptrdiff_t sample = is_16_bit(f) ? 2 : 1;
  if (i == 0) return sample * width;
  return (plane_count(f) == 3 ? 1 : 2) * sample * ((width + 1) / 2);
}
constexpr int plane_rows(int i, int height) {
  return i == 0 ? height : (height + 1) / 2;
}

} // namespace vigil
