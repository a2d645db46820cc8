// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/gl.h"

#include "common/error.h"
#include "common/gl/program.h"
#include "common/gl/state.h"
#include "kernels/colinearseg/colinearseg-shaders.h"
#include "kernels/colinearseg/packed.h"

#include <array>
#include <utility>

namespace vigil::colinearseg {
namespace {

using namespace shaders;

// On a processor barriers inside a work group cost more than further passes.
Path choose(const GlDevice &d, Path wanted) {
  if (wanted != Path::automatic) return wanted;
  return d.has_compute() && !d.is_software() ? Path::compute : Path::fragment;
}

} // namespace

const char *name_of(Path p) {
  return p == Path::automatic ? "automatic" : p == Path::compute ? "compute" : "fragment";
}

GlSegmenter::GlSegmenter(const GlDevice &d, const Config &c, int learn_frames, Path path)
    : device_(d), config_(c), path_(choose(d, path)), target_(d),
      back_program_(GlProgram::fragment(d, {evidence_glsl, back_frag})),
      sample_program_(GlProgram::fragment(d, {evidence_glsl, window_glsl, sample_frag})),
      spread_program_(GlProgram::fragment(d, {evidence_glsl, spread_frag})) {
  new_progress(learn_frames); // throws when the number is out of range
  check_config(c);
  background_ = GlTexture(d, GL_RGBA8, c.width, c.height);
  back_ = GlTexture(d, GL_R32UI, c.width, c.height);
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
  back_is_current_ = false;
}

void GlSegmenter::learn(int learn_frames) {
  reset(new_progress(learn_frames));
  for (GlTexture &t : exact_)
    if (!t) t = GlTexture(device_, GL_RGBA32UI, config_.width, config_.height);
  exact_[0].clear();
  const std::vector<std::uint8_t> black(std::size_t(4) * config_.width * config_.height);
  background_.write(black.data());
}

void GlSegmenter::set_background(ConstImage image, int learn_frames) {
  check_picture(image, config_);
  reset(new_progress(learn_frames, true));
  for (GlTexture &t : exact_) t = GlTexture();
  background_.write(packed_background(image, stride()).data());
}

void GlSegmenter::draw(std::initializer_list<GLuint> targets, int width, int height) {
  target_.bind(targets, width, height);
  device_.draw_everywhere();
}

void GlSegmenter::draw_back() {
  if (back_is_current_) return;
  back_program_.use();
  back_program_.bind("background", 0, background_.id());
  back_program_.set("last", config_.width - 1, config_.height - 1);
  draw({back_.id()}, config_.width, config_.height);
  back_is_current_ = true;
}

void GlSegmenter::measure(GLuint frame) {
  const SampleGrid grid = sample_grid(config_);
  if (!samples_) samples_ = GlTexture(device_, GL_R32UI, grid.columns, grid.rows);
  draw_back();
  sample_program_.use();
  sample_program_.bind("frame", 0, frame);
  sample_program_.bind("background", 1, background_.id());
  sample_program_.bind("back", 2, back_.id());
  sample_program_.set("last", config_.width - 1, config_.height - 1);
  sample_program_.set("spacing", grid.step);
  draw({samples_.id()}, grid.columns, grid.rows);
  add_frame(progress_.noise, samples_.read());
  bytes_read_ += std::uint64_t(16) * grid.columns * grid.rows;
  if (progress_.noise.frames >= progress_.measure_frames) samples_ = GlTexture();
}

void GlSegmenter::change_background(GLuint frame, int learnt, int rate) {
  back_is_current_ =
      passes_->change_background({frame, mask_[0], exact_[0], exact_[1], background_, back_, learnt, rate});
  std::swap(exact_[0], exact_[1]);
}

void GlSegmenter::segment(GLuint frame, const Params &params) {
  const GlStateGuard guard(device_);
  if (progress_.measures_next()) measure(frame);
  if (progress_.learning()) {
    change_background(frame, progress_.learnt + 1, 0);
    progress_.learnt++;
    if (!progress_.learning())
      for (GlTexture &t : exact_) t = GlTexture();
    device_.check("learning the background");
    return;
  }

  const Constants c = resolve(params, progress_.noise);
  draw_back();
  passes_->thresholds({frame, background_.id(), back_.id(), config_.width, config_.height}, c, thresholds_[0],
                      thresholds_[1]);
  std::array<Order, max_iterations + 1> orders{};
  for (int i = 0; i <= c.iterations; i++) orders[i] = permutation(c.seed, progress_.frames, i);
  passes_->iterate(mask_, thresholds_[0], std::span(orders).first(1));
  passes_->iterate(mask_, thresholds_[1], std::span(orders).subspan(1, c.iterations));
  progress_.frames++;

  if (c.adapt > 0) {
    if (!exact_[0]) {
      for (GlTexture &t : exact_) t = GlTexture(device_, GL_RGBA32UI, config_.width, config_.height);
      spread_program_.use();
      spread_program_.bind("background", 0, background_.id());
      draw({exact_[0].id()}, config_.width, config_.height);
    }
    change_background(frame, 0, c.adapt);
  }
  device_.check("segmenting a frame");
}

State GlSegmenter::save() const {
  State s = empty_state(config_, 1);
  static_cast<Progress &>(s) = progress_;
  const std::size_t n = s.mask.size();
  unpack_background(background_.read_bytes(), stride(), s);
  s.exact.clear();
  if (exact_[0]) {
    s.exact.resize(3 * n);
    const std::vector<GLuint> values = exact_[0].read();
    for (std::size_t i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) s.exact[3 * i + k] = values[4 * i + k];
  }
  unpack_labels(mask_[0].read(), s);
  return s;
}

void GlSegmenter::load(const State &s) {
  check_fits(s, config_);
  const std::size_t n = s.mask.size();
  background_.write(packed_background(s, stride()).data());
  for (GlTexture &t : exact_) t = GlTexture();
  if (!s.exact.empty()) {
    std::vector<GLuint> values(4 * n);
    for (std::size_t i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) values[4 * i + k] = s.exact[3 * i + k];
    for (GlTexture &t : exact_) t = GlTexture(device_, GL_RGBA32UI, config_.width, config_.height);
    exact_[0].write(values.data());
  }
  mask_[0].write(packed_labels(s).data());
  back_is_current_ = false;
  progress_ = s;
}

} // namespace vigil::colinearseg
