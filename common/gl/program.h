// SPDX-License-Identifier: LGPL-2.1-or-later
// Shaders from files that were embedded at build time.
#pragma once

#include "common/gl/device.h"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace vigil {

// One file; its text is put after the files before it, and none has a #version line.
struct GlSource {
  const char *path; // as in the source tree
  const char *text;
};

class GlProgram {
 public:
  GlProgram() = default;
  // A compute shader; `definitions` are lines put before the files ("#define WORDS 8\n").
  static GlProgram compute(const GlDevice &, std::initializer_list<GlSource>,
                           std::string_view definitions = {});
  // A fragment shader, run for each pixel of the target.
  static GlProgram fragment(const GlDevice &, std::initializer_list<GlSource>,
                            std::string_view definitions = {});
  // Both throw Error::device with the driver's log, its lines named by file and line of the source tree.

  GlProgram(GlProgram &&o) noexcept { swap(o); }
  GlProgram &operator=(GlProgram &&o) noexcept {
    swap(o);
    return *this;
  }
  ~GlProgram();
  explicit operator bool() const { return id_ != 0; }

  // Makes it the current program; set() and bind() are for the current one.
  void use() const { device_->gl.UseProgram(id_); }
  void set(const char *uniform, int v) const { device_->gl.Uniform1i(at(uniform), v); }
  void set(const char *uniform, int a, int b) const { device_->gl.Uniform2i(at(uniform), a, b); }
  void set(const char *uniform, int a, int b, int c, int d) const {
    device_->gl.Uniform4i(at(uniform), a, b, c, d);
  }
  // The sampler reads `texture` through texture unit `unit`.
  void bind(const char *sampler, int unit, GLuint texture) const;

 private:
  GlProgram(const GlDevice &, GLenum stage, std::initializer_list<GlSource>, std::string_view definitions);
  GLint at(const char *uniform) const;
  void swap(GlProgram &) noexcept;
  const GlDevice *device_ = nullptr;
  GLuint id_ = 0;
  mutable std::map<std::string, GLint, std::less<>> locations_;
};

// A driver's log whose lines are counted through `prologue_lines` lines and then all files ("0:15(8): error:
// ...", "0(15) : error ...", "ERROR: 0:15: ...") with the place replaced by the path of the file and the line
// in it.
std::string name_lines(std::string_view log, int prologue_lines, std::initializer_list<GlSource>);

} // namespace vigil
