// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the formulas in filter.h, one stage after another, each over a whole picture.
#include "kernels/filter/definitions.h"
#include "kernels/filter/yuv.h"

#include <algorithm>
#include <cmath>

namespace vigil::filter {
namespace {

// A picture of one or three channels, without alpha.
struct Channels {
  int width, height, count, full;
  std::vector<std::uint16_t> values;     // [(y * width + x) * count + c]
  double at(int x, int y, int c) const { // the nearest pixel inside
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    return values[(std::size_t(y) * width + x) * count + c];
  }
};

std::uint16_t stored(double x, int full) {
  return static_cast<std::uint16_t>(std::clamp(std::floor(x + 0.5), 0., double(full)));
}

double mixed(const Stage &s, const Channels &p, int x, int y, int c) {
  const Matrix m = matrix_of(s, p.full);
  double sum = double(m.o[c]);
  for (int k = 0; k < 3; k++) sum += double(m.m[c][k]) * p.at(x, y, p.count == 3 ? k : 0);
  return sum / 65536;
}

double linear(const Stage &s, const Channels &p, int x, int y, int c) {
  const Linear l = linear_of(s, p.full);
  double sum = l.offset;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) sum += l.k[(j + 1) * 3 + i + 1] * p.at(x + i, y + j, c);
  return (l.absolute ? std::abs(sum) : sum) / 4096;
}

double gradient(const Stage &s, const Channels &p, int x, int y, int c) {
  double gx = 0, gy = 0;
  for (int i = -1; i <= 1; i++) {
    const int weight = i == 0 ? 2 : 1;
    gx += weight * (p.at(x + 1, y + i, c) - p.at(x - 1, y + i, c));
    gy += weight * (p.at(x + i, y + 1, c) - p.at(x + i, y - 1, c));
  }
  return gradient_amount(s) * std::floor(std::sqrt(gx * gx + gy * gy) + 0.5) / 256;
}

double median(const Channels &p, int x, int y, int c) {
  std::vector<double> v;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) v.push_back(p.at(x + i, y + j, c));
  std::sort(v.begin(), v.end());
  return v[4];
}

double gaussian(const std::vector<int> &w, const Channels &p, int x, int y, int c) {
  const int r = int(w.size()) - 1;
  double sum = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++) sum += double(w[std::abs(i)]) * w[std::abs(j)] * p.at(x + i, y + j, c);
  return sum / (4096. * 4096.);
}

double box(int r, const Channels &p, int x, int y, int c) {
  double sum = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++) sum += p.at(x + i, y + j, c);
  return sum / ((2 * r + 1) * (2 * r + 1));
}

double weighted(const WeightsInUnits &w, const Channels &p, int x, int y, int c) {
  const int r = w.radius, n = 2 * r + 1;
  double sum = double(w.offset);
  for (int j = -r; j <= r; j++) {
    double row = 0;
    for (int i = -r; i <= r; i++)
      row += (w.separable() ? w.across[i + r] : w.all[(j + r) * n + i + r]) * p.at(x + i, y + j, c);
    sum += w.separable() ? w.down[j + r] * std::floor(row / 4096 + 0.5) : row;
  }
  return sum / std::exp2(w.shift);
}

double bilateral(const BilateralTables &t, int r, const Channels &p, int x, int y, int c) {
  double sum = 0, all = 0;
  std::size_t k = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++, k++) {
      const double v = p.at(x + i, y + j, c);
      const double w =
          std::floor(double(t.spatial[k]) *
                     t.range[std::size_t(int(std::abs(v - p.at(x, y, c))) >> range_shift(p.full))] / 1024);
      sum += w * v;
      all += w;
    }
  return sum / all;
}

Channels run(const Stage &s, const Channels &p) {
  Channels out = p;
  const std::vector<int> weights = s.type->kind == Kind::gaussian ? gaussian_weights(s) : std::vector<int>();
  const WeightsInUnits correlated = s.type->kind == Kind::weights ? weights_of(s, p.full) : WeightsInUnits{};
  const BilateralTables tables =
      s.type->kind == Kind::bilateral ? bilateral_tables(s, p.full) : BilateralTables{};
  const auto value = [&](int x, int y, int c) {
    switch (s.type->kind) {
    case Kind::table:
      return double(table_value(s, int(p.at(x, y, c)), p.full));
    case Kind::matrix:
      return mixed(s, p, x, y, c);
    case Kind::linear:
      return linear(s, p, x, y, c);
    case Kind::gradient:
      return gradient(s, p, x, y, c);
    case Kind::median:
      return median(p, x, y, c);
    case Kind::gaussian:
      return gaussian(weights, p, x, y, c);
    case Kind::weights:
      return weighted(correlated, p, x, y, c);
    case Kind::bilateral:
      return bilateral(tables, radius_of(s), p, x, y, c);
    default:
      return box(radius_of(s), p, x, y, c);
    }
  };
  std::size_t i = 0;
  for (int y = 0; y < p.height; y++)
    for (int x = 0; x < p.width; x++)
      for (int c = 0; c < p.count; c++) out.values[i++] = stored(value(x, y, c), p.full);
  return out;
}

// `kept`: m of each value.
Channels over_time(const Stage &s, const Channels &p, std::vector<double> &kept) {
  const Temporal t = temporal_of(s, p.full);
  if (kept.empty())
    for (const std::uint16_t v : p.values) kept.push_back(256. * v);
  std::vector<double> next = kept;
  Channels out = p;
  const auto difference = [&](int x, int y, int c) { // of the nearest pixel inside
    x = std::clamp(x, 0, p.width - 1);
    y = std::clamp(y, 0, p.height - 1);
    return 256 * p.at(x, y, c) - kept[(std::size_t(y) * p.width + x) * p.count + c];
  };
  std::size_t i = 0;
  for (int y = 0; y < p.height; y++)
    for (int x = 0; x < p.width; x++) {
      double sum = 0, gain = t.gain;
      for (int j = -1; j <= 1; j++)
        for (int k = -1; k <= 1; k++)
          for (int c = 0; c < p.count; c++) sum += std::abs(difference(x + k, y + j, c));
      const double mean = std::floor(sum / (9 * p.count)), above = mean - t.threshold;
      if (t.threshold > 0 && above > 0)
        gain += std::floor((256 - gain) * std::min(above, double(t.threshold)) / t.threshold);
      for (int c = 0; c < p.count; c++, i++) {
        next[i] = kept[i] + std::floor((gain * difference(x, y, c) + 128) / 256);
        out.values[i] = stored(next[i] / 256, p.full);
      }
    }
  kept = std::move(next);
  return out;
}

// The four values across an edge, as annex J of H.263 changes them.
void smooth(int (&v)[4], int strength, int full) {
  const int d = (v[0] - 4 * v[1] + 4 * v[2] - v[3]) / 8, size = std::abs(d);
  const int ramp = std::max(0, size - std::max(0, 2 * (size - strength))), e = d < 0 ? -ramp : ramp;
  const int limit = std::abs(e / 2), f = std::clamp((v[0] - v[3]) / 4, -limit, limit);
  v[0] -= f;
  v[1] = std::clamp(v[1] + e, 0, full);
  v[2] = std::clamp(v[2] - e, 0, full);
  v[3] += f;
}

Channels without_blocks(const Stage &s, const Channels &p) {
  const Blocks b = blocks_of(s, p.full);
  Channels out = p;
  // Edges at first + n size of lines of `length` values, `step` apart, whose beginning is `line`.
  const auto along = [&](std::size_t line, int length, std::size_t step, int first) {
    for (int edge = first; edge + 1 < length; edge += b.size) {
      if (edge < 2) continue;
      int v[4];
      for (int i = 0; i < 4; i++) v[i] = out.values[line + std::size_t(edge - 2 + i) * step];
      smooth(v, b.strength, p.full);
      for (int i = 0; i < 4; i++)
        out.values[line + std::size_t(edge - 2 + i) * step] = static_cast<std::uint16_t>(v[i]);
    }
  };
  const auto count = std::size_t(p.count), width = std::size_t(p.width);
  for (int y = 0; y < p.height; y++)
    for (std::size_t c = 0; c < count; c++) along(std::size_t(y) * width * count + c, p.width, count, b.left);
  for (std::size_t x = 0; x < width * count; x++) along(x, p.height, width * count, b.top);
  return out;
}

// The light of regions comes nearer to each other.
class ToneMapping {
 public:
  ToneMapping(const Stage &s, const Channels &p)
      : t_(tone_of(s, p.full)), p_(p), columns_((p.width + t_.size - 1) / t_.size),
        rows_((p.height + t_.size - 1) / t_.size) {
    for (int by = 0; by < rows_; by++)
      for (int bx = 0; bx < columns_; bx++) means_.push_back(mean(bx, by));
  }
  Channels result() const {
    Channels out = p_;
    std::size_t i = 0;
    for (int y = 0; y < p_.height; y++)
      for (int x = 0; x < p_.width; x++) {
        const double base = base_at(x, y);
        const double e =
            std::floor((t_.compression * (t_.anchor - base) + t_.detail * (light(x, y) - base)) / 256);
        const double gain = t_.gain[std::size_t(std::clamp(int(e), -tone_limit, tone_limit) + tone_limit)];
        for (int c = 0; c < p_.count; c++, i++)
          out.values[i] = stored(p_.at(x, y, c) * gain / 65536, p_.full);
      }
    return out;
  }

 private:
  int light(int x, int y) const { // l
    double v = p_.at(x, y, 0);
    if (p_.count == 3) {
      v = 0;
      for (int c = 0; c < 3; c++) v += tone_luma[c] * p_.at(x, y, c);
      v = std::floor(v / 65536 + 0.5);
    }
    return t_.level[std::size_t(v)];
  }
  int mean(int bx, int by) const {
    std::int64_t sum = 0, count = 0;
    for (int y = by * t_.size; y < std::min(p_.height, (by + 1) * t_.size); y++)
      for (int x = bx * t_.size; x < std::min(p_.width, (bx + 1) * t_.size); x++, count++) sum += light(x, y);
    return int(sum / count);
  }
  // Twice the distance from the middle of a pixel to that of a block, as the table counts it.
  std::int64_t weight(int pixel, int block) const {
    const int twice = std::abs(2 * pixel + 1 - (2 * block + 1) * t_.size);
    return twice < int(t_.spatial.size()) ? t_.spatial[std::size_t(twice)] : 0;
  }
  int base_at(int x, int y) const {
    const int own = light(x, y);
    std::int64_t sum = tone_own * own, weights = tone_own;
    for (int by = y / t_.size - tone_reach; by <= y / t_.size + tone_reach; by++)
      for (int bx = x / t_.size - tone_reach; bx <= x / t_.size + tone_reach; bx++) {
        const int inside_x = std::clamp(bx, 0, columns_ - 1), inside_y = std::clamp(by, 0, rows_ - 1);
        const int l = means_[std::size_t(inside_y) * columns_ + inside_x];
        const std::int64_t near = weight(x, bx) * weight(y, by) / 4096;
        const std::int64_t w = near * t_.range[std::size_t(std::abs(own - l))] / 1024;
        sum += w * l;
        weights += w;
      }
    return int((sum + weights / 2) / weights);
  }

  Tone t_;
  const Channels &p_;
  int columns_, rows_;
  std::vector<int> means_;
};

class Reference final : public Filter {
 public:
  Reference(const Chain &chain, PixelFormat format) : chain_(chain), format_(format) {
    check_format(chain, format);
    for (const Stage &s : chain)
      if (s.type->kind == Kind::user)
        fail(Error::Kind::bad_setting, "the reference has no kernels of the user's (", s.file, ")");
  }
  void apply(ConstImage in, Image out, Queue &) override {
    check_pictures(in, out, format_);
    const bool grey = !is_colour(format_), deep = is_16_bit(format_);
    const int samples = grey ? 1 : 4;
    const auto get = [&](const std::uint8_t *row, int i) {
      return static_cast<std::uint16_t>(deep ? row[2 * i] | row[2 * i + 1] << 8 : row[i]);
    };
    const auto put = [&](std::uint8_t *row, int i, std::uint16_t v) {
      if (!deep) {
        row[i] = static_cast<std::uint8_t>(v);
        return;
      }
      row[2 * i] = static_cast<std::uint8_t>(v);
      row[2 * i + 1] = static_cast<std::uint8_t>(v >> 8);
    };
    // Where the channels R G B stand in a pixel.
    const int order[3] = {format_ == PixelFormat::bgra ? 2 : 0, 1, format_ == PixelFormat::bgra ? 0 : 2};
    if (in.width != width_ || in.height != height_) forget();
    width_ = in.width;
    height_ = in.height;
    Channels p{in.width, in.height, grey ? 1 : 3, full_scale(format_), {}};
    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++)
        for (int c = 0; c < p.count; c++)
          p.values.push_back(get(in.plane(0).row(y), x * samples + (grey ? 0 : order[c])));
    for (std::size_t k = 0; k < chain_.size(); k++)
      p = chain_[k].type->kind == Kind::temporal  ? over_time(chain_[k], p, kept_[k])
          : chain_[k].type->kind == Kind::deblock ? without_blocks(chain_[k], p)
          : chain_[k].type->kind == Kind::tone    ? ToneMapping(chain_[k], p).result()
                                                  : run(chain_[k], p);
    std::size_t i = 0;
    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) {
        std::uint8_t *to = out.plane(0).row(y);
        for (int c = 0; c < p.count; c++) put(to, x * samples + (grey ? 0 : order[c]), p.values[i++]);
        if (!grey) put(to, x * samples + 3, get(in.plane(0).row(y), x * samples + 3));
      }
  }

  void forget() override { kept_.assign(chain_.size(), {}); }

 private:
  Chain chain_;
  PixelFormat format_;
  int width_ = 0, height_ = 0;
  std::vector<std::vector<double>> kept_; // of each stage over time; empty before the first frame
};

class ReferenceOfP010 final : public Filter {
 public:
  ReferenceOfP010(const Chain &chain, const Coding &coding)
      : factors_(factors_of(coding)), filter_(chain, PixelFormat::rgba64) {}
  void apply(ConstImage in, Image out, Queue &queue) override {
    check_pictures(in, out, PixelFormat::p010);
    const auto samples = std::size_t(4) * std::size_t(in.width) * std::size_t(in.height);
    std::vector<std::uint16_t> opened(samples), filtered(samples);
    const auto image = [&](std::vector<std::uint16_t> &v) {
      return Image{PixelFormat::rgba64,
                   in.width,
                   in.height,
                   {reinterpret_cast<std::uint8_t *>(v.data())},
                   {row_bytes(PixelFormat::rgba64, 0, in.width)}};
    };
    open_p010(in, factors_, image(opened));
    filter_.apply(image(opened), image(filtered), queue);
    close_p010(image(filtered), factors_, out);
  }
  void forget() override { filter_.forget(); }

 private:
  YuvFactors factors_;
  Reference filter_;
};

} // namespace

std::unique_ptr<Filter> make_reference(const Chain &chain, PixelFormat format, const Coding &coding) {
  if (format == PixelFormat::p010) return std::make_unique<ReferenceOfP010>(chain, coding);
  return std::make_unique<Reference>(chain, format);
}

} // namespace vigil::filter
