// SPDX-License-Identifier: LGPL-2.1-or-later
// Which planes are filtered with which program; the exact filter's programs. The grid is in grid.cpp.
#include "kernels/bilateral/opencl.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/opencl/program.h"
#include "kernels/bilateral/bilateral-kernels.h"
#include "kernels/bilateral/opencl/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vigil::bilateral {

std::string definitions(const Pass &p, int radius, bool quantized, bool native) {
  return text("-D MODE=", int(p.mode), " -D RADIUS=", radius,
              " -D SAMPLE=", is_16_bit(p.format) ? "ushort" : "uchar", " -D WIDE=", int(is_16_bit(p.format)),
              " -D SHIFT=", p.format == PixelFormat::p010 ? 6 : 0, " -D ALIGNED=", int(p.aligned),
              " -D GUIDE=", int(p.has_guide), " -D QUANTIZED=", int(quantized), " -D NATIVE=", int(native));
}

namespace {

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
    for (int i = 0; i < plane_count(config_.format); i++) {
      const PlanePlan plan = plan_plane(config_, params, i, guide.data[0] != nullptr);
      if (plan.copied || plan.copy_first)
        device_.copy(out.data[i], out.stride[i], in.data[i], in.stride[i],
                     std::size_t(row_bytes(config_.format, i, config_.width)), plane_rows(i, config_.height),
                     queue);
      if (plan.copied) continue;
      Pass p{plan.task, from.plane[i], by.plane[i], to.plane[i]};
      p.aligned = p.mode == Mode::one || aligned(p);
      for (int c = 0; c < plan.channels; c++) {
        if (plan.grid)
          grid_.apply(p, queue);
        else
          exact(p, params.quantize_range, queue);
        for (ClPlane *plane : {&p.in, &p.guide, &p.out}) plane->offset += sample_bytes(config_.format);
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
    ClKernel filter, planes; // planes: copies a picture to where the filter reads it (rows, image)
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
    if (made.kind == Variant::Kind::image && takes_images(p)) {
      try {
        const ClProgram program(device_, {cl_sources::pixels_cl, cl_sources::image_cl}, options);
        made.planes = program.kernel("to_image");
        made.filter = program.kernel("bilateral_image");
        if (made.filter.largest_group() >= group) return made;
      } catch (const Error &e) {
        // Some drivers say that they have images, but cannot compile what reads them (PoCL 7.1).
        if (e.kind() != Error::Kind::device) throw;
      }
    }
    if (made.kind == Variant::Kind::image) made.kind = Variant::Kind::direct;
    if (made.kind == Variant::Kind::rows) {
      const ClProgram program(device_, {cl_sources::pixels_cl, cl_sources::rows_cl}, options);
      made.planes = program.kernel("bilateral_planes");
      made.filter = program.kernel("bilateral_rows");
    } else
      made.filter = ClProgram(device_, {cl_sources::pixels_cl, cl_sources::direct_cl}, options)
                        .kernel("bilateral_direct");
    return made;
  }

  bool takes_images(const Pass &p) const {
    return device_.number_info(CL_DEVICE_IMAGE_SUPPORT) != 0 &&
           std::uint64_t(p.in.width) <= device_.number_info(CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
           std::uint64_t(p.in.height) <= device_.number_info(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  }
  // The image object for a plane of this kind: made once.
  cl_mem image_for(const Pass &p, bool guide) {
    const ImageKey key{p.in.width, p.in.height, p.mode == Mode::one, is_16_bit(p.format), guide};
    ClMemHandle &image = images_[key];
    if (!image) {
      const cl_image_format format{cl_channel_order(key.one ? CL_R : CL_RGBA),
                                   cl_channel_type(key.wide ? CL_UNSIGNED_INT16 : CL_UNSIGNED_INT8)};
      cl_image_desc desc{};
      desc.image_type = CL_MEM_OBJECT_IMAGE2D;
      desc.image_width = std::size_t(p.in.width);
      desc.image_height = std::size_t(p.in.height);
      cl_int code = CL_SUCCESS;
      image =
          ClMemHandle(clCreateImage(device_.context(), CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
      cl_check(code, "making an image");
    }
    return image.get();
  }
  cl_mem fill_image(Program &program, const Pass &p, bool guide, ClQueue &queue) {
    const cl_mem image = image_for(p, guide);
    const ClPlane &from = guide ? p.guide : p.in;
    program.planes.launch(queue, {std::size_t(p.in.width), std::size_t(p.in.height)}, {}, from.memory,
                          from.offset, from.stride, p.in.width, p.in.height, p.step, image);
    return image;
  }

  void exact(const Pass &p, bool quantized, ClQueue &queue) {
    const float k_spatial = spatial_factor(p.window);
    Program &program = program_for(p, quantized, k_spatial);
    const cl_float4 k = cl_scale(quantized ? quantized_scale(p) : scale_for(p, p.window.range_sigma));
    const auto index = bins_for(p);
    const cl_float2 bins{{index[0], index[1]}};
    const auto weights = table_for(p.window.range_sigma);
    cl_float16 table;
    std::copy(weights.begin(), weights.end(), table.s);
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
    case Variant::Kind::image: {
      const cl_mem picture = fill_image(program, p, false, queue);
      return launch({width, height}, group, picture,
                    p.has_guide ? fill_image(program, p, true, queue) : picture);
    }
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
  struct ImageKey {
    int width, height;
    bool one, wide, guide;
    auto operator<=>(const ImageKey &) const = default;
  };
  std::map<ImageKey, ClMemHandle> images_; // for image
};

} // namespace

std::unique_ptr<Filter> make_opencl(ClDevice &d, const Config &c, const Variant &v) {
  return std::make_unique<ClFilter>(d, c, v);
}
std::unique_ptr<Filter> make_opencl(Device &d, const Config &c) {
  auto &device = device_cast<ClDevice>(d);
  return make_opencl(device, c, default_variant(device));
}

} // namespace vigil::bilateral
