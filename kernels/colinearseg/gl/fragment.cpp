// SPDX-License-Identifier: LGPL-2.1-or-later
// The passes as fragment shaders. Each substep draws the mask from one texture into another.
#include "common/gl/program.h"
#include "kernels/colinearseg/colinearseg-shaders.h"
#include "kernels/colinearseg/gl_passes.h"

#include <utility>

namespace vigil::colinearseg {
namespace {

using namespace shaders;

class FragmentPasses final : public GlPasses {
 public:
  FragmentPasses(const GlDevice &d, const Config &c)
      : device_(d), target_(d), bytes_(d, GL_R8UI, c.width, c.height),
        thresholds_(GlProgram::fragment(d, {evidence_glsl, window_glsl, thresholds_frag})),
        pack_(GlProgram::fragment(d, {pack_frag})),
        iterate_(GlProgram::fragment(d, {field_glsl, iterate_frag})),
        background_(GlProgram::fragment(d, {evidence_glsl, background_glsl, background_frag})) {}

  void thresholds(const Pictures &p, const Constants &c, const GlTexture &first,
                  const GlTexture &other) override {
    thresholds_.use();
    thresholds_.bind("frame", 0, p.frame);
    thresholds_.bind("background", 1, p.background);
    thresholds_.bind("back", 2, p.back);
    thresholds_.set("last", p.width - 1, p.height - 1);
    thresholds_.set("settings", c.static_threshold, c.darkness_offset, c.temporal_compactness, c.compactness);
    target_.bind({bytes_.id()}, p.width, p.height);
    device_.draw_everywhere();

    pack_.use();
    pack_.bind("thresholds", 0, bytes_.id());
    pack_.set("last", p.width - 1, p.height - 1);
    target_.bind({first.id(), other.id()}, first.width(), first.height());
    device_.draw_everywhere();
  }

  void iterate(GlTexture (&mask)[2], const GlTexture &thresholds,
               std::span<const Order> iterations) override {
    iterate_.use();
    iterate_.set("size", thresholds.width(), thresholds.height());
    iterate_.bind("thresholds", 1, thresholds.id());
    for (const Order &order : iterations)
      for (const int position : order) {
        iterate_.bind("mask", 0, mask[0].id());
        iterate_.set("position", position);
        target_.bind({mask[1].id()}, thresholds.width(), thresholds.height());
        device_.draw_everywhere();
        std::swap(mask[0], mask[1]);
      }
  }

  bool change_background(const Step &s) override {
    background_.use();
    background_.bind("frame", 0, s.frame);
    background_.bind("exact", 1, s.exact.id());
    background_.bind("mask", 2, s.mask.id());
    background_.set("learnt", s.learnt);
    background_.set("rate", s.rate);
    target_.bind({s.next.id(), s.background.id()}, s.next.width(), s.next.height());
    device_.draw_everywhere();
    return false; // back needs the neighbours' new values
  }

 private:
  const GlDevice &device_;
  GlTarget target_;
  GlTexture bytes_;
  GlProgram thresholds_, pack_, iterate_, background_;
};

} // namespace

std::unique_ptr<GlPasses> make_fragment_passes(const GlDevice &d, const Config &c) {
  return std::make_unique<FragmentPasses>(d, c);
}

} // namespace vigil::colinearseg
