// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/convert/high_bytes.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/convert/convert-shaders.h"

namespace vigil::convert {
namespace {

// The uniform block of high_bytes.comp.
struct GlHighBytesJob {
  std::int32_t row_samples, rows;
  std::uint32_t from_offset;
  std::int32_t from_stride;
  std::uint32_t to_offset;
  std::int32_t to_stride;
};

class GlHighBytes final : public HighBytes {
 public:
  explicit GlHighBytes(GlDevice &device) : device_(device) {
    need_compute(device, 2);
    program();
  }
  void apply(ConstImage from, Image to, Queue &) override {
    check_high_bytes(from, to);
    for (int i = 0; i < plane_count(to.format); i++) {
      GlLaunch launch(device_, program());
      const int row_samples = int(row_bytes(to.format, i, to.width)), rows = plane_rows(i, to.height);
      const auto reach = [&](std::ptrdiff_t stride, int bytes) {
        return std::size_t((rows - 1) * stride + bytes);
      };
      const GlHighBytesJob job{row_samples,
                               rows,
                               launch.read(0, from.data[i], reach(from.stride[i], 2 * row_samples)),
                               std::int32_t(from.stride[i]),
                               launch.write(1, to.data[i], reach(to.stride[i], row_samples)),
                               std::int32_t(to.stride[i])};
      launch.run(job, gl_groups(gl_groups(row_samples, 4), 32), gl_groups(rows, 4));
    }
  }

 private:
  const GlProgram &program() const {
    return device_.compute_program({shaders::bytes_glsl, shaders::high_bytes_comp});
  }
  GlDevice &device_;
};

} // namespace

std::unique_ptr<HighBytes> make_high_bytes_gl(Device &device) {
  return std::make_unique<GlHighBytes>(device_cast<GlDevice>(device));
}

} // namespace vigil::convert
