// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure (exposure.h) of RGBA textures, in OpenGL. The samples are drawn into a small texture and read
// back, some 32 kB; the host makes lines of them as the CPU backend does, so both map a frame to the same
// bytes. All calls are made on the thread where the device's context is current, and leave the state that
// others see there as it was, except for the texture units and the program.
#pragma once

#include "common/gl/program.h"
#include "common/gl/texture.h"
#include "kernels/exposure/estimate.h"

#include <cstdint>
#include <vector>

namespace vigil::exposure {

class GlExposure {
 public:
  GlExposure(const GlDevice &, int width, int height); // the device must outlive it
  // From now on frames are compared with a copy of this picture, an RGBA texture of the same size.
  void know(GLuint background);
  // Finds the lines of `frame`, an RGBA texture, and gives the picture without them: a texture that stays
  // until the next call, or `frame` itself where nothing is to undo. Waits for the samples. know() comes
  // first.
  GLuint apply(GLuint frame);
  const Lines &lines() const { return lines_; } // the last ones
  void set(const Lines &lines) { lines_ = lines; }
  // Bytes that were read back since the beginning.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  void estimate(GLuint frame);
  void map(GLuint from, GLuint background, const Table (&)[3], const GlTexture &to);
  const GlDevice &device_;
  int step_, columns_, rows_; // of the samples
  GlTarget target_;
  GlTexture background_, mapped_;
  GlTexture sampled_; // the frame's samples, and on their right the background's
  GlProgram sample_program_, map_program_;
  std::vector<std::uint8_t> bytes_; // of sampled_, read back
  Samples samples_;
  Lines lines_;
  std::uint64_t bytes_read_ = 0;
};

} // namespace vigil::exposure
