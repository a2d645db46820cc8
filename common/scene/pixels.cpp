// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/pixels.h"

#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

// x with P(X < x) = p for a Gaussian of mean 0 and deviation 1, by bisection of erfc.
double quantile(double p) {
  double low = -8, high = 8;
  for (int i = 0; i < 50; i++) {
    const double x = 0.5 * (low + high);
    (0.5 * std::erfc(-x / std::sqrt(2.0)) < p ? low : high) = x;
  }
  return 0.5 * (low + high);
}

// Rounded; the value is never negative.
std::uint8_t byte(float v) {
  return std::uint8_t(int(v + 0.5f));
}

struct Matrix { // of R, G, B 0..255 to Y, U, V with their offsets
  float yr, yg, yb, y0;
  float ur, ug, ub, vr, vg, vb;
};
Matrix matrix(const Coding &c) {
  const float kg = 1 - c.kr - c.kb, y = c.full_range ? 1.f : 219 / 255.f,
              uv = c.full_range ? 1.f : 224 / 255.f;
  const float u = uv * 0.5f / (1 - c.kb), v = uv * 0.5f / (1 - c.kr);
  return {y * c.kr,       y * kg,  y * c.kb, c.full_range ? 0.f : 16.f, -u * c.kr, -u * kg, u * (1 - c.kb),
          v * (1 - c.kr), -v * kg, -v * c.kb};
}

void write_luma(const ColourRow &row, int width, const Matrix &m, std::uint8_t *out) {
  for (int x = 0; x < width; x++) out[x] = byte(m.yr * row.r[x] + m.yg * row.g[x] + m.yb * row.b[x] + m.y0);
}

void write_chroma(const ColourRow &top, const ColourRow &low, int width, const Matrix &m, std::uint8_t *u,
                  std::uint8_t *v, int step) {
  for (int c = 0; c < (width + 1) / 2; c++) {
    const int x = 2 * c, right = std::min(x + 1, width - 1);
    const auto mean = [&](const float *a, const float *b) {
      return 0.25f * (a[x] + a[right] + b[x] + b[right]);
    };
    const float r = mean(top.r, low.r), g = mean(top.g, low.g), b = mean(top.b, low.b);
    u[c * step] = byte(std::min(m.ur * r + m.ug * g + m.ub * b + 128, 255.f));
    v[c * step] = byte(std::min(m.vr * r + m.vg * g + m.vb * b + 128, 255.f));
  }
}

} // namespace

Sensor::Sensor(std::uint32_t seed, float sigma) : seed_(mix(seed, 0x6e6f6973u)), noisy_(sigma > 0) {
  for (std::size_t i = 0; i < table_.size(); i++)
    table_[i] = sigma * float(quantile((double(i) + 0.5) / double(table_.size())));
}

void Sensor::expose(const ColourRow &row, int width, int y, std::uint64_t frame, const Coding *grey,
                    float strength) const {
  const std::uint32_t key = mix(seed_, std::uint32_t(frame), std::uint32_t(frame >> 32), std::uint32_t(y));
  const auto cut = [](float v) { return std::min(std::max(v, 0.f), 255.f); };
  if (grey)
    for (int x = 0; x < width; x++)
      row.r[x] = grey->kr * row.r[x] + (1 - grey->kr - grey->kb) * row.g[x] + grey->kb * row.b[x];
  constexpr int block = 256; // hashes are made apart from the look-ups, so that they are vectorised
  std::uint32_t hash[block];
  for (int start = 0; start < width; start += block) {
    const int n = std::min(block, width - start);
    if (noisy_)
      for (int i = 0; i < n; i++) hash[i] = mix(key + std::uint32_t(start + i) * 0x9e3779b1u);
    else
      std::fill_n(hash, n, 0);
    float *const r = row.r + start, *const g = row.g + start, *const b = row.b + start;
    if (noisy_)
      for (int i = 0; i < n; i++) {
        r[i] += strength * table_[hash[i] & 1023];
        if (grey) continue;
        g[i] += strength * table_[(hash[i] >> 10) & 1023];
        b[i] += strength * table_[(hash[i] >> 20) & 1023];
      }
    if (grey)
      for (int i = 0; i < n; i++) r[i] = cut(r[i]);
    else
      for (int i = 0; i < n; i++) {
        r[i] = float(byte(cut(r[i])));
        g[i] = float(byte(cut(g[i])));
        b[i] = float(byte(cut(b[i])));
      }
  }
}

void write_rows(const ColourRow rows[2], int pair, const Image &image, const Coding &coding) {
  const Matrix m = matrix(coding);
  const int y = 2 * pair, count = std::min(2, image.height - y);
  for (int i = 0; i < count; i++) {
    const ColourRow &row = rows[i];
    std::uint8_t *out = image.plane(0).row(y + i);
    switch (image.format) {
    case PixelFormat::gray8: {
      const float scale = coding.full_range ? 1.f : 219 / 255.f, zero = coding.full_range ? 0.f : 16.f;
      for (int x = 0; x < image.width; x++) out[x] = byte(scale * row.r[x] + zero);
      break;
    }
    case PixelFormat::rgba:
    case PixelFormat::bgra: {
      const bool rgba = image.format == PixelFormat::rgba;
      const float *const first = rgba ? row.r : row.b, *const third = rgba ? row.b : row.r;
      for (int x = 0; x < image.width; x++, out += 4) {
        out[0] = byte(first[x]);
        out[1] = byte(row.g[x]);
        out[2] = byte(third[x]);
        out[3] = 255;
      }
      break;
    }
    case PixelFormat::nv12:
    case PixelFormat::i420:
      write_luma(row, image.width, m, out);
      break;
    case PixelFormat::gray16:
    case PixelFormat::p010:
    case PixelFormat::rgba64:
    case PixelFormat::i420_10:
      break; // refused by Scene::draw
    }
  }
  if (image.format == PixelFormat::nv12) {
    std::uint8_t *const uv = image.plane(1).row(pair);
    write_chroma(rows[0], rows[count - 1], image.width, m, uv, uv + 1, 2);
  } else if (image.format == PixelFormat::i420)
    write_chroma(rows[0], rows[count - 1], image.width, m, image.plane(1).row(pair), image.plane(2).row(pair),
                 1);
}

} // namespace vigil::scene
