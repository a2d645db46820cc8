// SPDX-License-Identifier: LGPL-2.1-or-later
// Reading samples of one pixel from a frame of any format.
#pragma once

#include "kernels/mog/cuda/args.h"

namespace vigil::mog::cuda {

// The four bytes of a pixel of rgba or bgra, in one load where the address allows.
__device__ inline uchar4 pixel4(const std::uint8_t *row, int x) {
  const std::uint8_t *p = row + 4 * x;
  if (reinterpret_cast<std::uintptr_t>(p) % 4 == 0) return *reinterpret_cast<const uchar4 *>(p);
  return make_uchar4(p[0], p[1], p[2], p[3]);
}

__device__ inline int luma_at(const Frame &f, PixelFormat format, int x, int y) {
  const std::uint8_t *row = f.plane[0] + std::ptrdiff_t(y) * f.stride[0];
  if (format == PixelFormat::rgba) {
    const uchar4 p = pixel4(row, x);
    return luma(p.x, p.y, p.z);
  }
  if (format == PixelFormat::bgra) {
    const uchar4 p = pixel4(row, x);
    return luma(p.z, p.y, p.x);
  }
  return row[x];
}

template <class Real, int C>
__device__ inline void sample(const Frame &f, PixelFormat format, int x, int y, Real (&out)[C]) {
  if constexpr (C == 1) {
    out[0] = Real(luma_at(f, format, x, y));
  } else {
    const std::uint8_t *row = f.plane[0] + std::ptrdiff_t(y) * f.stride[0];
    if (format == PixelFormat::rgba || format == PixelFormat::bgra) {
      const uchar4 p = pixel4(row, x);
      out[0] = Real(p.x);
      out[1] = Real(p.y);
      out[2] = Real(p.z);
      return;
    }
    const std::uint8_t *chroma = f.plane[1] + std::ptrdiff_t(y / 2) * f.stride[1];
    out[0] = Real(row[x]);
    if (format == PixelFormat::nv12) {
      out[1] = Real(chroma[x / 2 * 2]);
      out[2] = Real(chroma[x / 2 * 2 + 1]);
    } else {
      out[1] = Real(chroma[x / 2]);
      out[2] = Real((f.plane[2] + std::ptrdiff_t(y / 2) * f.stride[2])[x / 2]);
    }
  }
}

template <class Real>
__device__ inline Real rate_at(const Frame &f, const RateMap &m, int x, int y) {
  const Real a = Real(f.rate);
  if (!m.map) return a;
  const int shift = __ffs(m.size) - 1;
  return m.map[(y >> shift) * m.columns + (x >> shift)] ? min(a * Real(m.factor), Real(1)) : a;
}

// Random bits that depend on their arguments alone (Wang's integer hash, three rounds of multiply and xor-shift).
__device__ inline std::uint32_t random_bits(std::uint32_t pixel, std::uint32_t frame, std::uint32_t salt) {
  std::uint32_t h = pixel * 0x9e3779b1u ^ (frame * 8u + salt) * 0x85ebca77u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

// The mean of the heaviest component as a pixel of the picture; `m` has as many channels as the model.
template <int C>
__device__ inline void put_background(Image out, int x, int y, const float (&m)[C], bool any) {
  const bool yuv = out.format == PixelFormat::nv12 || out.format == PixelFormat::i420;
  float v[3] = {0, yuv ? 128.f : 0.f, yuv ? 128.f : 0.f};
  if (any)
    for (int c = 0; c < 3; c++) {
      if (c < C)
        v[c] = m[c < C ? c : 0];
      else if (!yuv)
        v[c] = m[0];
    }
  std::uint8_t b[3];
  for (int c = 0; c < 3; c++) b[c] = std::uint8_t(min(max(floorf(v[c] + 0.5f), 0.f), 255.f));
  std::uint8_t *row = out.data[0] + y * out.stride[0];
  if (out.format == PixelFormat::rgba || out.format == PixelFormat::bgra) {
    std::uint8_t *p = row + 4 * x;
    p[0] = b[0];
    p[1] = b[1];
    p[2] = b[2];
    p[3] = 255;
    return;
  }
  row[x] = b[0];
  if (x % 2 || y % 2) return;
  if (out.format == PixelFormat::nv12) {
    std::uint8_t *pair = out.data[1] + y / 2 * out.stride[1] + x;
    pair[0] = b[1];
    pair[1] = b[2];
  } else if (out.format == PixelFormat::i420) {
    (out.data[1] + y / 2 * out.stride[1])[x / 2] = b[1];
    (out.data[2] + y / 2 * out.stride[2])[x / 2] = b[2];
  }
}

} // namespace vigil::mog::cuda
