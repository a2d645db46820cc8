// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/state.h"
#include "kernels/exposure/exposure-shaders.h"
#include "kernels/exposure/gl.h"

#include <string>
#include <vector>

namespace vigil::exposure {
namespace {

using namespace shaders;

std::string clipped() {
  return "#define CLIPPED_HIGH " + std::to_string(clipped_high) + "\n#define CLIPPED_LOW " +
         std::to_string(clipped_low) + "\n";
}

} // namespace

GlExposure::GlExposure(const GlDevice &d, int width, int height)
    : device_(d), step_(step_for(width, height)), columns_(samples_along(width, step_)),
      rows_(samples_along(height, step_)), target_(d), background_(d, GL_RGBA8, width, height),
      mapped_(d, GL_RGBA8, width, height), sampled_(d, GL_RGBA8, 2 * columns_, rows_),
      sample_program_(GlProgram::fragment(d, {sample_frag})),
      map_program_(GlProgram::fragment(d, {map_frag}, clipped())) {}

void GlExposure::know(GLuint background) {
  const GlStateGuard guard(device_);
  map(background, background, {}, background_);
}

GLuint GlExposure::apply(GLuint frame) {
  const GlStateGuard guard(device_);
  estimate(frame);
  Table table[3];
  bool nothing = true;
  for (int c = 0; c < 3; c++) {
    table[c] = table_for(lines_.channel[c]);
    nothing &= table[c].is_identity();
  }
  if (!nothing) map(frame, background_.id(), table, mapped_);
  device_.check("undoing the exposure");
  return nothing ? frame : mapped_.id();
}

void GlExposure::estimate(GLuint frame) {
  sample_program_.use();
  sample_program_.bind("frame", 0, frame);
  sample_program_.bind("background", 1, background_.id());
  sample_program_.set("grid", step_, columns_);
  target_.bind({sampled_.id()}, sampled_.width(), sampled_.height());
  device_.draw_everywhere();
  sampled_.read_bytes(bytes_);
  bytes_read_ += bytes_.size();
  const std::size_t half = 4 * std::size_t(columns_);
  for (int c = 0; c < 3; c++) {
    samples_.clear();
    for (int y = 0; y < rows_; y++)
      for (int x = 0; x < columns_; x++) {
        const std::size_t at = 2 * half * std::size_t(y) + std::size_t(4 * x + c);
        samples_.add(bytes_[at + half], bytes_[at]);
      }
    update(lines_, c, samples_, false);
  }
}

void GlExposure::map(GLuint from, GLuint background, const Table (&table)[3], const GlTexture &to) {
  map_program_.use();
  map_program_.bind("frame", 0, from);
  map_program_.bind("background", 1, background);
  map_program_.set("scale", table[0].scale, table[1].scale, table[2].scale, 0);
  map_program_.set("shift", table[0].shift, table[1].shift, table[2].shift, 0);
  target_.bind({to.id()}, to.width(), to.height());
  device_.draw_everywhere();
}

} // namespace vigil::exposure
