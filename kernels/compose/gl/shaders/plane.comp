// SPDX-License-Identifier: LGPL-2.1-or-later
// One plane of a composed picture (compose.h, layers.h), then the outlines of boxes in it. A thread has one word
// of the plane that is written.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int width, height;           // of the picture
  int row_bytes, rows;         // of the plane
  int pixel_bytes, chroma;     // chroma: a pixel of the plane stands for 2x2 of the picture
  uint frame_offset;
  int frame_stride;
  uint out_offset;
  int out_stride;
  uint mask_offset;
  int mask_stride;
  uint scale0, even0, odd0, keep0; // of background
  uint scale1, even1, odd1, keep1; // of shadow
  uint scale2, even2, odd2, keep2; // of foreground
  uint outline;                    // bytes of a pixel on an outline
  int outline_bytes, outlines;
};
layout(std430, binding = 0) readonly buffer Frame { uint frame[]; };
layout(std430, binding = 1) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 2) buffer Out { uint to[]; };
layout(std430, binding = 3) readonly buffer Parts { int parts[]; }; // left, top, right, bottom

uint mask_at(int x, int y) { return BYTE(mask, AT(mask_offset, mask_stride, x, y)); }
uint largest_mask(int x, int y) {
  if (chroma == 0) return mask_at(x, y);
  x *= 2;
  y *= 2;
  int right = min(x + 1, width - 1), below = min(y + 1, height - 1);
  return max(max(mask_at(x, y), mask_at(right, y)), max(mask_at(x, below), mask_at(right, below)));
}

bool on_outline(int x, int y) {
  for (int i = 0; i < outlines; i++) {
    int at = 4 * i;
    if (x >= parts[at] && y >= parts[at + 1] && x < parts[at + 2] && y < parts[at + 3]) return true;
  }
  return false;
}

void main() {
  int y = int(gl_GlobalInvocationID.y);
  if (y >= rows) return;
  uint row = AT(out_offset, out_stride, 0, y), from = AT(frame_offset, frame_stride, 0, y);
  int first = int(gl_GlobalInvocationID.x) * 4 - int(row & 3u);
  uint bits = 0u, value = 0u;
  for (int i = 0; i < 4; i++) {
    int at = first + i;
    if (at < 0 || at >= row_bytes) continue;
    int x = at / pixel_bytes, part = at % pixel_bytes;
    uint v = BYTE(frame, uint(int(from) + at)), m = largest_mask(x, y);
    uint scale = m == 255u ? scale2 : m == 0u ? scale0 : scale1;
    uint pair = (at & 1) == 0 ? (m == 255u ? even2 : m == 0u ? even0 : even1)
                              : (m == 255u ? odd2 : m == 0u ? odd0 : odd1);
    uint keep = m == 255u ? keep2 : m == 0u ? keep0 : keep1;
    uint offset = pair >> uint(16 * (at >> 1 & 1)) & 0xffffu;
    if ((keep >> uint(8 * (at & 3)) & 255u) == 0u) v = (v * scale + offset) >> 8u & 255u;
    if (part < outline_bytes && on_outline(x, y)) v = outline >> uint(8 * part) & 255u;
    value |= v << uint(8 * i);
    bits |= 255u << uint(8 * i);
  }
  uint word = uint(int(row) + first) >> 2u;
  PUT_BITS(to, word, bits, value);
}
