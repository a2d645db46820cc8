// SPDX-License-Identifier: LGPL-2.1-or-later
// The frame's colours at the samples, and on their right the background's.
uniform sampler2D frame, background;
uniform ivec2 grid; // pixels from one sample to the next, samples in a row
layout(location = 0) out vec4 colour;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  bool right = p.x >= grid.y;
  ivec2 at = ivec2(right ? p.x - grid.y : p.x, p.y) * grid.x + grid.x / 2;
  colour = right ? texelFetch(background, at, 0) : texelFetch(frame, at, 0);
}
