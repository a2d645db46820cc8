// SPDX-License-Identifier: LGPL-2.1-or-later
// `back` of each pixel; drawn when the background has changed.
uniform sampler2D background;
uniform ivec2 last; // width - 1, height - 1
layout(location = 0) out uint back;

void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  int sum = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) {
      ivec3 b = bytes_of(texelFetch(background, clamp(p + ivec2(x, y), ivec2(0), last), 0));
      sum += product(b, b);
    }
  back = uint(sum);
}
