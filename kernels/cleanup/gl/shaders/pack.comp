// SPDX-License-Identifier: LGPL-2.1-or-later
// F before any step.
layout(std430, binding = 0) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 1) readonly buffer Watch { uint watch[]; };
layout(std430, binding = 2) writeonly buffer To { uint to[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint at = AT(mask_offset, mask_stride, 32 * i, y), watch_at = AT(watch_offset, watch_stride, 32 * i, y), bits = 0u;
  int pixels = min(32, width - 32 * i);
  for (int first = 0; first < pixels; first += 4) {
    int n = min(4, pixels - first);
    uint four = n == 4 ? WORD(mask, at + uint(first)) : 0u;
    for (int k = 0; n < 4 && k < n; k++) four |= BYTE(mask, at + uint(first + k)) << uint(8 * k);
    uint full = full_bytes(four);
    for (int k = 0; full != 0u && has_watch != 0 && k < n; k++)
      if (BYTE(watch, watch_at + uint(first + k)) == 0u) full &= ~(1u << uint(k));
    bits |= full << uint(first);
  }
  to[y * words + i] = bits;
}
