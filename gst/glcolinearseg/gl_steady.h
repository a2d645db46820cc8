// SPDX-License-Identifier: LGPL-2.1-or-later
// Steady (steady.h) in OpenGL: on the context's thread.
#pragma once

#include "gst/glcolinearseg/comparison.h"
#include "kernels/colinearseg/gl.h"
#include "kernels/exposure/gl.h"

#include <optional>

namespace vigil::gst::glcolinearseg {

class GlSteady {
 public:
  explicit GlSteady(const GlDevice &device) : device_(device) {}
  // Another background.
  void restart() { comparison_.restart(); }
  // The texture to segment: `frame`, or one that stays until the next call.
  GLuint apply(GLuint frame, bool wanted, const colinearseg::GlSegmenter &segmenter) {
    using enum Comparison::Act;
    const Comparison::Act act = comparison_.next(segmenter.progress().learning(), wanted);
    if (act == leave) return frame;
    if (!exposure_) exposure_.emplace(device_, segmenter.config().width, segmenter.config().height);
    if (act == begin) exposure_->set({});
    if (act != go_on) exposure_->know(segmenter.background().id());
    return exposure_->apply(frame);
  }
  std::uint64_t bytes_read() const { return exposure_ ? exposure_->bytes_read() : 0; }

 private:
  const GlDevice &device_;
  Comparison comparison_;
  std::optional<exposure::GlExposure> exposure_; // made when it is needed
};

} // namespace vigil::gst::glcolinearseg
