// SPDX-License-Identifier: LGPL-2.1-or-later
// For benchmarks: descriptors of drawn street scenes, and a codebook fitted to them, so that posteriors are
// as sparse as they are with real pictures. A short fit (a principal component analysis, five steps of EM
// from random descriptors), not a good one: vigil-train does better.
#pragma once

#include "common/scene/scene.h"
#include "kernels/fisher/fisher.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace vigil::fisher {

using Floats = std::vector<float>;

// One frame of a scene, nv12 in host memory.
struct HostFrame {
  HostFrame(const scene::Scene &s, int number)
      : bytes(static_cast<std::size_t>(s.settings().width) *
              (s.settings().height + (s.settings().height + 1) / 2)) {
    const int w = s.settings().width, h = s.settings().height;
    image = {PixelFormat::nv12, w, h, {bytes.data(), bytes.data() + static_cast<std::size_t>(w) * h}, {w, w}};
    s.draw({static_cast<std::uint64_t>(number), 4 + 2. * number}, image, {});
  }
  std::vector<std::uint8_t> bytes;
  Image image;
};

// `projected` principal components, by orthogonal iteration.
inline Floats principal_components(const Floats &descriptors, const Floats &mean, int projected) {
  constexpr int n = descriptor_length;
  std::vector<double> covariance(n * n), vectors(static_cast<std::size_t>(projected) * n), next(n);
  for (std::size_t i = 0; i < descriptors.size(); i += n)
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++)
        covariance[a * n + b] += double(descriptors[i + a] - mean[a]) * (descriptors[i + b] - mean[b]);
  std::mt19937 rng(1);
  for (double &v : vectors) v = std::normal_distribution()(rng);
  for (int round = 0; round < 30; round++)
    for (int k = 0; k < projected; k++) {
      double *v = &vectors[static_cast<std::size_t>(k) * n];
      for (int a = 0; a < n; a++) next[a] = std::inner_product(v, v + n, &covariance[a * n], 0.);
      for (int other = 0; other < k; other++) {
        const double *o = &vectors[static_cast<std::size_t>(other) * n];
        const double along = std::inner_product(o, o + n, next.begin(), 0.);
        for (int a = 0; a < n; a++) next[a] -= along * o[a];
      }
      const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.));
      for (int a = 0; a < n; a++) v[a] = next[a] / norm;
    }
  return {vectors.begin(), vectors.end()};
}

// count x M: P (descriptor - mean) and the position.
inline Floats project(const Codebook &c, const Floats &descriptors, const Floats &positions) {
  const int m = c.dimension(), count = static_cast<int>(positions.size() / 2);
  Floats x(static_cast<std::size_t>(count) * m);
  for (int i = 0; i < count; i++) {
    float centred[descriptor_length];
    for (int e = 0; e < descriptor_length; e++)
      centred[e] = descriptors[static_cast<std::size_t>(i) * descriptor_length + e] - c.mean[e];
    for (int k = 0; k < c.projected; k++)
      x[static_cast<std::size_t>(i) * m + k] =
          std::inner_product(centred, centred + descriptor_length,
                             &c.projection[static_cast<std::size_t>(k) * descriptor_length], 0.F);
    for (int k = 0; k < 2; k++) x[static_cast<std::size_t>(i) * m + c.projected + k] = positions[2 * i + k];
  }
  return x;
}

// One step of EM; variances stay above `floor`.
inline void improve(Codebook &c, const Floats &x, const Floats &floor) {
  const int m = c.dimension(), n = c.components, count = static_cast<int>(x.size()) / m;
  std::vector<double> weight(n), first(c.means.size()), second(c.means.size());
  std::vector<float> constant(n), inverse, q(n);
  for (const float v : c.variances) inverse.push_back(1 / v);
  for (int j = 0; j < n; j++) {
    constant[j] = std::log(std::max(c.priors[j], 1e-30F));
    for (int k = 0; k < m; k++) constant[j] -= 0.5F * std::log(c.variances[j * m + k]);
  }
  for (int i = 0; i < count; i++) {
    const float *v = &x[static_cast<std::size_t>(i) * m];
    for (int j = 0; j < n; j++) {
      float distance = 0;
      for (int k = 0; k < m; k++)
        distance += (v[k] - c.means[j * m + k]) * (v[k] - c.means[j * m + k]) * inverse[j * m + k];
      q[j] = constant[j] - 0.5F * distance;
    }
    const float most = *std::max_element(q.begin(), q.end());
    float sum = 0;
    for (float &p : q) sum += p = std::exp(p - most);
    for (int j = 0; j < n; j++) {
      const float share = q[j] / sum;
      if (share < 1e-6F) continue;
      weight[j] += share;
      for (int k = 0; k < m; k++) {
        first[j * m + k] += double(share) * v[k];
        second[j * m + k] += double(share) * v[k] * v[k];
      }
    }
  }
  for (int j = 0; j < n; j++) {
    c.priors[j] = static_cast<float>(std::max(weight[j], 0.01) / count);
    if (weight[j] < 1) continue;
    for (int k = 0; k < m; k++) {
      const double mean = first[j * m + k] / weight[j];
      c.means[j * m + k] = static_cast<float>(mean);
      c.variances[j * m + k] =
          std::max(static_cast<float>(second[j * m + k] / weight[j] - mean * mean), floor[k]);
    }
  }
}

inline Codebook fit(const Floats &descriptors, const Floats &positions, int projected, int components) {
  Codebook c;
  c.projected = projected;
  c.components = components;
  const std::size_t count = positions.size() / 2;
  c.mean.resize(descriptor_length);
  for (std::size_t i = 0; i < descriptors.size(); i++)
    c.mean[i % descriptor_length] += descriptors[i] / static_cast<float>(count);
  c.projection = principal_components(descriptors, c.mean, projected);
  const Floats x = project(c, descriptors, positions);
  const int m = c.dimension();
  Floats mean(m), variance(m), floor(m);
  for (std::size_t i = 0; i < x.size(); i++) mean[i % m] += x[i] / static_cast<float>(count);
  for (std::size_t i = 0; i < x.size(); i++)
    variance[i % m] += (x[i] - mean[i % m]) * (x[i] - mean[i % m]) / static_cast<float>(count);
  for (int k = 0; k < m; k++) floor[k] = std::max(1e-4F * variance[k], 1e-6F);
  std::mt19937 rng(2);
  for (int j = 0; j < components; j++) {
    const std::size_t i = rng() % count;
    c.means.insert(c.means.end(), &x[i * m], &x[i * m] + m);
    for (int k = 0; k < m; k++) c.variances.push_back(std::max(0.3F * variance[k], floor[k]));
    c.priors.push_back(1.F / static_cast<float>(components));
  }
  for (int step = 0; step < 5; step++) improve(c, x, floor);
  return c;
}

} // namespace vigil::fisher
