// SPDX-License-Identifier: LGPL-2.1-or-later
// Each pixel's component: the number of its first pixel + 1; 0 outside of F.
layout(std430, binding = 2) writeonly buffer Labels { uint labels[]; };

void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height) return;
  uint at = AT(labels_offset, labels_stride, 0, y) >> 2u;
  if (!full(x, y)) labels[at + uint(x)] = 0u;
  if (!starts(x, y)) return;
  uint label = parents[number_of(x, y)] + 1u;
  int last = end_of(x, y);
  for (int i = x; i < last; i++) labels[at + uint(i)] = label;
}
