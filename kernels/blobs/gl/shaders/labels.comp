// SPDX-License-Identifier: LGPL-2.1-or-later
// Each pixel's component: the number of its first pixel + 1; 0 outside of F.
layout(std430, binding = 2) writeonly buffer Labels { uint labels[]; };

void main() {
  int x0 = 4 * int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
  if (x0 >= width || row >= height) return;
  uint at = AT(labels_offset, labels_stride, 0, row) >> 2u;
  for (int i = x0; i < min(x0 + 4, width); i++)
    if (!full(i, row)) labels[at + uint(i)] = 0u;
  EACH_SEGMENT(x, y) {
    uint label = parents[number_of(x, y)] + 1u;
    int last = end_of(x, y);
    for (int i = x; i < last; i++) labels[at + uint(i)] = label;
  }
}
