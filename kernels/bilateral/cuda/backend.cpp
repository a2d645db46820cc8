// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: which planes are filtered with which kernels (cuda/).
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/bilateral/cuda/kernels.h"

#include <algorithm>

namespace vigil::bilateral {
namespace {

class CudaFilter final : public Filter {
 public:
  CudaFilter(CudaDevice &d, const Config &c) : device_(d), config_(c) {
    check_config(c);
    const CudaScope scope = d.enter();
    cuda_check(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, d.id()),
               "asking the CUDA device");
  }

  void apply(const ConstImage &in, const ConstImage &guide, const Image &out, const Params &params,
             Queue &queue) override {
    check_images(config_, in, guide, out);
    const CudaScope scope = device_.enter();
    const bool has_guide = guide.data[0] != nullptr;
    for (int i = 0; i < plane_count(config_.format); i++) {
      const PlanePlan plan = plan_plane(config_, params, i, has_guide);
      if (plan.copied || plan.copy_first)
        device_.copy(out.data[i], out.stride[i], in.data[i], in.stride[i],
                     std::size_t(row_bytes(config_.format, i, config_.width)), plane_rows(i, config_.height),
                     queue);
      if (plan.copied) continue;
      CudaPass pass = pass_for(plan, in.plane(i), (has_guide ? guide : in).plane(i), out.plane(i));
      const Task &t = plan.task;
      const CudaKind kind{t.mode, is_16_bit(t.format), t.has_guide, params.quantize_range};
      for (int c = 0; c < plan.channels; c++) {
        if (plan.grid)
          grid(kind, pass, t, stream_of(queue));
        else
          exact(kind, pass, t, stream_of(queue));
        cuda_check(cudaGetLastError(), "the bilateral filter");
        const int sample = sample_bytes(t.format);
        pass.in += sample;
        pass.guide += sample;
        pass.out += sample;
      }
    }
  }

 private:
  static CudaPass pass_for(const PlanePlan &plan, Plane<const std::uint8_t> in,
                           Plane<const std::uint8_t> guide, Plane<std::uint8_t> out) {
    CudaPass p{};
    p.in = in.data;
    p.guide = guide.data;
    p.out = out.data;
    p.in_stride = in.stride;
    p.guide_stride = guide.stride;
    p.out_stride = out.stride;
    p.width = in.width;
    p.height = in.height;
    p.step = plan.task.step;
    p.shift = plan.task.format == PixelFormat::p010 ? 6 : 0;
    const auto all =
        reinterpret_cast<std::uintptr_t>(in.data) | reinterpret_cast<std::uintptr_t>(guide.data) |
        reinterpret_cast<std::uintptr_t>(out.data) | std::uintptr_t(in.stride | guide.stride | out.stride);
    p.aligned = (all & 3) == 0;
    p.spatial = spatial_factor(plan.task.window);
    return p;
  }

  void exact(const CudaKind &kind, CudaPass &p, const Task &t, cudaStream_t stream) const {
    const Scale scale = kind.quantized ? quantized_scale(t) : scale_for(t, t.window.range_sigma);
    std::copy(scale.begin(), scale.end(), p.scale);
    if (kind.quantized) {
      const auto bins = bins_for(t);
      const auto table = table_for(t.window.range_sigma);
      std::copy(bins.begin(), bins.end(), p.bins);
      std::copy(table.begin(), table.end(), p.table);
    }
    launch_exact(kind, p, t.window.radius, shared_bytes_, stream);
  }

  void grid(const CudaKind &kind, CudaPass &p, const Task &t, cudaStream_t stream) {
    const GridPlan &plan = plans_.plan_for(t.window, p.width, p.height);
    const std::size_t bytes =
        4 * sizeof(float) * std::size_t(plan.columns) * std::size_t(plan.rows) * std::size_t(plan.levels);
    for (DeviceBuffer &b : cells_)
      if (b.bytes() < bytes) b = DeviceBuffer(device_, bytes);
    const Scale scale = scale_for(t, plan.range_sigma);
    std::copy(scale.begin(), scale.end(), p.scale);
    p.scale[3] = float(full_scale(t.format));
    CudaGrid g{cells_[0].as(),
               cells_[1].as(),
               plan.columns,
               plan.rows,
               plan.levels,
               plan.border,
               plan.spacing,
               plan.taps,
               float(grid_scale(plan) * plan.level_step),
               {}};
    std::copy(plan.tap.begin(), plan.tap.end(), g.tap);
    launch_grid(kind, p, g, stream);
  }

  CudaDevice &device_;
  Config config_;
  int shared_bytes_ = 0;
  GridPlans plans_;
  DeviceBuffer cells_[2];
};

} // namespace

std::unique_ptr<Filter> make_cuda(Device &d, const Config &c) {
  return std::make_unique<CudaFilter>(device_cast<CudaDevice>(d), c);
}

} // namespace vigil::bilateral
