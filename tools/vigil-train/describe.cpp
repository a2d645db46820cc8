// SPDX-License-Identifier: LGPL-2.1-or-later
#include "commands.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace vigil::train {

namespace {

void print_codebook(const char *name, const fisher::Codebook &b) {
  const auto [least, most] = std::minmax_element(b.priors.begin(), b.priors.end());
  std::printf("%s: 128 -> %d dimensions and the position, %d components, priors %.3g to %.3g; vectors of %d "
              "values\n",
              name, b.projected, b.components, double{*least}, double{*most}, b.vector_length());
}

} // namespace

void describe(const std::string &path) {
  const fisher::Model m = fisher::read_model(path);
  std::printf("%s: a model of version %d, %ju bytes\n", path.c_str(), m.motion ? 2 : 1,
              static_cast<std::uintmax_t>(std::filesystem::file_size(path)));
  std::printf("descriptors: %d scales from %.4g, bin size %d, step %d, contrast threshold %g\n",
              m.sift.scales, m.sift.largest_scale, m.sift.bin_size, m.sift.step, m.sift.contrast_threshold);
  print_codebook("codebook", m.codebook);
  if (m.motion) {
    std::printf("motion: differences over %d frames\n", m.motion->lag);
    print_codebook("codebook of motion", m.motion->codebook);
  }
  const fisher::Classifier &c = m.classifier;
  if (c.count() == 0) std::printf("classifier: none\n");
  for (int k = 0; k < c.count(); k++) {
    double norm = 0;
    for (int i = 0; i < m.vector_length(); i++) {
      const double w = c.weights[static_cast<std::size_t>(k) * m.vector_length() + i];
      norm += w * w;
    }
    std::printf("class %s: weights' norm %.4g, bias %.4g; events begin at %.4g, end below %.4g\n",
                c.classes[k].c_str(), std::sqrt(norm), double{c.bias[k]}, double{c.begin[k]},
                double{c.end[k]});
  }
  if (c.baseline) std::printf("scores less the lower quartile of the last %d\n", c.baseline);
  std::printf("%s", m.note.c_str());
}

} // namespace vigil::train
