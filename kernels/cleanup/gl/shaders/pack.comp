// SPDX-License-Identifier: LGPL-2.1-or-later
// F before any step.
layout(std430, binding = 0) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 1) readonly buffer Watch { uint watch[]; };
layout(std430, binding = 2) writeonly buffer To { uint to[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint at = AT(mask_offset, mask_stride, 32 * i, y), watch_at = AT(watch_offset, watch_stride, 32 * i, y), bits = 0u;
  for (int x = 0; x < min(32, width - 32 * i); x++) {
    bool full = BYTE(mask, at + uint(x)) == 255u;
    if (full && has_watch != 0) full = BYTE(watch, watch_at + uint(x)) != 0u;
    if (full) bits |= 1u << uint(x);
  }
  to[y * words + i] = bits;
}
