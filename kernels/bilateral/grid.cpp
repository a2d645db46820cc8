// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vigil::bilateral {
namespace {

constexpr double spacing_of_sigma = 0.6;

int levels_of(const Window &w) {
  return std::max(2, int(std::ceil(1 / w.range_sigma)) + 1);
}
// Beyond six sigmas there is nothing to see.
int reach(const Window &w) {
  return std::min(w.radius, int(std::ceil(6 * w.spatial_sigma)));
}

// Solves the symmetric, positive definite system a x = b of n unknowns in place.
void solve(std::vector<double> &a, std::vector<double> &b, int n) {
  for (int i = 0; i < n; i++)
    for (int r = i + 1; r < n; r++) {
      const double f = a[r * n + i] / a[i * n + i];
      for (int c = i; c < n; c++) a[r * n + c] -= f * a[i * n + c];
      b[r] -= f * b[i];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) b[i] -= a[i * n + c] * b[c];
    b[i] /= a[i * n + i];
  }
}

// The taps whose effective kernels, one for each position of a pixel in its cell, fit the cut Gaussian best.
// The row of the system for a position and a distance holds what each tap contributes to the weight of a
// pixel at that distance.
void fit(GridPlan &plan, const Window &w) {
  const int n = plan.taps + 1, s = plan.spacing, radius = reach(w);
  std::vector<double> normal(std::size_t(n) * n), right(n), row(n);
  for (int pixel = 0; pixel < s; pixel++) {
    const double t = (pixel - (s - 1) / 2.) / s;
    const int cell = int(std::floor(t));
    const double a = t - cell;
    for (int d = -(plan.taps + 2) * s; d <= (plan.taps + 2) * s; d++) {
      const int other = int(std::floor(double(pixel + d) / s)); // the neighbour's cell
      std::fill(row.begin(), row.end(), 0.);
      const int near = std::abs(other - cell), far = std::abs(other - cell - 1);
      if (near < n) row[near] += (1 - a) / s;
      if (far < n) row[far] += a / s;
      const double want =
          std::abs(d) <= radius ? std::exp(-double(d) * d / (2 * w.spatial_sigma * w.spatial_sigma)) : 0;
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) normal[i * n + k] += row[i] * row[k];
        right[i] += row[i] * want;
      }
    }
  }
  for (int i = 0; i < n; i++) normal[i * n + i] += 1e-9;
  solve(normal, right, n);
  double sum = -right[0];
  for (const double v : right) sum += 2 * v;
  for (int i = 0; i < n; i++) plan.tap[i] = float(right[i] / sum);
}

} // namespace

bool grid_can(const Window &w) {
  return w.radius > 0 && levels_of(w) <= max_levels;
}

GridPlan plan_grid(const Window &w, int width, int height) {
  GridPlan p;
  const int radius = reach(w);
  const double sigma = std::min(w.spatial_sigma, radius / 2.); // a window cut short is as wide as its radius
  p.spacing = std::max({1, int(std::lround(spacing_of_sigma * sigma)), (radius + max_taps - 1) / max_taps});
  p.taps = (radius + p.spacing - 1) / p.spacing;
  fit(p, w);
  p.levels = levels_of(w);
  p.level_step = 1. / (p.levels - 1);
  p.range_sigma = std::sqrt(w.range_sigma * w.range_sigma - p.level_step * p.level_step / 6);
  p.border = p.taps + 1;
  p.columns = (width + p.spacing - 1) / p.spacing + 2 * p.border;
  p.rows = (height + p.spacing - 1) / p.spacing + 2 * p.border;
  return p;
}

} // namespace vigil::bilateral
