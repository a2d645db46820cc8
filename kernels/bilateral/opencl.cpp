// SPDX-License-Identifier: LGPL-2.1-or-later
// Which planes are filtered with which program; the exact filter's programs. The grid is in opencl_grid.cpp.
#include "kernels/bilateral/opencl.h"

#include "bilateral-kernels.h"
#include "common/error.h"
#include "common/opencl/program.h"
#include "kernels/bilateral/opencl_parts.h"

#include <algorithm>
#include <cmath>

namespace vigil::bilateral {

std::string definitions(const Pass &p, int radius, bool quantized, bool native) {
  // Numbers near 0 may be taken as 0: weights that small change nothing, and exp2 is dearer on a GPU if it must keep them.
  return text("-cl-denorms-are-zero -cl-mad-enable -D MODE=", int(p.mode), " -D RADIUS=", radius,
              " -D SAMPLE=", is_16_bit(p.format) ? "ushort" : "uchar", " -D WIDE=", int(is_16_bit(p.format)),
              " -D SHIFT=", p.format == PixelFormat::p010 ? 6 : 0, " -D ALIGNED=", int(p.aligned),
              " -D GUIDE=", int(p.has_guide), " -D QUANTIZED=", int(quantized), " -D NATIVE=", int(native));
}

cl_float4 scale_for(const Pass &p, double range_sigma) {
  constexpr double log2_e = 1.4426950408889634;
  const double k = std::sqrt(0.5 * log2_e) / (range_sigma * full_scale(p.format));
  if (p.mode != Mode::intensity) return {{float(k), 0, 0, float(1 / k)}};
  return {{float((p.bgr ? 0.11 : 0.3) * k), float(0.59 * k), float((p.bgr ? 0.3 : 0.11) * k), float(1 / k)}};
}

namespace {

// Differences are whole numbers in these units, so that the table's index is exact: see weight_of() in pixels.cl.
cl_float4 quantized_scale(const Pass &p) {
  if (p.mode != Mode::intensity) return {{1, 0, 0, 1}};
  return {{p.bgr ? 11.f : 30.f, 59.f, p.bgr ? 30.f : 11.f, 1}};
}
cl_float2 bins_for(const Pass &p) {
  const double full = full_scale(p.format) * (p.mode == Mode::intensity ? 100. : 1.);
  return {{float(10 / full), float(0.5 + 0.25 / full)}};
}
cl_float16 table_for(double range_sigma) {
  cl_float16 t{};
  for (int i = 0; i <= 10; i++)
    t.s[i] = float(std::exp(-(i / 10.) * (i / 10.) / (2 * range_sigma * range_sigma)));
  return t;
}

class ClFilter final : public Filter {
 public:
  ClFilter(ClDevice &d, const Config &c, const Variant &v) : device_(d), config_(c), variant_(v), grid_(d) {
    check_config(c);
  }

  void apply(const ConstImage &in, const ConstImage &guide, const Image &out, const Params &params,
             Queue &q) override {
    check_images(config_, in, guide, out);
    auto &queue = static_cast<ClQueue &>(q);
    const ClImage from = device_.view(in), by = guide.data[0] ? device_.view(guide) : from,
                  to = device_.view(out);
    const bool colour = config_.format == PixelFormat::rgba || config_.format == PixelFormat::bgra;
    for (int i = 0; i < plane_count(config_.format); i++) {
      if (i > 0 && !params.chroma) {
        device_.copy(out.data[i], out.stride[i], in.data[i], in.stride[i],
                     std::size_t(row_bytes(config_.format, i, config_.width)), plane_rows(i, config_.height),
                     queue);
        continue;
      }
      Pass p;
      p.in = from.plane[i];
      p.guide = by.plane[i];
      p.out = to.plane[i];
      p.has_guide = guide.data[0] != nullptr;
      p.format = config_.format;
      p.bgr = config_.format == PixelFormat::bgra;
      p.window = window_of(params, i > 0);
      p.mode = !colour                                    ? Mode::one
               : params.weighting == Weighting::intensity ? Mode::intensity
                                                          : Mode::channels;
      p.step = i > 0 && config_.format != PixelFormat::i420 ? 2 : 1;
      const bool grid = grid_can(p.window) && !params.quantize_range &&
                        (params.algorithm == Algorithm::grid ||
                         (params.algorithm == Algorithm::automatic && uses_grid(device_, params, i > 0)));
      if (grid && p.mode == Mode::channels) { // as three pictures of one channel
        p.mode = Mode::one;
        p.step = 4;
        device_.copy(out.data[i], out.stride[i], in.data[i], in.stride[i], std::size_t(4) * config_.width,
                     config_.height, queue); // for the fourth byte
      }
      const int sample = is_16_bit(config_.format) ? 2 : 1,
                channels = p.mode != Mode::one ? 1 : std::min(p.step, 3);
      p.aligned = p.mode == Mode::one || aligned(p);
      for (int c = 0; c < channels; c++) {
        if (grid)
          grid_.apply(p, queue);
        else
          exact(p, params.quantize_range, queue);
        for (ClPlane *plane : {&p.in, &p.guide, &p.out}) plane->offset += sample;
      }
    }
  }

 private:
  static bool aligned(const Pass &p) {
    return ((p.in.offset | p.in.stride | p.guide.offset | p.guide.stride | p.out.offset | p.out.stride) &
            3) == 0;
  }

  struct Key {
    Mode mode;
    int radius, bits, shift;
    bool aligned, guide, quantized;
    float k_spatial; // 0 unless it is a constant of the program
    auto operator<=>(const Key &) const = default;
  };
  struct Program {
    Variant::Kind kind = Variant::Kind::direct;
    ClKernel filter, planes;
  };

  Program &program_for(const Pass &p, bool quantized, float k_spatial) {
    const Key key{p.mode,
                  p.window.radius,
                  is_16_bit(p.format) ? 16 : 8,
                  p.format == PixelFormat::p010 ? 6 : 0,
                  p.aligned,
                  p.has_guide,
                  quantized,
                  variant_.constant_sigmas ? k_spatial : 0};
    const auto found = programs_.find(key);
    if (found != programs_.end()) return found->second;
    Program made = build(p, quantized, k_spatial);
    return programs_[key] = std::move(made);
  }

  std::size_t tile_bytes(const Pass &p) const {
    const int r = p.window.radius;
    const std::size_t cell =
        (p.mode == Mode::one ? 4u : 16u) * (p.has_guide && p.mode != Mode::intensity ? 2u : 1u);
    return cell * std::size_t(variant_.group_x + 2 * r) *
           std::size_t(variant_.group_y * variant_.rows + 2 * r);
  }

  Program build(const Pass &p, bool quantized, float k_spatial) const {
    std::string options = definitions(p, p.window.radius, quantized, variant_.native);
    if (variant_.constant_sigmas) {
      char hex[40]; // a float written so comes back as it is
      std::snprintf(hex, sizeof hex, "(%af)", double(k_spatial));
      options += text(" -D K_SPATIAL=", hex);
    }
    Program made;
    made.kind = variant_.kind;
    const std::size_t group = std::size_t(variant_.group_x) * std::size_t(variant_.group_y);
    if (made.kind == Variant::Kind::tile &&
        (tile_bytes(p) + 64 > device_.number_info(CL_DEVICE_LOCAL_MEM_SIZE) ||
         group > device_.number_info(CL_DEVICE_MAX_WORK_GROUP_SIZE)))
      made.kind = Variant::Kind::direct;
    if (made.kind == Variant::Kind::tile) {
      options += text(" -D GROUP_X=", variant_.group_x, " -D GROUP_Y=", variant_.group_y,
                      " -D ROWS=", variant_.rows, " -D UNROLL=", int(variant_.unroll));
      made.filter =
          ClProgram(device_, {cl_sources::pixels_cl, cl_sources::tile_cl}, options).kernel("bilateral_tile");
      if (made.filter.largest_group() >= group) return made;
      made.kind = Variant::Kind::direct; // it takes too many registers for a group of this size
    }
    if (made.kind == Variant::Kind::rows) {
      const ClProgram program(device_, {cl_sources::pixels_cl, cl_sources::rows_cl}, options);
      made.planes = program.kernel("bilateral_planes");
      made.filter = program.kernel("bilateral_rows");
    } else
      made.filter = ClProgram(device_, {cl_sources::pixels_cl, cl_sources::direct_cl}, options)
                        .kernel("bilateral_direct");
    return made;
  }

  void exact(const Pass &p, bool quantized, ClQueue &queue) {
    constexpr double log2_e = 1.4426950408889634;
    const float k_spatial = float(-0.5 * log2_e / (p.window.spatial_sigma * p.window.spatial_sigma));
    Program &program = program_for(p, quantized, k_spatial);
    const cl_float4 k = quantized ? quantized_scale(p) : scale_for(p, p.window.range_sigma);
    const cl_float2 bins = bins_for(p);
    const cl_float16 table = table_for(p.window.range_sigma);
    const auto width = std::size_t(p.in.width), height = std::size_t(p.in.height);
    const auto launch = [&](ClRange2 global, ClRange2 local, auto... more) {
      program.filter.launch(queue, global, local, p.in.memory, p.in.offset, p.in.stride, p.guide.memory,
                            p.guide.offset, p.guide.stride, p.out.memory, p.out.offset, p.out.stride,
                            p.in.width, p.in.height, p.step, k_spatial, k, bins, table, more...);
    };
    const ClRange2 group{std::size_t(variant_.group_x), std::size_t(variant_.group_y)};
    switch (program.kind) {
    case Variant::Kind::direct:
      return launch({width, height}, device_.is_cpu() ? ClRange2{group.x, 1} : group);
    case Variant::Kind::tile:
      return launch({width, (height + std::size_t(variant_.rows) - 1) / std::size_t(variant_.rows)}, group);
    case Variant::Kind::rows: {
      const int r = p.window.radius, pitch = (p.in.width + 15) / 16 * 16 + 2 * r + 16;
      const int planes = p.mode == Mode::one ? 2 : p.mode == Mode::intensity ? 4 : 6;
      const std::size_t bytes = sizeof(float) * std::size_t(planes) * std::size_t(pitch) * (height + 2 * r);
      if (planes_.bytes() < bytes) planes_ = DeviceBuffer(device_, bytes);
      const cl_mem memory = device_.range_of(planes_.as()).memory;
      program.planes.launch(queue, {1, height + 2 * r}, {1, 1}, p.in.memory, p.in.offset, p.in.stride,
                            p.guide.memory, p.guide.offset, p.guide.stride, p.in.width, p.in.height, p.step,
                            k, memory, pitch);
      return launch({1, height}, {1, 1}, memory, pitch);
    }
    }
  }

  ClDevice &device_;
  Config config_;
  Variant variant_;
  ClGrid grid_;
  std::map<Key, Program> programs_;
  DeviceBuffer planes_; // for rows
};

} // namespace

std::unique_ptr<Filter> make_opencl(ClDevice &d, const Config &c, const Variant &v) {
  return std::make_unique<ClFilter>(d, c, v);
}
std::unique_ptr<Filter> make(Device &d, const Config &c) {
  if (d.backend() != Backend::opencl)
    fail(Error::Kind::bad_setting, "the bilateral filter runs on OpenCL devices, not on ", d.name());
  auto &device = static_cast<ClDevice &>(d);
  return make_opencl(device, c, default_variant(device));
}

} // namespace vigil::bilateral
