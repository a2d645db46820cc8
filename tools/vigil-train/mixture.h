// SPDX-License-Identifier: LGPL-2.1-or-later
// A mixture of Gaussians with diagonal covariances, fitted by expectation maximisation (Dempster et al. 1977;
// the formulas as in Bishop, Pattern Recognition and Machine Learning, section 9.2) from k-means clusters
// that begin as k-means++ (Arthur and Vassilvitskii 2007). The same data and seed give the same bits, on any
// number of threads.
#pragma once

#include "kernels/fisher/expectation.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::train {

struct Data {
  std::span<const float> values; // rows x dimension
  std::size_t rows = 0, dimension = 0;
};

using Mixture = fisher::GaussianMixture;

// Lower bounds of the variances, a value a dimension: `fraction` of the largest variance of any dimension, as
// VLFeat's encoders are trained.
std::vector<double> variance_floor(const Data &, double fraction);

// What maximisation needs of the rows, q being a component's posterior of a row x.
struct Statistics {
  std::vector<double> sums; // components x 2 dimension: of q x^2 and q x
  std::vector<double> mass; // components: of q
  double likelihood = 0;    // of the rows' log-likelihoods
};
Statistics expectation(const Data &, const Mixture &);
// Replaces the mixture. A component that lost all its rows is placed next to the heaviest one.
void maximisation(const Statistics &, double rows, Mixture &, std::span<const double> floor);
// As above, of statistics: a row's posteriors sum to 1.
std::vector<double> variance_floor(const Statistics &, double rows, std::size_t dimension, double fraction);

// Centres (components x dimension) after `iterations` of Lloyd's algorithm at most, on at most 256 rows a
// component (the first ones: rows must be in random order). Throws Error::bad_data when there are fewer rows
// than components.
std::vector<float> k_means(const Data &, std::size_t components, std::uint64_t seed, int iterations);
// The mixture of the clusters around these centres.
Mixture from_clusters(const Data &, std::span<const float> centres, std::span<const double> floor);

} // namespace vigil::train
