// SPDX-License-Identifier: LGPL-2.1-or-later
// A small valid model for tests of its file.
#pragma once

#include "kernels/fisher/model_file.h"

#include <cmath>
#include <random>

namespace vigil::fisher {

inline Model sample_model(int projected = 3, int components = 2, int classes = 2) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  const auto fill = [&](std::vector<float> &v, std::size_t n, auto value) {
    v.resize(n);
    for (float &x : v) x = value();
  };
  Model m;
  m.sift.scales = 5;
  m.sift.largest_scale = 1.25;
  Codebook &b = m.codebook;
  b.projected = projected;
  b.components = components;
  const std::size_t values = std::size_t(components) * b.dimension();
  const auto any = [&] { return normal(rng); };
  fill(b.mean, descriptor_length, any);
  fill(b.projection, std::size_t(projected) * descriptor_length, any);
  fill(b.means, values, any);
  fill(b.variances, values, [&] { return 0.1F + std::abs(normal(rng)); });
  fill(b.priors, components, [&] { return 1.F / static_cast<float>(components); });
  Classifier &c = m.classifier;
  for (int i = 0; i < classes; i++) c.classes.push_back("class " + std::to_string(i) + " \u00fc");
  fill(c.weights, std::size_t(classes) * b.vector_length(), any);
  fill(c.bias, classes, any);
  fill(c.begin, classes, [] { return 0.5F; });
  fill(c.end, classes, [] { return 0.25F; });
  c.baseline = classes ? 90 : 0;
  m.note = std::string("made by: a test\nseed: 1\n");
  return m;
}

} // namespace vigil::fisher
