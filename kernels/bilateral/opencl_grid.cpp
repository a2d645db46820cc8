// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/opencl_parts.h"

#include "bilateral-kernels.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::bilateral {
namespace {

int levels_at_once(const GridPlan &p) {
  const int parts = (p.levels + 7) / 8;
  return (p.levels + parts - 1) / parts;
}

} // namespace

const GridPlan &ClGrid::plan_for(const Pass &pass) {
  const auto same = [&](const Planned &p) {
    return p.width == pass.in.width && p.height == pass.in.height && p.window.radius == pass.window.radius &&
           p.window.spatial_sigma == pass.window.spatial_sigma &&
           p.window.range_sigma == pass.window.range_sigma;
  };
  for (const Planned &p : planned_)
    if (same(p)) return p.plan;
  std::swap(planned_[0], planned_[1]);
  planned_[0] = {pass.window, pass.in.width, pass.in.height,
                 plan_grid(pass.window, pass.in.width, pass.in.height)};
  return planned_[0].plan;
}

ClGrid::Kernels &ClGrid::kernels_for(const Pass &pass, const GridPlan &plan) {
  const bool wide = is_16_bit(pass.format);
  const Key key{
      pass.mode, pass.aligned,        pass.has_guide, wide ? 16 : 8, pass.format == PixelFormat::p010 ? 6 : 0,
      plan.taps, levels_at_once(plan)};
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  // Halves hold 8 bits and more, not 16; a processor has no memory to save.
  const bool halves = !wide && !device_.is_cpu();
  const ClProgram program(device_, {cl_sources::pixels_cl, cl_sources::grid_cl},
                          text(definitions(pass, 0, false, true), " -D HALVES=", int(halves),
                               " -D TAPS=", plan.taps, " -D LEVELS_AT_ONCE=", key.levels_at_once));
  return kernels_[key] = {program.kernel("grid_splat"), program.kernel("grid_blur"),
                          program.kernel("grid_slice")};
}

void ClGrid::apply(const Pass &pass, ClQueue &queue) {
  const GridPlan plan = plan_for(pass);
  Kernels &k = kernels_for(pass, plan);
  const std::size_t cells = std::size_t(plan.columns) * plan.rows * plan.levels;
  for (DeviceBuffer &b : grid_)
    if (b.bytes() < cells * sizeof(cl_float4)) b = DeviceBuffer(device_, cells * sizeof(cl_float4));
  const cl_mem a = device_.range_of(grid_[0].as()).memory, b = device_.range_of(grid_[1].as()).memory;
  const double scale =
      std::sqrt(0.5 * 1.4426950408889634) / plan.range_sigma; // of a difference of full scale
  cl_float4 factors = scale_for(pass, plan.range_sigma);
  factors.s[3] = float(full_scale(pass.format));
  const int at_once = levels_at_once(plan), parts = (plan.levels + at_once - 1) / at_once;
  const ClRange2 group = device_.is_cpu() ? ClRange2{64, 1} : ClRange2{32, 4};
  const auto columns = std::size_t(plan.columns), rows = std::size_t(plan.rows);
  k.splat.launch(queue, {columns, rows * std::size_t(parts)}, group, pass.in.memory, pass.in.offset,
                 pass.in.stride, pass.guide.memory, pass.guide.offset, pass.guide.stride, pass.in.width,
                 pass.in.height, pass.step, factors, a, plan.columns, plan.rows, plan.border, plan.spacing,
                 plan.levels, float(scale * plan.level_step));
  cl_float16 taps{};
  std::copy(plan.tap.begin(), plan.tap.end(), taps.s);
  const ClRange2 all{columns, rows * std::size_t(plan.levels)};
  k.blur.launch(queue, all, group, a, b, plan.columns, plan.rows, plan.levels, 1, taps);
  k.blur.launch(queue, all, group, b, a, plan.columns, plan.rows, plan.levels, 0, taps);
  k.slice.launch(queue, {std::size_t(pass.in.width), std::size_t(pass.in.height)}, group, pass.in.memory,
                 pass.in.offset, pass.in.stride, pass.guide.memory, pass.guide.offset, pass.guide.stride,
                 pass.out.memory, pass.out.offset, pass.out.stride, pass.in.width, pass.in.height, pass.step,
                 0.f, factors, cl_float2{}, cl_float16{}, a, plan.columns, plan.rows, plan.border,
                 float(1. / plan.spacing), float((plan.spacing - 1) / 2.), plan.levels,
                 float(1 / (scale * plan.level_step)));
}

} // namespace vigil::bilateral
