// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenGL backends: compute shaders (OpenGL 4.3, OpenGL ES 3.1) and fragment shaders (OpenGL 3.3, OpenGL
// ES 3.0). Frames are RGBA textures of the picture's size, their first row the picture's top one. All calls
// are made on the thread where the device's context is current, and leave the state that others see there as
// it was, except for the texture units and the program.
#pragma once

#include "common/gl/program.h"
#include "common/gl/texture.h"
#include "kernels/colinearseg/colinearseg.h"
#include "kernels/colinearseg/gl_background.h"
#include "kernels/colinearseg/gl_passes.h"
#include "kernels/colinearseg/segmenter.h"

#include <memory>

namespace vigil::colinearseg {

class GlSegmenter {
 public:
  // Learns its background from the first frames, like Reference. Path::automatic takes compute shaders where
  // there are any and the device is not a processor that pretends to be one. `device` must outlive the
  // segmenter. Throws Error::no_device when the path needs a newer OpenGL, Error::bad_setting when the size
  // is out of range.
  GlSegmenter(const GlDevice &device, const Config &, int learn_frames, Path = Path::automatic);
  const Config &config() const { return config_; }
  Path path() const { return path_; }

  void learn(int learn_frames); // starts over
  // A given background: rgba or bgra in host memory, of the config's size.
  void set_background(ConstImage, int learn_frames);
  void segment(GLuint frame, const Params &);
  const Progress &progress() const { return progress_; }
  // Bytes that went from the device to the host to measure the noise, since the beginning.
  std::uint64_t bytes_read() const { return noise_.bytes_read; }

  // The result: labels of 32 pixels a word in a GL_R32UI texture, bit i of word k is pixel 32*k + i. While
  // learning all 0.
  const GlTexture &mask() const { return mask_[0]; }
  // GL_RGBA8; while learning the mean so far.
  const GlTexture &background() const { return background_.picture(); }

  State save() const;
  void load(const State &); // throws Error::bad_data when it does not fit

 private:
  // Measures the background's noise.
  struct Noise {
    GlProgram program;
    GlTexture samples; // only while it is measured
    std::uint64_t bytes_read = 0;
  };

  void reset(const Progress &);
  void measure(GLuint frame);

  const GlDevice &device_;
  Config config_;
  Path path_;
  GlTarget target_;
  std::unique_ptr<GlPasses> passes_;
  GlBackground background_;
  GlTexture mask_[2], thresholds_[2];
  Noise noise_;
  Progress progress_;
};

} // namespace vigil::colinearseg
