// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/opencl/parts.h"

#include "common/error.h"
#include "kernels/bilateral/bilateral-kernels.h"

#include <algorithm>

namespace vigil::bilateral {
namespace {

int levels_at_once(const GridPlan &p) {
  const int parts = (p.levels + 7) / 8;
  return (p.levels + parts - 1) / parts;
}

} // namespace

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
                               " -D TAPS=", plan.taps, " -D LEVELS_AT_ONCE=", key.levels_at_once,
                               " -D VECTORS=", int(device_.is_cpu())));
  return kernels_[key] = {program.kernel("grid_splat"), program.kernel("grid_blur"),
                          program.kernel("grid_slice")};
}

void ClGrid::apply(const Pass &pass, ClQueue &queue) {
  const GridPlan &plan = plans_.plan_for(pass.window, pass.in.width, pass.in.height);
  Kernels &k = kernels_for(pass, plan);
  const std::size_t cells = std::size_t(plan.columns) * plan.rows * plan.levels;
  for (DeviceBuffer &b : grid_)
    if (b.bytes() < cells * sizeof(cl_float4)) b = DeviceBuffer(device_, cells * sizeof(cl_float4));
  const cl_mem a = device_.range_of(grid_[0].as()).memory, b = device_.range_of(grid_[1].as()).memory;
  const double scale = grid_scale(plan);
  cl_float4 factors = cl_scale(scale_for(pass, plan.range_sigma));
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
