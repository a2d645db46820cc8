// SPDX-License-Identifier: LGPL-2.1-or-later
// The formula of bilateral.h, as it stands there: naive loops in double precision.
#include "kernels/bilateral/bilateral.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vigil::bilateral {
namespace {

// Samples of one plane as numbers, `step` samples from pixel to pixel.
struct Samples {
  ConstImage image;
  int plane = 0, channel = 0, step = 1;

  double at(int x, int y) const {
    const auto p = image.plane(plane);
    x = std::clamp(x, 0, p.width - 1) * step + channel;
    const std::uint8_t *row = p.row(std::clamp(y, 0, p.height - 1));
    if (!is_16_bit(image.format)) return row[x];
    const int v = row[2 * x] + 256 * row[2 * x + 1];
    return image.format == PixelFormat::p010 ? v >> 6 : v;
  }
};
void put(const Image &image, int plane, int x, int y, double v) {
  std::uint8_t *row = image.plane(plane).row(y);
  int level = int(std::floor(v + 0.5));
  if (!is_16_bit(image.format)) {
    row[x] = std::uint8_t(level);
    return;
  }
  if (image.format == PixelFormat::p010) level <<= 6;
  row[2 * x] = std::uint8_t(level & 255);
  row[2 * x + 1] = std::uint8_t(level >> 8);
}

class Reference final : public Filter {
 public:
  explicit Reference(const Config &c) : config_(c) { check_config(c); }

  void apply(const ConstImage &in, const ConstImage &guide, const Image &out, const Params &params,
             Queue &) override {
    check_images(config_, in, guide, out);
    params_ = params;
    const ConstImage &by = guide.data[0] ? guide : in;
    if (config_.format == PixelFormat::rgba || config_.format == PixelFormat::bgra)
      return colours(in, by, out);
    for (int plane = 0; plane < plane_count(config_.format); plane++) {
      const int step = plane > 0 && config_.format != PixelFormat::i420 ? 2 : 1;
      for (int channel = 0; channel < step; channel++) one(in, by, out, plane, channel, step);
    }
  }

 private:
  double range_weight(double d, double sigma) const { // d: difference of levels, as a part of full scale
    // The nudge is far below the smallest step of d and settles halves, which are not exact in binary.
    if (params_.quantize_range) d = std::floor(10 * d + 0.5 + 1e-9) / 10;
    return std::exp(-d * d / (2 * sigma * sigma));
  }
  static double spatial_weight(int dx, int dy, double sigma) {
    return std::exp(-(double(dx) * dx + double(dy) * dy) / (2 * sigma * sigma));
  }

  void one(const ConstImage &in, const ConstImage &guide, const Image &out, int plane, int channel,
           int step) {
    const Samples v{in, plane, channel, step}, i{guide, plane, channel, step};
    const Window w = window_of(params_, plane > 0);
    const auto size = in.plane(plane);
    for (int y = 0; y < size.height; y++)
      for (int x = 0; x < size.width; x++) {
        double sum = 0, weights = 0;
        for (int dy = -w.radius; dy <= w.radius; dy++)
          for (int dx = -w.radius; dx <= w.radius; dx++) {
            const double d = std::abs(i.at(x, y) - i.at(x + dx, y + dy)) / full_scale(in.format);
            const double weight = spatial_weight(dx, dy, w.spatial_sigma) * range_weight(d, w.range_sigma);
            sum += weight * v.at(x + dx, y + dy);
            weights += weight;
          }
        const bool copied = plane > 0 && !params_.chroma;
        put(out, plane, x * step + channel, y, copied ? v.at(x, y) : sum / weights);
        if (copied && in.format == PixelFormat::p010) // with its six lowest bits
          std::memcpy(out.plane(plane).row(y) + 2 * (x * step + channel),
                      in.plane(plane).row(y) + 2 * (x * step + channel), 2);
      }
  }

  void colours(const ConstImage &in, const ConstImage &guide, const Image &out) {
    const bool bgr = in.format == PixelFormat::bgra;
    const double share[3] = {bgr ? 0.11 : 0.3, 0.59, bgr ? 0.3 : 0.11};
    const Window w = window_of(params_);
    Samples v[3], i[3];
    for (int c = 0; c < 3; c++) {
      v[c] = {in, 0, c, 4};
      i[c] = {guide, 0, c, 4};
    }
    const auto intensity = [&](int x, int y) {
      return share[0] * i[0].at(x, y) + share[1] * i[1].at(x, y) + share[2] * i[2].at(x, y);
    };
    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) {
        double sum[3] = {}, weights[3] = {};
        for (int dy = -w.radius; dy <= w.radius; dy++)
          for (int dx = -w.radius; dx <= w.radius; dx++) {
            const double near = spatial_weight(dx, dy, w.spatial_sigma);
            const double grey =
                params_.weighting == Weighting::intensity
                    ? range_weight(std::abs(intensity(x, y) - intensity(x + dx, y + dy)) / 255, w.range_sigma)
                    : 0;
            for (int c = 0; c < 3; c++) {
              const double alike =
                  params_.weighting == Weighting::intensity
                      ? grey
                      : range_weight(std::abs(i[c].at(x, y) - i[c].at(x + dx, y + dy)) / 255, w.range_sigma);
              sum[c] += near * alike * v[c].at(x + dx, y + dy);
              weights[c] += near * alike;
            }
          }
        for (int c = 0; c < 3; c++) put(out, 0, 4 * x + c, y, sum[c] / weights[c]);
        out.plane(0).row(y)[4 * x + 3] = in.plane(0).row(y)[4 * x + 3];
      }
  }

  Config config_;
  Params params_;
};

} // namespace

std::unique_ptr<Filter> make_reference(const Config &c) {
  return std::make_unique<Reference>(c);
}

} // namespace vigil::bilateral
