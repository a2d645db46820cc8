// SPDX-License-Identifier: LGPL-2.1-or-later
// The pixels that are in both sets; with `erode` those that are in the second alone.
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) buffer To { uint to[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint bits = from[y * words + i];
  to[y * words + i] &= erode != 0 ? ~bits : bits;
}
