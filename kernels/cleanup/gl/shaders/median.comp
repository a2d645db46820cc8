// SPDX-License-Identifier: LGPL-2.1-or-later
// The median's second step: the sums of rows y - r to y + r, and whether they are more than half of the pixels.
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
  uint bits = 0u;
  for (int part = 0; part < 8; part++) { // four pixels; sums of up to 31^2 need 16 bits
    uint even = 0u, odd = 0u;
    for (int row = top; row <= bottom; row++) {
      uint v = from[(row * words + i) * 8 + part];
      even += v & 0x00ff00ffu;
      odd += v >> 8u & 0x00ff00ffu;
    }
    for (int j = 0; j < 4; j++) {
      int x = 32 * i + 4 * part + j;
      uint sum = ((j & 1) == 0 ? even : odd) >> uint(16 * (j >> 1)) & 0xffffu;
      int pixels = (min(x + radius, width - 1) - max(x - radius, 0) + 1) * (bottom - top + 1);
      if (x < width && 2 * int(sum) > pixels) bits |= 1u << uint(4 * part + j);
    }
  }
  to[y * words + i] = bits;
}
