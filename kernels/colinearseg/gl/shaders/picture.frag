// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture to show: see Show for the numbers of `kind`.
uniform sampler2D frame, background;
uniform usampler2D mask;
uniform int kind;
uniform ivec4 tint; // R G B and strength, as compose.h has them
layout(location = 0) out vec4 colour;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  bool foreground = (texelFetch(mask, ivec2(p.x >> 5, p.y), 0).r >> (p.x & 31) & 1u) != 0u;
  if (kind == 0) {
    colour = vec4(vec3(foreground ? 1.0 : 0.0), 1.0);
  } else if (kind == 3) {
    colour = vec4(texelFetch(background, p, 0).rgb, 1.0);
  } else {
    colour = texelFetch(frame, p, 0);
    if (kind == 2) {
      colour.a = foreground ? 1.0 : 0.0;
    } else if (foreground) {
      ivec3 mixed = ((256 - tint.a) * bytes_of(colour) + tint.a * tint.rgb + 128) >> 8;
      colour.rgb = vec3(mixed) / 255.0;
    }
  }
}
