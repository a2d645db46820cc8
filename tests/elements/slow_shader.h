// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <string>

namespace vigil::test {

// A producer in OpenGL that takes long; what it makes is what comes in. OpenGL ES 3 takes this version of the
// language, and so does OpenGL from 4.3: which of the two a context is depends on GStreamer's version and the
// driver.
inline constexpr const char *slow_vertex = R"(#version 300 es
in vec4 a_position;
in vec2 a_texcoord;
out vec2 at;
void main() {
  gl_Position = a_position;
  at = a_texcoord;
}
)";
inline constexpr const char *slow_fragment = R"(#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D tex;
out vec4 colour;
void main() {
  vec4 c = texture(tex, at);
  float s = c.r;
  for (int i = 0; i < LOOPS; i++) s = sin(s + c.g);
  colour = c + vec4(s * 1e-30);
}
)";

inline void slow_down(GstElement *shader, int loops) {
  std::string text = slow_fragment;
  text.replace(text.find("LOOPS"), 5, std::to_string(loops));
  g_object_set(shader, "vertex", slow_vertex, "fragment", text.c_str(), nullptr);
}

} // namespace vigil::test
