// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg in one OpenGL context. Made, used and destroyed on that context's thread. What others in the context did
// wrong before is not taken for its own failure.
#pragma once

#include "gst/glcolinearseg/worker.h"
#include "kernels/colinearseg/gl_results.h"

namespace vigil::gst::glcolinearseg {

class GlWorker final : public Worker {
 public:
  // For frames that become frames like `out`, which is RGBA.
  GlWorker(const GlLoader &, const GstVideoInfo &out, const Settings &);
  int width() const override { return segmenter_->config().width; }
  int height() const override { return segmenter_->config().height; }

  void learn(int frames) override;
  void set_background(const Picture &, int learn_frames) override;
  // Segments `frame` and draws into `target` (0: nothing is drawn); both are textures of this context.
  Found process(GLuint frame, GLuint target, const Settings &);
  Stats stats() const override;

  colinearseg::State save() const override { return segmenter_->save(); }
  void load(const colinearseg::State &) override;
  bool lost() const override { return device_->lost(); }
  std::optional<colinearseg::State> take_kept() override { return std::move(kept_); }

 private:
  void keep();
  std::unique_ptr<GlDevice> device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<colinearseg::GlSegmenter> segmenter_;
  std::unique_ptr<colinearseg::GlResults> results_;
  compose::Style style_;
  FrameTimes times_;
  std::optional<colinearseg::State> kept_;
  Stats stats_;
};

} // namespace vigil::gst::glcolinearseg
