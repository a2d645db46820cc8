// SPDX-License-Identifier: LGPL-2.1-or-later
// fore and cross of the pixel p, from textures.
uniform sampler2D frame, background;
uniform usampler2D back;
uniform ivec2 last; // width - 1, height - 1

void window_at(ivec2 p, out int fore, out int cross) {
  fore = 0;
  cross = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++) {
      ivec2 at = clamp(p + ivec2(x, y), ivec2(0), last);
      ivec3 f = bytes_of(texelFetch(frame, at, 0));
      fore += product(f, f);
      cross += product(f, bytes_of(texelFetch(background, at, 0)));
    }
}
