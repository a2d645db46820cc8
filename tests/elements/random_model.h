// SPDX-License-Identifier: LGPL-2.1-or-later
// A model for gpufisher that needs no training.
#pragma once

#include "kernels/fisher/model_file.h"

#include <random>
#include <string>
#include <vector>

namespace vigil::test {

// Small, of random numbers; its classes' thresholds are given.
inline fisher::Model random_model(unsigned seed, const std::vector<std::string> &classes, float begin = 0,
                                  float end = 0) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0, 1);
  std::uniform_real_distribution<float> positive(0.01f, 0.03f);
  const auto fill = [&](std::vector<float> &v, std::size_t n, float scale) {
    v.resize(n);
    for (float &x : v) x = scale * normal(rng);
  };
  fisher::Model m;
  m.sift.scales = 3;
  m.sift.largest_scale = 1;
  fisher::Codebook &b = m.codebook;
  b.projected = 16;
  b.components = 8;
  const auto n = std::size_t(b.components), dimension = std::size_t(b.dimension());
  fill(b.mean, fisher::descriptor_length, 0.05f);
  fill(b.projection, 16u * fisher::descriptor_length, 0.1f);
  b.priors.assign(n, 1.f / float(n));
  fill(b.means, n * dimension, 0.1f);
  b.variances.resize(n * dimension);
  for (float &v : b.variances) v = positive(rng);
  m.classifier.classes = classes;
  fill(m.classifier.weights, classes.size() * std::size_t(b.vector_length()), 1.f);
  fill(m.classifier.bias, classes.size(), 0.1f);
  m.classifier.begin.assign(classes.size(), begin);
  m.classifier.end.assign(classes.size(), end);
  return m;
}

} // namespace vigil::test
