// SPDX-License-Identifier: LGPL-2.1-or-later
// The frame as it would look without the lines; exposure.h has Table and the rule for clipped samples.
uniform sampler2D frame, background;
uniform ivec4 scale, shift; // of R G B
layout(location = 0) out vec4 colour;

ivec3 bytes_of(vec4 texel) {
  return ivec3(texel.rgb * 255.0 + 0.5);
}

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  vec4 texel = texelFetch(frame, p, 0);
  ivec3 y = bytes_of(texel), b = bytes_of(texelFetch(background, p, 0));
  ivec3 v = clamp((((y * scale.rgb) >> 8) + shift.rgb + 8) >> 4, 0, 255);
  for (int c = 0; c < 3; c++) {
    bool changes = scale[c] != 4096 || shift[c] != 0;
    bool clipped = (y[c] >= CLIPPED_HIGH && v[c] < b[c]) || (y[c] <= CLIPPED_LOW && v[c] > b[c]);
    if (changes && clipped) v[c] = b[c];
  }
  colour = vec4(vec3(v) / 255.0, texel.a);
}
