// SPDX-License-Identifier: LGPL-2.1-or-later
// Gathers the thresholds of 32 pixels into words, a word for each binary digit. Pixels outside the picture get 15, which M
// never reaches.
uniform usampler2D thresholds;
uniform ivec2 last;
layout(location = 0) out uvec4 first;
layout(location = 1) out uvec4 other;

void main() {
  ivec2 word = ivec2(gl_FragCoord.xy);
  first = uvec4(0u);
  other = uvec4(0u);
  for (int i = 0; i < 32; i++) {
    int x = 32 * word.x + i;
    uint both = x <= last.x ? texelFetch(thresholds, ivec2(x, word.y), 0).r : 255u;
    first |= ((uvec4(both) >> uvec4(0u, 1u, 2u, 3u)) & 1u) << i;
    other |= ((uvec4(both) >> uvec4(4u, 5u, 6u, 7u)) & 1u) << i;
  }
}
