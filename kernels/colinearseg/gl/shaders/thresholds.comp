// SPDX-License-Identifier: LGPL-2.1-or-later
// The thresholds of 32x4 pixels, packed into words: what thresholds.frag and pack.frag do in two steps. The products of a
// tile and its border of one pixel are made once, in shared memory.
layout(local_size_x = 32, local_size_y = 4) in;
uniform sampler2D frame, background;
uniform usampler2D back;
uniform ivec2 last; // width - 1, height - 1
uniform ivec4 settings;
layout(rgba32ui, binding = 0) writeonly uniform uimage2D first;
layout(rgba32ui, binding = 1) writeonly uniform uimage2D other;

shared ivec2 products[6 * 34]; // x_f * x_f and x_f * x_b of each pixel
shared uint thresholds[4 * 32];
shared uint digits[4 * 8];

void main() {
  ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(32, 4);
  int thread = int(gl_LocalInvocationIndex);
  for (int i = thread; i < 6 * 34; i += 128) {
    ivec2 p = clamp(corner + ivec2(i % 34 - 1, i / 34 - 1), ivec2(0), last);
    ivec3 f = bytes_of(texelFetch(frame, p, 0));
    products[i] = ivec2(product(f, f), product(f, bytes_of(texelFetch(background, p, 0))));
  }
  barrier();

  ivec2 local = ivec2(gl_LocalInvocationID.xy);
  ivec2 p = corner + local;
  ivec2 sums = ivec2(0); // fore, cross
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++) sums += products[(local.y + y) * 34 + local.x + x];
  bool inside = p.x <= last.x && p.y <= last.y;
  int b = int(texelFetch(back, min(p, last), 0).r);
  thresholds[thread] = inside ? both_thresholds(sums.x, b, sums.y, settings) : 255u;
  barrier();

  if (thread < 32) { // one digit of one row's 32 thresholds each
    int row = thread / 8, digit = thread % 8;
    uint word = 0u;
    for (int i = 0; i < 32; i++) word |= (thresholds[row * 32 + i] >> digit & 1u) << i;
    digits[thread] = word;
  }
  barrier();

  if (local.x < 2 && p.y <= last.y) {
    int at = local.y * 8 + local.x * 4;
    uvec4 word = uvec4(digits[at], digits[at + 1], digits[at + 2], digits[at + 3]);
    ivec2 to = ivec2(gl_WorkGroupID.x, p.y);
    if (local.x == 0)
      imageStore(first, to, word);
    else
      imageStore(other, to, word);
  }
}
