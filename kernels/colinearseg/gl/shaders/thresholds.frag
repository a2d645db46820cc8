// SPDX-License-Identifier: LGPL-2.1-or-later
// Both thresholds of each pixel in a byte.
uniform ivec4 settings;
layout(location = 0) out uint thresholds;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  int fore, cross;
  window_at(p, fore, cross);
  thresholds = both_thresholds(fore, int(texelFetch(back, p, 0).r), cross, settings);
}
