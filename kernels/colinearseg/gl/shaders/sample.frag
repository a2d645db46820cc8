// SPDX-License-Identifier: LGPL-2.1-or-later
// ceil(D2) with no darkness offset at the points of the sample grid, to measure the noise.
uniform int spacing;
layout(location = 0) out uint sampled;

void main() {
  ivec2 p = min(ivec2(gl_FragCoord.xy) * spacing + spacing / 2, last);
  int fore, cross;
  window_at(p, fore, cross);
  sampled = uint(evidence(fore, int(texelFetch(back, p, 0).r), cross, 0));
}
