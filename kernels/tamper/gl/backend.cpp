// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/spots.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/tamper/tamper-shaders.h"

namespace vigil::tamper {
namespace {

using namespace shaders;

// The uniform block of spots.comp.
struct GlSpotsJob {
  GlPicture picture;
  std::int32_t cell, columns, cells, step, reach;
  std::uint32_t spots_offset;
};

class GlSampler final : public Sampler {
 public:
  explicit GlSampler(GlDevice &device) : device_(device) {
    need_compute(device, 2);
    program();
  }
  void apply(const ConstImage &picture, Spot *spots, Queue &) override {
    check(picture);
    const Layout l = layout_for(picture.width, picture.height);
    if (l.cells() == 0) return;
    ConstImage luma = picture; // the first plane alone
    if (plane_count(picture.format) > 1) luma.format = PixelFormat::gray8;
    GlLaunch launch(device_, program());
    GlSpotsJob job{launch.read(0, luma),
                   l.cell,
                   l.columns,
                   l.cells(),
                   l.step(),
                   l.cell < 12 ? 1 : l.cell / 12,
                   launch.write(1, spots, std::size_t(l.cells()) * sizeof(Spot))};
    launch.run(job, gl_groups(l.cells(), 64));
  }

 private:
  const GlProgram &program() const { return device_.compute_program({bytes_glsl, spots_comp}); }
  GlDevice &device_;
};

} // namespace

std::unique_ptr<Sampler> make_gl(Device &device) {
  return std::make_unique<GlSampler>(device_cast<GlDevice>(device));
}

} // namespace vigil::tamper
