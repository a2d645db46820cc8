// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread has the pixels of one word of the mask, in one row. Each finds its pixel of the model, which may be
// shifted; those without one get the label 0, from the band of the model's first row.

uint label_of(int x, int y) { // of pixel (x, y) of the frame
  int u = x, v = y;
  if (has_shift != 0) {
    uint at = shift_offset >> 2u;
    u -= clamp(int(known_shift[at]), -width, width);
    v -= clamp(int(known_shift[at + 1u]), -height, height);
  }
  int row = v - first_row;
  pixel = uint(row * width + u);
  float rate = rate_at(u, v);
  uvec2 dither = dither_of(uint(v * ((width + 63) / 64 * 64) + u), frame); // as the CPU's blocks count pixels
#if defined(COMPACT) && !defined(MOG)
  if (!(rate > 0.0)) dither.x = 1u << 31u; // one half, which rounds to the nearest: a frozen pixel stays
#endif
  return learn(samples_at(x, y), rate, dither);
}

// Whether the pixel is of this band.
bool in_band(int x, int y, out bool outside) {
  int u = x, v = y;
  if (has_shift != 0) {
    uint at = shift_offset >> 2u;
    u -= clamp(int(known_shift[at]), -width, width);
    v -= clamp(int(known_shift[at + 1u]), -height, height);
  }
  outside = u < 0 || u >= width || v < 0 || v >= height;
  return !outside && v >= first_row && v < first_row + rows;
}

void main() {
  int y = int(gl_GlobalInvocationID.y);
  if (y >= height) return;
  uint row = AT(mask_offset, mask_stride, 0, y);
  int first = int(gl_GlobalInvocationID.x) * 4 - int(row & 3u);
  uint bits = 0u, value = 0u;
  for (int i = 0; i < 4; i++) {
    int x = first + i;
    if (x < 0 || x >= width) continue;
    bool outside;
    if (in_band(x, y, outside)) {
      value |= label_of(x, y) << uint(8 * i);
      bits |= 255u << uint(8 * i);
    } else if (outside && first_row == 0) {
      bits |= 255u << uint(8 * i);
    }
  }
  uint word = uint(int(row) + first) >> 2u;
  PUT_BITS(mask, word, bits, value);
}
