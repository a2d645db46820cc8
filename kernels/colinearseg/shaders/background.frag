// SPDX-License-Identifier: LGPL-2.1-or-later
// Changes the background: its exact values (sums or 1/65536 grey levels, see State) and the bytes made from them.
uniform sampler2D frame;
uniform usampler2D exact, mask;
uniform int learnt; // > 0: add the frame, which is number `learnt`; 0: adapt
uniform int rate;   // in 1/32768
layout(location = 0) out uvec4 next;
layout(location = 1) out vec4 background;

uint adapted(uint value, int level) {
  int way = (level << 16) - int(value);
  return uint(int(value) + (((way >> 8) * rate + 64) >> 7));
}

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  ivec3 f = bytes_of(texelFetch(frame, p, 0));
  next = texelFetch(exact, p, 0);
  uvec3 level;
  if (learnt > 0) {
    next.rgb += uvec3(f);
    level = (next.rgb + uint(learnt) / 2u) / uint(learnt);
  } else {
    if ((texelFetch(mask, ivec2(p.x >> 5, p.y), 0).r >> (p.x & 31) & 1u) == 0u)
      next.rgb = uvec3(adapted(next.r, f.r), adapted(next.g, f.g), adapted(next.b, f.b));
    level = (next.rgb + 32768u) >> 16;
  }
  background = vec4(vec3(level) / 255.0, 1.0);
}
