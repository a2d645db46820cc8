// SPDX-License-Identifier: LGPL-2.1-or-later
// Dilation or erosion by `radius` within columns.
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint bits = from[y * words + i];
  for (int row = max(y - radius, 0); row <= min(y + radius, height - 1); row++)
    if (erode != 0)
      bits &= from[row * words + i];
    else
      bits |= from[row * words + i];
  to[y * words + i] = bits;
}
