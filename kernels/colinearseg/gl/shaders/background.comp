// SPDX-License-Identifier: LGPL-2.1-or-later
// Changes the background and makes `back` of it: what background.frag and back.frag do in two steps. A work group steps
// the pixels of its 32x16 and, to have their windows whole, once more those of the border around them.
layout(local_size_x = 32, local_size_y = 4) in;
uniform sampler2D frame;
uniform usampler2D exact, mask;
uniform ivec2 last; // width - 1, height - 1
layout(rgba32ui, binding = 0) writeonly uniform uimage2D next;
layout(rgba8, binding = 1) writeonly uniform image2D background;
layout(r32ui, binding = 2) writeonly uniform uimage2D back;

shared int products[18 * 34]; // x_b * x_b of each pixel

void main() {
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(32, 16);
  for (int i = int(gl_LocalInvocationIndex); i < 18 * 34; i += 128) {
    ivec2 at = ivec2(i % 34, i / 34), wanted = corner + at - 1;
    ivec2 p = clamp(wanted, ivec2(0), last);
    uint labels = texelFetch(mask, ivec2(p.x >> 5, p.y), 0).r;
    uvec3 value = next_exact(texelFetch(exact, p, 0).rgb, bytes_of(texelFetch(frame, p, 0)), labels, p.x);
    ivec3 level = ivec3(level_of(value));
    products[i] = product(level, level);
    if (p == wanted && at.x >= 1 && at.x <= 32 && at.y >= 1 && at.y <= 16) {
      imageStore(next, p, uvec4(value, 0u));
      imageStore(background, p, vec4(vec3(level) / 255.0, 1.0));
    }
  }
  barrier();

  // Each thread has one column of four rows that follow each other.
  ivec2 local = ivec2(gl_LocalInvocationID.xy) * ivec2(1, 4);
  int rows[6];
  for (int y = 0; y < 6; y++) {
    int at = (local.y + y) * 34 + local.x;
    rows[y] = products[at] + products[at + 1] + products[at + 2];
  }
  for (int y = 0; y < 4; y++) {
    ivec2 p = corner + local + ivec2(0, y);
    if (p.x <= last.x && p.y <= last.y) imageStore(back, p, uvec4(rows[y] + rows[y + 1] + rows[y + 2]));
  }
}
