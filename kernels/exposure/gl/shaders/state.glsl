// SPDX-License-Identifier: LGPL-2.1-or-later
// What both steps share. Words of the state: the lines, six floats a channel (gain, offset, agreeing, weight, left
// at both anchors); the tables, scale and shift a channel; the shift of the background.
layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  uint background0, background1, background2;
  int background_stride0, background_stride1, background_stride2;
  int channels, has_shift;
  uint shift_offset;
  int step_size, columns, rows; // of the samples
  int of_1, of_2, green_1, green_2, share_1, share_2, share_green, back_1, back_2, clipped; // colours
  int plane, row_bytes, plane_rows; // that is mapped
  uint out_offset;
  int out_stride;
};
layout(std430, binding = 0) readonly buffer Frame0 { uint frame0[]; };
layout(std430, binding = 1) readonly buffer Frame1 { uint frame1[]; };
layout(std430, binding = 2) readonly buffer Frame2 { uint frame2[]; };
layout(std430, binding = 3) readonly buffer Back0 { uint back0[]; };
layout(std430, binding = 4) readonly buffer Back1 { uint back1[]; };
layout(std430, binding = 5) readonly buffer Back2 { uint back2[]; };
#ifdef ESTIMATES // one group writes what its threads then read
layout(std430, binding = 6) coherent buffer State { uint state[]; };
#else
layout(std430, binding = 6) readonly buffer State { uint state[]; };
#endif

#define TABLES 18
#define SHIFT 24

bool is_yuv() { return format == NV12 || format == I420; }
// A distance in pixels, in the rows and columns of chroma.
int in_chroma(int pixels) { return (pixels - (pixels & 1)) / 2; }

// Channel c of pixel (x, y), as samples.h numbers them.
int frame_at(int c, int x, int y) {
  if (format == RGBA || format == BGRA) {
    if (channels == 3) return int(BYTE(frame0, AT(offset0, stride0, 4 * x + c, y)));
    return int(luma_of(WORD(frame0, AT(offset0, stride0, 4 * x, y)), format));
  }
  if (c == 0) return int(BYTE(frame0, AT(offset0, stride0, x, y)));
  if (format == NV12) return int(BYTE(frame1, AT(offset1, stride1, x / 2 * 2 + c - 1, y / 2)));
  return c == 1 ? int(BYTE(frame1, AT(offset1, stride1, x / 2, y / 2)))
                : int(BYTE(frame2, AT(offset2, stride2, x / 2, y / 2)));
}
// The same of the background, seen through the shift.
int back_at(int c, int x, int y, ivec2 by) {
  if (format == RGBA || format == BGRA) {
    if (channels == 3) return int(BYTE(back0, AT(background0, background_stride0, 4 * (x - by.x) + c, y - by.y)));
    return int(luma_of(WORD(back0, AT(background0, background_stride0, 4 * (x - by.x), y - by.y)), format));
  }
  if (c == 0) return int(BYTE(back0, AT(background0, background_stride0, x - by.x, y - by.y)));
  int u = x / 2 - in_chroma(by.x), v = y / 2 - in_chroma(by.y);
  if (format == NV12) return int(BYTE(back1, AT(background1, background_stride1, 2 * u + c - 1, v)));
  return c == 1 ? int(BYTE(back1, AT(background1, background_stride1, u, v)))
                : int(BYTE(back2, AT(background2, background_stride2, u, v)));
}

// A pixel of Y, U and V (clipped.h); with one channel, luma alone.
ivec3 frame_pixel(int x, int y) {
  return channels == 3 ? ivec3(frame_at(0, x, y), frame_at(1, x, y), frame_at(2, x, y))
                       : ivec3(frame_at(0, x, y), 128, 128);
}
ivec3 back_pixel(int x, int y, ivec2 by) {
  return channels == 3 ? ivec3(back_at(0, x, y, by), back_at(1, x, y, by), back_at(2, x, y, by))
                       : ivec3(back_at(0, x, y, by), 128, 128);
}
ivec3 levels_of(ivec3 p) { // of the colours of the first and the second chroma, and of green
  int a = p.y - 128, b = p.z - 128;
  return p.x + ivec3(of_1 * a >> 6, of_2 * b >> 6, -((green_1 * a + green_2 * b) >> 6));
}
bool perhaps_clipped(ivec3 p) {
  ivec3 l = levels_of(p);
  return max(max(l.x, l.y), l.z) >= clipped;
}
