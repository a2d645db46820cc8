// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenGL backends: compute shaders (OpenGL 4.3, OpenGL ES 3.1) and fragment shaders (OpenGL 3.3, OpenGL
// ES 3.0). Frames are RGBA textures of the picture's size, their first row the picture's top one. All calls
// are made on the thread where the device's context is current, and leave the state that others see there as
// it was, except for the texture units and the program.
#pragma once

#include "common/gl/program.h"
#include "common/gl/texture.h"
#include "kernels/colinearseg/colinearseg.h"
#include "kernels/colinearseg/segmenter.h"

#include <memory>
#include <span>

namespace vigil::colinearseg {

// The steps that the backends do in their own ways. Labels and thresholds are packed, 32 pixels a word: see
// shaders/field.glsl.
class GlPasses {
 public:
  struct Pictures {
    GLuint frame, background, back;
    int width, height;
  };
  virtual ~GlPasses() = default;
  // Writes the thresholds of the first iteration and of the others.
  virtual void thresholds(const Pictures &, const Constants &, const GlTexture &first,
                          const GlTexture &other) = 0;
  // Iterates over mask[0]; the result is in mask[0] again.
  virtual void iterate(GlTexture (&mask)[2], const GlTexture &thresholds,
                       std::span<const Order> iterations) = 0;
  // One step of the background. What it reads: frame, mask, `exact`; what it writes all of: the others.
  struct Step {
    GLuint frame;
    const GlTexture &mask, &exact, &next, &background, &back;
    int learnt; // > 0: the frame, which is number `learnt`, is added; 0: adapt with `rate` (in 1/32768)
    int rate;
  };
  // Writes `next` and `background`. Returns whether it wrote `back` as well.
  virtual bool change_background(const Step &) = 0;
};
std::unique_ptr<GlPasses> make_compute_passes(const GlDevice &);
std::unique_ptr<GlPasses> make_fragment_passes(const GlDevice &, const Config &);

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
  std::uint64_t bytes_read() const { return bytes_read_; }

  // The result: labels of 32 pixels a word in a GL_R32UI texture, bit i of word k is pixel 32*k + i. While
  // learning all 0.
  const GlTexture &mask() const { return mask_[0]; }
  const GlTexture &background() const { return background_; } // GL_RGBA8; while learning the mean so far

  State save() const;
  void load(const State &); // throws Error::bad_data when it does not fit

 private:
  void reset(const Progress &);
  void measure(GLuint frame);
  void change_background(GLuint frame, int learnt, int rate);
  void draw_back();
  std::ptrdiff_t stride() const { return 4 * std::ptrdiff_t(config_.width); } // of pictures in host memory
  void draw(std::initializer_list<GLuint> targets, int width, int height);    // with the current program

  const GlDevice &device_;
  Config config_;
  Path path_;
  GlTarget target_;
  std::unique_ptr<GlPasses> passes_;
  GlTexture background_, back_, mask_[2], thresholds_[2];
  GlTexture exact_[2]; // only while learning or adapting
  GlTexture samples_;  // only while the noise is measured
  GlProgram back_program_, sample_program_, spread_program_;
  bool back_is_current_ = false;
  Progress progress_;
  std::uint64_t bytes_read_ = 0;
};

} // namespace vigil::colinearseg
