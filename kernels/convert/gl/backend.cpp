// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/convert/rgba.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/convert/convert-shaders.h"

namespace vigil::convert {
namespace {

using namespace shaders;

// The uniform block of rgba.comp.
struct GlRgbaJob {
  GlPicture from;
  std::uint32_t to_offset;
  std::int32_t to_stride;
  Matrix matrix;
  std::int32_t opaque;
};
static_assert(sizeof(Matrix) == 24);

class GlConverter final : public Converter {
 public:
  explicit GlConverter(GlDevice &device) : device_(device) {
    need_compute(device, 4);
    program();
  }
  void apply(ConstImage from, const Conversion &c, Image to, Queue &) override {
    check_pictures(from, to);
    GlLaunch launch(device_, program());
    GlRgbaJob job{launch.read(0, from), 0, std::int32_t(to.stride[0]), c.matrix, c.opaque};
    for (int i = plane_count(from.format); i < 3; i++) launch.read(i, from.data[0]);
    job.to_offset = launch.write(3, to).offset[0];
    launch.run(job, gl_groups(from.width, 32), gl_groups(from.height, 4));
  }

 private:
  const GlProgram &program() const { return device_.compute_program({bytes_glsl, rgba_comp}); }
  GlDevice &device_;
};

} // namespace

std::unique_ptr<Converter> make_gl(Device &device) {
  return std::make_unique<GlConverter>(device_cast<GlDevice>(device));
}

} // namespace vigil::convert
