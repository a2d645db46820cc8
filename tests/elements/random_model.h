// SPDX-License-Identifier: LGPL-2.1-or-later
// A model for gpufisher that needs no training.
#pragma once

#include "kernels/fisher/model_file.h"

#include <random>
#include <string>
#include <vector>

namespace vigil::test {

// Numbers of one seed, for codebooks and classifiers.
class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : rng_(seed) {}
  void fill(std::vector<float> &v, std::size_t n, float scale) {
    v.resize(n);
    for (float &x : v) x = scale * normal_(rng_);
  }
  fisher::Codebook codebook() {
    fisher::Codebook b;
    b.projected = 16;
    b.components = 8;
    const auto n = std::size_t(b.components), dimension = std::size_t(b.dimension());
    fill(b.mean, fisher::descriptor_length, 0.05f);
    fill(b.projection, 16u * fisher::descriptor_length, 0.1f);
    b.priors.assign(n, 1.f / float(n));
    fill(b.means, n * dimension, 0.1f);
    b.variances.resize(n * dimension);
    for (float &v : b.variances) v = positive_(rng_);
    return b;
  }

 private:
  std::mt19937 rng_;
  std::normal_distribution<float> normal_{0, 1};
  std::uniform_real_distribution<float> positive_{0.01f, 0.03f};
};

// Small, of random numbers; its classes' thresholds are given. With motion over `lag` frames, or with a
// lag of 0 without.
inline fisher::Model random_motion_model(unsigned seed, const std::vector<std::string> &classes, int lag,
                                         float begin = 0, float end = 0) {
  RandomNumbers numbers(seed);
  fisher::Model m;
  m.sift.scales = 3;
  m.sift.largest_scale = 1;
  m.codebook = numbers.codebook();
  if (lag > 0) m.motion = fisher::Motion{lag, numbers.codebook()};
  m.classifier.classes = classes;
  numbers.fill(m.classifier.weights, classes.size() * std::size_t(m.vector_length()), 1.f);
  numbers.fill(m.classifier.bias, classes.size(), 0.1f);
  m.classifier.begin.assign(classes.size(), begin);
  m.classifier.end.assign(classes.size(), end);
  return m;
}
inline fisher::Model random_model(unsigned seed, const std::vector<std::string> &classes, float begin = 0,
                                  float end = 0) {
  return random_motion_model(seed, classes, 0, begin, end);
}

} // namespace vigil::test
