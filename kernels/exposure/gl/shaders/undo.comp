// SPDX-License-Identifier: LGPL-2.1-or-later
// One plane of the frame as the model is to see it. A thread has one word of it.
layout(local_size_x = 32, local_size_y = 4) in;
layout(std430, binding = 7) buffer Out { uint to[]; };

// The state's tables and shift. A thread reads them once: all threads ask the same few words of memory.
ivec3 scale, shift;
ivec2 by;
void read_state() {
  for (int c = 0; c < 3; c++) {
    scale[c] = int(state[TABLES + 2 * c]);
    shift[c] = int(state[TABLES + 2 * c + 1]);
  }
  by = ivec2(int(state[SHIFT]), int(state[SHIFT + 1]));
}

bool changes(int c) { return scale[c] != 4096 || shift[c] != 0; }
int mapped(int c, int v) { return clamp(((v * scale[c] >> 8) + shift[c] + 8) >> 4, 0, 255); }
int corrected(int c, int v, int back) {
  int m = mapped(c, v);
  if (v >= CLIPPED_HIGH && m < back) return back;
  if (v <= CLIPPED_LOW && m > back) return back;
  return m;
}

int lacking(int frame, int changed, int back) {
  return frame < clipped || changed >= back ? 0 : min(back - changed, 255);
}
ivec3 restored(ivec3 frame, ivec3 changed, ivec3 back) {
  ivec3 f = levels_of(frame), m = levels_of(changed), b = levels_of(back);
  int d1 = lacking(f.x, m.x, b.x), d2 = lacking(f.y, m.y, b.y), green = lacking(f.z, m.z, b.z);
  int all = (share_1 * d1 + share_2 * d2 + share_green * green + 32) >> 6;
  return clamp(changed + ivec3(all, (back_1 * (d1 - all) + 32) >> 6, (back_2 * (d2 - all) + 32) >> 6), 0, 255);
}
// Pixel (x, y) of Y, U and V.
ivec3 yuv_at(int x, int y) {
  ivec3 f = frame_pixel(x, y);
  ivec3 m = channels == 3 ? ivec3(mapped(0, f.x), mapped(1, f.y), mapped(2, f.z)) : ivec3(mapped(0, f.x), 128, 128);
  return perhaps_clipped(f) ? restored(f, m, back_pixel(x, y, by)) : m;
}

int own_byte(int at, int y) { // of the frame
  return int(plane == 0   ? BYTE(frame0, AT(offset0, stride0, at, y))
             : plane == 1 ? BYTE(frame1, AT(offset1, stride1, at, y))
                          : BYTE(frame2, AT(offset2, stride2, at, y)));
}
int result_at(int at, int y, bool nothing) {
  int v = own_byte(at, y);
  if (nothing) return v;
  if (is_yuv()) {
    if (plane == 0) return yuv_at(at, y).x;
    if (channels == 1) return v;
    int pair = format == NV12 ? at / 2 : at, c = format == NV12 ? 1 + (at & 1) : plane;
    return yuv_at(2 * pair, 2 * y)[c];
  }
  bool colours = format != GRAY8;
  int c = !colours || channels == 1 ? 0 : at & 3;
  if ((colours && (at & 3) == 3) || !changes(c)) return v;
  if (colours && channels == 1) return mapped(0, v);
  return corrected(c, v, back_at(c, colours ? at / 4 : at, y, by));
}

void main() {
  int y = int(gl_GlobalInvocationID.y);
  if (y >= plane_rows) return;
  read_state();
  bool nothing = true;
  for (int c = 0; c < channels; c++) nothing = nothing && !changes(c);
  uint row = AT(out_offset, out_stride, 0, y);
  int first = int(gl_GlobalInvocationID.x) * 4 - int(row & 3u);
  uint bits = 0u, value = 0u;
  for (int i = 0; i < 4; i++) {
    int at = first + i;
    if (at < 0 || at >= row_bytes) continue;
    value |= uint(result_at(at, y, nothing)) << uint(8 * i);
    bits |= 255u << uint(8 * i);
  }
  uint word = uint(int(row) + first) >> 2u;
  PUT_BITS(to, word, bits, value);
}
