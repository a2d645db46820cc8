// SPDX-License-Identifier: LGPL-2.1-or-later
// The passes as compute shaders: tiles in shared memory, up to four iterations in one dispatch, the
// background and `back` in another.
#include "common/error.h"
#include "common/gl/program.h"
#include "kernels/colinearseg/colinearseg-shaders.h"
#include "kernels/colinearseg/gl_passes.h"

#include <algorithm>
#include <utility>

namespace vigil::colinearseg {
namespace {

using namespace shaders;

constexpr int iterations_a_dispatch = 4; // as iterate.comp has it
constexpr GLuint groups(int length, int size) {
  return GLuint((length + size - 1) / size);
}

class ComputePasses final : public GlPasses {
 public:
  explicit ComputePasses(const GlDevice &d)
      : device_(d), thresholds_(GlProgram::compute(d, {evidence_glsl, thresholds_comp})),
        iterate_(GlProgram::compute(d, {field_glsl, iterate_comp})),
        background_(GlProgram::compute(d, {evidence_glsl, background_glsl, background_comp})) {}

  void thresholds(const Pictures &p, const Constants &c, const GlTexture &first,
                  const GlTexture &other) override {
    const GlFunctions &gl = device_.gl;
    thresholds_.use();
    thresholds_.bind("frame", 0, p.frame);
    thresholds_.bind("background", 1, p.background);
    thresholds_.bind("back", 2, p.back);
    thresholds_.set("last", p.width - 1, p.height - 1);
    thresholds_.set("settings", c.static_threshold, c.darkness_offset, c.temporal_compactness, c.compactness);
    gl.BindImageTexture(0, first.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA32UI);
    gl.BindImageTexture(1, other.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA32UI);
    gl.DispatchCompute(groups(p.width, 32), groups(p.height, 4), 1);
    gl.MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  }

  void iterate(GlTexture (&mask)[2], const GlTexture &thresholds,
               std::span<const Order> iterations) override {
    const GlFunctions &gl = device_.gl;
    iterate_.use();
    iterate_.set("size", thresholds.width(), thresholds.height());
    iterate_.bind("thresholds", 1, thresholds.id());
    while (!iterations.empty()) {
      const auto now = iterations.first(std::min<std::size_t>(iterations.size(), iterations_a_dispatch));
      iterations = iterations.subspan(now.size());
      std::uint32_t positions = 0;
      int substeps = 0;
      for (const Order &order : now)
        for (const std::uint32_t position : order) positions |= position << 2 * substeps++;
      iterate_.bind("mask", 0, mask[0].id());
      iterate_.set("substeps", substeps);
      iterate_.set("positions", static_cast<int>(positions));
      gl.BindImageTexture(0, mask[1].id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32UI);
      gl.DispatchCompute(groups(thresholds.width(), 6), groups(thresholds.height(), 64 - 2 * substeps), 1);
      gl.MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
      std::swap(mask[0], mask[1]);
    }
  }

  bool change_background(const Step &s) override {
    const GlFunctions &gl = device_.gl;
    const int width = s.next.width(), height = s.next.height();
    background_.use();
    background_.bind("frame", 0, s.frame);
    background_.bind("exact", 1, s.exact.id());
    background_.bind("mask", 2, s.mask.id());
    background_.set("last", width - 1, height - 1);
    background_.set("learnt", s.learnt);
    background_.set("rate", s.rate);
    gl.BindImageTexture(0, s.next.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA32UI);
    gl.BindImageTexture(1, s.background.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    gl.BindImageTexture(2, s.back.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32UI);
    gl.DispatchCompute(groups(width, 32), groups(height, 16), 1);
    // The background is also written from host memory and by the next frame's step, and read through a
    // framebuffer.
    gl.MemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT |
                     GL_TEXTURE_UPDATE_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    return true;
  }

 private:
  const GlDevice &device_;
  GlProgram thresholds_, iterate_, background_;
};

} // namespace

std::unique_ptr<GlPasses> make_compute_passes(const GlDevice &d) {
  if (!d.has_compute())
    fail(Error::Kind::no_device, "compute shaders need OpenGL 4.3 or OpenGL ES 3.1, but this is ", d.name(),
         "; use fragment shaders");
  return std::make_unique<ComputePasses>(d);
}

} // namespace vigil::colinearseg
