// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts small objects into a mask: a thread has one word of the mask, of four pixels.
layout(std430, binding = 0) buffer Mask { uint mask[]; };
layout(std430, binding = 1) readonly buffer Watch { uint watch[]; };
layout(std430, binding = 2) readonly buffer Kept { uint kept[]; };

void main() {
  int y = int(gl_GlobalInvocationID.y);
  if (y >= height) return;
  uint row = AT(mask_offset, mask_stride, 0, y);
  int first = int(gl_GlobalInvocationID.x) * 4 - int(row & 3u);
  if (first >= width) return;
  uint bits = 0u;
  for (int i = 0; i < 4; i++) {
    int x = first + i;
    if (x < 0 || x >= width) continue;
    uint word = kept[(kept_offset >> 2u) + uint(y * words + (x >> 5))];
    if ((word >> uint(x & 31) & 1u) == 0u) continue;
    if (has_watch == 0 || BYTE(watch, AT(watch_offset, watch_stride, x, y)) != 0u) bits |= 255u << uint(8 * i);
  }
  PUT_BITS(mask, uint(int(row) + first) >> 2u, bits, 0xffffffffu);
}
