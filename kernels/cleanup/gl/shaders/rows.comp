// SPDX-License-Identifier: LGPL-2.1-or-later
// Dilation by `radius` within rows; erosion is the dilation of the complement.
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };

uint bits_at(int i, int y) {
  uint v = i < 0 || i >= words ? 0u : from[y * words + i];
  return erode != 0 ? ~v & inside_bits(i) : v;
}

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint before = bits_at(i - 1, y), own = bits_at(i, y), behind = bits_at(i + 1, y), bits = own;
  for (uint r = 1u; r <= uint(radius); r++)
    bits |= own << r | before >> (32u - r) | own >> r | behind << (32u - r);
  bits &= inside_bits(i);
  to[y * words + i] = erode != 0 ? ~bits & inside_bits(i) : bits;
}
