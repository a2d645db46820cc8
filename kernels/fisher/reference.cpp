// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of fisher.h in double precision, one loop after the other.
#include "kernels/fisher/fisher.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

using Values = std::vector<double>;

struct Grey {
  int width, height;
  Values values;
  double at(int x, int y) const { return values[std::size_t(y) * width + x]; }
};

Grey luma(const ConstImage &frame) {
  Grey g{frame.width, frame.height, {}};
  const bool colour = frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const std::uint8_t *p = frame.plane(0).row(y) + (colour ? 4 * x : x);
      const int red = frame.format == PixelFormat::rgba ? 0 : 2;
      g.values.push_back(
          (colour ? luma_red * p[red] + luma_green * p[1] + luma_blue * p[2 - red] : double(p[0])) / 255);
    }
  return g;
}

// The weights with which the pixels of a row (column) of `from` pixels make pixel x of one of `to` pixels.
Values resize_weights(int from, int to, int x) {
  const double ratio = double(from) / to, half = std::max(1., ratio);
  Values t(from);
  double sum = 0;
  for (int j = 0; j < from; j++) {
    t[j] = std::max(0., 1 - std::abs(j + 0.5 - (x + 0.5) * ratio) / half);
    sum += t[j];
  }
  for (double &v : t) v /= sum;
  return t;
}

Grey resize(const Grey &from, int width, int height) {
  Grey wide{width, from.height, Values(std::size_t(width) * from.height)};
  for (int x = 0; x < width; x++) {
    const Values t = resize_weights(from.width, width, x);
    for (int j = 0; j < from.width; j++)
      if (t[j] != 0)
        for (int y = 0; y < from.height; y++) wide.values[std::size_t(y) * width + x] += t[j] * from.at(j, y);
  }
  Grey to{width, height, Values(std::size_t(width) * height)};
  for (int y = 0; y < height; y++) {
    const Values t = resize_weights(from.height, height, y);
    for (int j = 0; j < from.height; j++)
      if (t[j] != 0)
        for (int x = 0; x < width; x++) to.values[std::size_t(y) * width + x] += t[j] * wide.at(x, j);
  }
  return to;
}

// Modulus by orientation.
std::vector<Grey> gradients(const Grey &g) {
  std::vector<Grey> planes(orientations, Grey{g.width, g.height, Values(g.values.size())});
  const auto slope = [](int i, int size, auto at) {
    if (size == 1) return 0.;
    if (i == 0) return at(1) - at(0);
    if (i == size - 1) return at(i) - at(i - 1);
    return (at(i + 1) - at(i - 1)) / 2;
  };
  for (int y = 0; y < g.height; y++)
    for (int x = 0; x < g.width; x++) {
      const double gx = slope(x, g.width, [&](int i) { return g.at(i, y); });
      const double gy = slope(y, g.height, [&](int i) { return g.at(x, i); });
      const double b = std::abs(gy) + norm_epsilon;
      const double r = gx >= 0 ? (gx - b) / (gx + b) : (gx + b) / (b - gx);
      double angle = (gx >= 0 ? 0.25 : 0.75) * std::numbers::pi + (angle_cubic * r * r - angle_linear) * r;
      if (gy < 0) angle = -angle;
      if (angle < 0) angle += 2 * std::numbers::pi;
      const double n = angle * orientations / (2 * std::numbers::pi), low = std::floor(n);
      const double modulus = std::sqrt(gx * gx + gy * gy);
      const std::size_t i = std::size_t(y) * g.width + x;
      planes[int(low) % orientations].values[i] += (1 - (n - low)) * modulus;
      planes[(int(low) + 1) % orientations].values[i] += (n - low) * modulus;
    }
  return planes;
}

// The sum around a spatial bin's centre.
double bin_value(const Grey &plane, int x, int y, int bin_size) {
  double sum = 0;
  for (int dy = 1 - bin_size; dy < bin_size; dy++)
    for (int dx = 1 - bin_size; dx < bin_size; dx++)
      sum += (1 - std::abs(dx) / double(bin_size)) * (1 - std::abs(dy) / double(bin_size)) *
             plane.at(std::clamp(x + dx, 0, plane.width - 1), std::clamp(y + dy, 0, plane.height - 1));
  return sum;
}

void normalise(Values &v) {
  double squares = 0;
  for (const double e : v) squares += e * e;
  for (double &e : v) e /= std::sqrt(squares) + norm_epsilon;
}

Values descriptor(const std::vector<Grey> &planes, int left, int top, const SiftParams &p) {
  Values v;
  double sum = 0;
  for (int l = 0; l < bins; l++)
    for (int k = 0; k < bins; k++) {
      const double weight = window_weight(k, p.bin_size) * window_weight(l, p.bin_size);
      for (const Grey &plane : planes) {
        v.push_back(weight * bin_value(plane, left + k * p.bin_size, top + l * p.bin_size, p.bin_size));
        sum += v.back();
      }
    }
  const int side = (bins - 1) * p.bin_size + 1;
  if (sum / (side * side) < p.contrast_threshold) return Values(descriptor_length);
  normalise(v);
  for (double &e : v) e = std::min(e, clip);
  normalise(v);
  return v;
}

class ReferenceExtractor final : public Extractor {
 public:
  ReferenceExtractor(int width, int height, const SiftParams &p)
      : Extractor(width, height, p), positions_(positions_for(layout(), p)) {}
  const float *positions() const override { return positions_.data(); }
  void extract(const ConstImage &frame, float *out, Queue &) override {
    check_frame(frame);
    const Grey grey = luma(frame);
    for (const ScaleLayout &s : layout().scales) {
      const std::vector<Grey> planes = gradients(resize(grey, s.width, s.height));
      for (int row = 0; row < s.rows; row++)
        for (int column = 0; column < s.columns; column++)
          for (const double e : descriptor(planes, column * params().step, row * params().step, params()))
            *out++ = static_cast<float>(e);
    }
  }

 private:
  std::vector<float> positions_;
};

class ReferenceEncoder final : public Encoder {
 public:
  ReferenceEncoder(const Codebook &c, const Classifier &k, int capacity)
      : Encoder(c, k, capacity), book_(c), classifier_(k) {}

  void encode(const float *descriptors, const float *positions, int count, float *vector, float *scores,
              Queue &) override {
    check_count(count);
    encode_weighted(descriptors, positions, nullptr, count, vector, scores);
  }

  void encode_frame(Extractor &extractor, const ConstImage &frame, float *vector, float *scores,
                    Queue &queue) override {
    std::vector<float> descriptors(std::size_t(descriptor_length) * extractor.layout().descriptors);
    extractor.extract(frame, descriptors.data(), queue);
    encode(descriptors.data(), extractor.positions(), extractor.layout().descriptors, vector, scores, queue);
  }

  void encode_pictures(Extractor &extractor, const Pictures &pictures, float *vectors,
                       Queue &queue) override {
    check_pictures(extractor, pictures);
    const int count = extractor.layout().descriptors;
    std::vector<float> descriptors(std::size_t(descriptor_length) * count);
    for (int i = 0; i < pictures.count; i++) {
      extractor.extract(pictures.picture(i), descriptors.data(), queue);
      encode_weighted(descriptors.data(), extractor.positions(),
                      pictures.weights ? pictures.weights + std::size_t(count) * i : nullptr, count,
                      vectors + std::size_t(vector_length()) * i, nullptr);
    }
  }

 private:
  void encode_weighted(const float *descriptors, const float *positions, const float *weights, int count,
                       float *vector, float *scores) const {
    const int n = components(), m = dimension();
    Values sum(vector_length());
    for (int i = 0; i < count; i++) {
      const Values x =
          project(descriptors + std::size_t(descriptor_length) * i, positions + std::size_t(2) * i);
      const Values q = posteriors(x);
      for (int j = 0; j < n; j++)
        for (int k = 0; k < m && q[j] > 0; k++) {
          const double d = distance(x, j, k), part = weights ? q[j] * weights[i] : q[j];
          sum[j * m + k] += part * d;
          sum[(n + j) * m + k] += part * (d * d - 1);
        }
    }
    double squares = 0;
    for (int e = 0; e < vector_length(); e++) {
      const double w = book_.priors[e / m % n];
      double z = w < smallest_prior || count == 0 ? 0 : sum[e] / (count * std::sqrt(e < n * m ? w : 2 * w));
      z = std::copysign(std::sqrt(std::abs(z)), z);
      sum[e] = z;
      squares += z * z;
    }
    for (int e = 0; e < vector_length(); e++) {
      sum[e] /= std::max(std::sqrt(squares), smallest_norm);
      vector[e] = static_cast<float>(sum[e]);
    }
    if (!scores) return;
    for (int c = 0; c < classes(); c++) {
      double score = classifier_.bias[c];
      for (int e = 0; e < vector_length(); e++)
        score += double(classifier_.weights[std::size_t(c) * vector_length() + e]) * sum[e];
      scores[c] = static_cast<float>(score);
    }
  }

  Values project(const float *descriptor, const float *position) const {
    Values x(dimension());
    for (int k = 0; k < book_.projected; k++)
      for (int e = 0; e < descriptor_length; e++)
        x[k] += double(book_.projection[k * descriptor_length + e]) * (double(descriptor[e]) - book_.mean[e]);
    x[book_.projected] = position[0];
    x[book_.projected + 1] = position[1];
    return x;
  }
  // In units of the component's deviation.
  double distance(const Values &x, int j, int k) const {
    const std::size_t e = std::size_t(j) * dimension() + k;
    return (x[k] - book_.means[e]) / std::sqrt(double(book_.variances[e]));
  }
  Values posteriors(const Values &x) const {
    Values q(components());
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < components(); j++) {
      if (book_.priors[j] < smallest_prior) {
        q[j] = -INFINITY;
        continue;
      }
      q[j] = std::log(double(book_.priors[j]));
      for (int k = 0; k < dimension(); k++) {
        const double d = distance(x, j, k);
        q[j] -= 0.5 *
                (d * d + std::log(2 * std::numbers::pi * book_.variances[std::size_t(j) * dimension() + k]));
      }
      most = std::max(most, q[j]);
    }
    for (double &e : q) sum += e = std::exp(e - most);
    for (double &e : q) {
      e /= sum;
      if (e < smallest_posterior) e = 0;
    }
    return q;
  }

  Codebook book_;
  Classifier classifier_;
};

} // namespace

std::unique_ptr<Extractor> make_reference(int width, int height, const SiftParams &p) {
  return std::make_unique<ReferenceExtractor>(width, height, p);
}
std::unique_ptr<Encoder> make_reference(const Codebook &c, const Classifier &k, int capacity) {
  return std::make_unique<ReferenceEncoder>(c, k, capacity);
}
std::vector<double> reference_resized(const ConstImage &frame, int width, int height) {
  return resize(luma(frame), width, height).values;
}

} // namespace vigil::fisher
