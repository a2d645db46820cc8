// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/yuv.h"

#include <algorithm>
#include <cmath>

namespace vigil::filter {
namespace {

constexpr int upper = 6; // the 10 bits of a sample are its highest

const std::uint16_t *samples(const ConstImage &p, int plane, int y) {
  return reinterpret_cast<const std::uint16_t *>(p.plane(plane).row(y));
}
std::uint16_t *samples(const Image &p, int plane, int y) {
  return reinterpret_cast<std::uint16_t *>(p.plane(plane).row(y));
}

std::int32_t rounded(double v, int bits) {
  return static_cast<std::int32_t>(std::lround(std::ldexp(v, bits)));
}

// sum / 2^bits, rounded to 0..most.
std::uint16_t whole(std::int64_t sum, int bits, int most) {
  return static_cast<std::uint16_t>(
      std::clamp<std::int64_t>((sum + (std::int64_t{1} << (bits - 1))) >> bits, 0, most));
}

} // namespace

YuvFactors factors_of(const Coding &c) {
  const double s = c.full_range ? 1023 : 876, t = c.full_range ? 1023 : 896, kg = 1 - c.kr - c.kb;
  const double from = 65535 / t;
  YuvFactors f{};
  f.black = c.full_range ? 0 : 64;
  f.y = rounded(65535 / s, from_yuv_bits);
  f.rv = rounded(2 * (1 - c.kr) * from, from_yuv_bits);
  f.gu = rounded(-2 * c.kb * (1 - c.kb) / kg * from, from_yuv_bits);
  f.gv = rounded(-2 * c.kr * (1 - c.kr) / kg * from, from_yuv_bits);
  f.bu = rounded(2 * (1 - c.kb) * from, from_yuv_bits);
  const double y = s / 65535, u = t / (2 * (1 - c.kb) * 65535), v = t / (2 * (1 - c.kr) * 65535);
  f.yr = rounded(c.kr * y, to_yuv_bits);
  f.yb = rounded(c.kb * y, to_yuv_bits);
  f.yg = rounded(y, to_yuv_bits) - f.yr - f.yb;
  f.ur = rounded(-c.kr * u, to_yuv_bits);
  f.ub = rounded((1 - c.kb) * u, to_yuv_bits);
  f.ug = -f.ur - f.ub;
  f.vr = rounded((1 - c.kr) * v, to_yuv_bits);
  f.vb = rounded(-c.kb * v, to_yuv_bits);
  f.vg = -f.vr - f.vb;
  return f;
}

void open_p010(const ConstImage &p010, const YuvFactors &f, const Image &rgba64) {
  for (int y = 0; y < p010.height; y++)
    for (int x = 0; x < p010.width; x++) {
      const std::uint16_t *chroma = samples(p010, 1, y / 2) + x / 2 * 2;
      const int luma = (samples(p010, 0, y)[x] >> upper) - f.black, u = (chroma[0] >> upper) - 512,
                v = (chroma[1] >> upper) - 512;
      const std::int64_t grey = std::int64_t{f.y} * luma;
      std::uint16_t *to = samples(rgba64, 0, y) + std::ptrdiff_t{4} * x;
      to[0] = whole(grey + std::int64_t{f.rv} * v, from_yuv_bits, 65535);
      to[1] = whole(grey + std::int64_t{f.gu} * u + std::int64_t{f.gv} * v, from_yuv_bits, 65535);
      to[2] = whole(grey + std::int64_t{f.bu} * u, from_yuv_bits, 65535);
      to[3] = 65535;
    }
}

void close_p010(const ConstImage &rgba64, const YuvFactors &f, const Image &p010) {
  const auto pixel = [&](int x, int y) {
    return samples(rgba64, 0, std::min(y, rgba64.height - 1)) +
           std::ptrdiff_t{4} * std::min(x, rgba64.width - 1);
  };
  for (int y = 0; y < p010.height; y++)
    for (int x = 0; x < p010.width; x++) {
      const std::uint16_t *p = pixel(x, y);
      const std::int64_t luma =
          std::int64_t{f.yr} * p[0] + std::int64_t{f.yg} * p[1] + std::int64_t{f.yb} * p[2];
      samples(p010, 0, y)[x] = static_cast<std::uint16_t>(
          whole(luma + (std::int64_t{f.black} << to_yuv_bits), to_yuv_bits, 1023) << upper);
      if (x % 2 || y % 2) continue;
      std::int64_t sum[3] = {};
      for (const std::uint16_t *q : {p, pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)})
        for (int c = 0; c < 3; c++) sum[c] += q[c];
      const auto chroma = [&](int r, int g, int b) {
        const int bits = to_yuv_bits + 2; // of four pixels
        return static_cast<std::uint16_t>(
            whole(r * sum[0] + g * sum[1] + b * sum[2] + (std::int64_t{512} << bits), bits, 1023) << upper);
      };
      samples(p010, 1, y / 2)[x] = chroma(f.ur, f.ug, f.ub);
      samples(p010, 1, y / 2)[x + 1] = chroma(f.vr, f.vg, f.vb);
    }
}

} // namespace vigil::filter
