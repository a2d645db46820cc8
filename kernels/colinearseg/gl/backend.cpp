// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/gl.h"

#include "common/error.h"
#include "common/gl/program.h"
#include "common/gl/state.h"
#include "kernels/colinearseg/colinearseg-shaders.h"
#include "kernels/colinearseg/packed.h"

#include <array>
#include <span>

namespace vigil::colinearseg {
namespace {

using namespace shaders;

// On a processor barriers inside a work group cost more than further passes.
Path choose(const GlDevice &d, Path wanted) {
  if (wanted != Path::automatic) return wanted;
  return d.has_compute() && !d.is_software() ? Path::compute : Path::fragment;
}

// Throws where the size or the number is out of range.
const Config &checked(const Config &c, int learn_frames) {
  new_progress(learn_frames);
  check_config(c);
  return c;
}

} // namespace

const char *name_of(Path p) {
  return p == Path::automatic ? "automatic" : p == Path::compute ? "compute" : "fragment";
}

GlSegmenter::GlSegmenter(const GlDevice &d, const Config &c, int learn_frames, Path path)
    : device_(d), config_(checked(c, learn_frames)), path_(choose(d, path)), target_(d),
      background_(d, c, target_), noise_{GlProgram::fragment(d, {evidence_glsl, window_glsl, sample_frag}),
                                         {}} {
  for (int i = 0; i < 2; i++) {
    mask_[i] = GlTexture(d, GL_R32UI, words_of(c.width), c.height);
    thresholds_[i] = GlTexture(d, GL_RGBA32UI, words_of(c.width), c.height);
  }
  passes_ = path_ == Path::compute ? make_compute_passes(d) : make_fragment_passes(d, c);
  learn(learn_frames);
}

void GlSegmenter::reset(const Progress &progress) {
  progress_ = progress;
  mask_[0].clear();
}

void GlSegmenter::learn(int learn_frames) {
  reset(new_progress(learn_frames));
  background_.begin_learning();
}

void GlSegmenter::set_background(ConstImage image, int learn_frames) {
  check_picture(image, config_);
  reset(new_progress(learn_frames, true));
  background_.set(packed_background(image, 4 * std::ptrdiff_t(config_.width)));
}

void GlSegmenter::measure(GLuint frame) {
  const SampleGrid grid = sample_grid(config_);
  if (!noise_.samples) noise_.samples = GlTexture(device_, GL_R32UI, grid.columns, grid.rows);
  const GLuint back = background_.back();
  noise_.program.use();
  noise_.program.bind("frame", 0, frame);
  noise_.program.bind("background", 1, background_.picture().id());
  noise_.program.bind("back", 2, back);
  noise_.program.set("last", config_.width - 1, config_.height - 1);
  noise_.program.set("spacing", grid.step);
  target_.bind({noise_.samples.id()}, grid.columns, grid.rows);
  device_.draw_everywhere();
  add_frame(progress_.noise, noise_.samples.read());
  noise_.bytes_read += std::uint64_t(16) * grid.columns * grid.rows;
  if (progress_.noise.frames >= progress_.measure_frames) noise_.samples = GlTexture();
}

void GlSegmenter::segment(GLuint frame, const Params &params) {
  const GlStateGuard guard(device_);
  if (progress_.measures_next()) measure(frame);
  if (progress_.learning()) {
    background_.learn(*passes_, frame, mask_[0], progress_.learnt + 1);
    progress_.learnt++;
    if (!progress_.learning()) background_.end_learning();
    device_.check("learning the background");
    return;
  }

  const Constants c = resolve(params, progress_.noise);
  const GLuint back = background_.back();
  passes_->thresholds({frame, background_.picture().id(), back, config_.width, config_.height}, c,
                      thresholds_[0], thresholds_[1]);
  std::array<Order, max_iterations + 1> orders{};
  for (int i = 0; i <= c.iterations; i++) orders[i] = permutation(c.seed, progress_.frames, i);
  passes_->iterate(mask_, thresholds_[0], std::span(orders).first(1));
  passes_->iterate(mask_, thresholds_[1], std::span(orders).subspan(1, c.iterations));
  progress_.frames++;
  if (c.adapt > 0) background_.adapt(*passes_, frame, mask_[0], c.adapt);
  device_.check("segmenting a frame");
}

State GlSegmenter::save() const {
  State s = empty_state(config_, 1);
  static_cast<Progress &>(s) = progress_;
  background_.save(s);
  unpack_labels(mask_[0].read(), s);
  return s;
}

void GlSegmenter::load(const State &s) {
  check_fits(s, config_);
  background_.load(s);
  mask_[0].write(packed_labels(s).data());
  progress_ = s;
}

} // namespace vigil::colinearseg
