// SPDX-License-Identifier: LGPL-2.1-or-later
// The median's first step: how many of the pixels from x - r to x + r of its row are in F, for each pixel x; a
// byte each. A thread has the four bytes of one word.
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };

uint bits_at(int i, int y) { return i < 0 || i >= words ? 0u : from[y * words + i]; }

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= 8 * words || y >= height) return;
  uint sums = 0u;
  for (int j = 0; j < 4; j++) {
    // The window is at most 31 pixels: it lies in two words.
    int first = 4 * i + j - radius, word = first >> 5;
    uint shift = uint(first & 31);
    uint window = bits_at(word, y) >> shift;
    if (shift > 0u) window |= bits_at(word + 1, y) << (32u - shift);
    window &= (1u << uint(2 * radius + 1)) - 1u;
    sums |= uint(bitCount(window)) << uint(8 * j);
  }
  to[y * 8 * words + i] = sums;
}
