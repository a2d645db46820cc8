// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/passes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::bilateral {
namespace {

constexpr double log2_e = 1.4426950408889634;

bool is_bgr(PixelFormat f) {
  return f == PixelFormat::bgra;
}

} // namespace

PlanePlan plan_plane(const Config &config, const Params &params, int plane, bool has_guide) {
  PlanePlan p;
  p.copied = plane > 0 && !params.chroma;
  const bool colour = config.format == PixelFormat::rgba || config.format == PixelFormat::bgra;
  Task &t = p.task;
  t.format = config.format;
  t.mode = !colour ? Mode::one : params.weighting == Weighting::intensity ? Mode::intensity : Mode::channels;
  t.step = plane > 0 && config.format != PixelFormat::i420 ? 2 : 1;
  t.has_guide = has_guide;
  t.window = window_of(params, plane > 0);
  p.grid = grid_can(t.window) && !params.quantize_range &&
           (params.algorithm == Algorithm::grid ||
            (params.algorithm == Algorithm::automatic && uses_grid(params, plane > 0)));
  p.channels = t.step;
  if (p.grid && t.mode == Mode::channels) { // as three pictures of one channel
    t.mode = Mode::one;
    t.step = 4;
    p.channels = 3;
    p.copy_first = true;
  }
  return p;
}

Scale scale_for(const Task &t, double range_sigma) {
  const double k = std::sqrt(0.5 * log2_e) / (range_sigma * full_scale(t.format));
  if (t.mode != Mode::intensity) return {float(k), 0, 0, float(1 / k)};
  const bool bgr = is_bgr(t.format);
  return {float((bgr ? 0.11 : 0.3) * k), float(0.59 * k), float((bgr ? 0.3 : 0.11) * k), float(1 / k)};
}

Scale quantized_scale(const Task &t) {
  if (t.mode != Mode::intensity) return {1, 0, 0, 1};
  const bool bgr = is_bgr(t.format);
  return {bgr ? 11.f : 30.f, 59.f, bgr ? 30.f : 11.f, 1};
}
std::array<float, 2> bins_for(const Task &t) {
  const double full = full_scale(t.format) * (t.mode == Mode::intensity ? 100. : 1.);
  return {float(10 / full), float(0.5 + 0.25 / full)};
}
std::array<float, 16> table_for(double range_sigma) {
  std::array<float, 16> t{};
  for (int i = 0; i <= 10; i++)
    t[i] = float(std::exp(-(i / 10.) * (i / 10.) / (2 * range_sigma * range_sigma)));
  return t;
}

float spatial_factor(const Window &w) {
  return float(-0.5 * log2_e / (w.spatial_sigma * w.spatial_sigma));
}
double grid_scale(const GridPlan &plan) {
  return std::sqrt(0.5 * log2_e) / plan.range_sigma;
}

const GridPlan &GridPlans::plan_for(const Window &w, int width, int height) {
  for (const Planned &p : planned_)
    if (p.width == width && p.height == height && p.window.radius == w.radius &&
        p.window.spatial_sigma == w.spatial_sigma && p.window.range_sigma == w.range_sigma)
      return p.plan;
  std::swap(planned_[0], planned_[1]);
  planned_[0] = {w, width, height, plan_grid(w, width, height)};
  return planned_[0].plan;
}

bool uses_grid(const Params &p, bool chroma_plane) {
  const Window w = window_of(p, chroma_plane);
  if (p.quantize_range || !grid_can(w)) return false;
  // A pixel costs the exact filter a + b * taps, the grid c + d * levels / spacing^2; the quotients were
  // fitted to times measured on an H200 and on PoCL (docs/measurements/index.md).
  const GridPlan plan = plan_grid(w, 1, 1);
  const double cells = double(plan.levels) / (plan.spacing * plan.spacing), side = 2. * w.radius + 1;
  return side * side > 60 + 70 * cells;
}

} // namespace vigil::bilateral
