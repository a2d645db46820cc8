// SPDX-License-Identifier: LGPL-2.1-or-later
// The upper bytes of samples of 16 bits (high_bytes.h): an invocation makes a word, of four samples.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int row_samples, rows;
  uint from_offset;
  int from_stride;
  uint to_offset;
  int to_stride;
};
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) buffer To { uint to[]; };

void main() {
  int x = int(gl_GlobalInvocationID.x) * 4, y = int(gl_GlobalInvocationID.y);
  if (x >= row_samples || y >= rows) return;
  int count = min(row_samples - x, 4);
  uint at = AT(to_offset, to_stride, x, y), first = AT(from_offset, from_stride, 2 * x, y);
  if (count == 4 && (at & 3u) == 0u) {
    uint a = WORD(from, first), b = WORD(from, first + 4u);
    to[at >> 2u] = (a >> 8u & 255u) | (a >> 16u & 0xff00u) | (b & 0xff00u) << 8u | (b & 0xff000000u);
  } else {
    for (int i = 0; i < count; i++) PUT_BYTE(to, at + uint(i), BYTE(from, first + uint(2 * i + 1)));
  }
}
