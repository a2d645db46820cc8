// SPDX-License-Identifier: LGPL-2.1-or-later
// Changes the background: its exact values and the bytes made from them.
uniform sampler2D frame;
uniform usampler2D exact, mask;
layout(location = 0) out uvec4 next;
layout(location = 1) out vec4 background;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  next = texelFetch(exact, p, 0);
  uint labels = texelFetch(mask, ivec2(p.x >> 5, p.y), 0).r;
  next.rgb = next_exact(next.rgb, bytes_of(texelFetch(frame, p, 0)), labels, p.x);
  background = vec4(vec3(level_of(next.rgb)) / 255.0, 1.0);
}
