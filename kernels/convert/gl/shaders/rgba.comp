// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture as RGBA (rgba.h): a thread has one pixel.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  uint to_offset;
  int to_stride;
  int black, luma_factor, rv, gu, gv, bu, opaque;
};
layout(std430, binding = 0) readonly buffer From0 { uint from0[]; };
layout(std430, binding = 1) readonly buffer From1 { uint from1[]; };
layout(std430, binding = 2) readonly buffer From2 { uint from2[]; };
layout(std430, binding = 3) buffer To { uint to[]; };

// U (c = 1) or V (c = 2) number (u, v), less 128.
int chroma_at(int c, int u, int v) {
  u = clamp(u, 0, (width + 1) / 2 - 1);
  v = clamp(v, 0, (height + 1) / 2 - 1);
  uint value = format == NV12 ? BYTE(from1, AT(offset1, stride1, 2 * u + c - 1, v))
               : c == 1       ? BYTE(from1, AT(offset1, stride1, u, v))
                              : BYTE(from2, AT(offset2, stride2, u, v));
  return int(value) - 128;
}
int chroma(int c, int x, int y) { // in sixteenths
  int u = x / 2, v = y / 2, side = (x & 1) == 1 ? u + 1 : u - 1, above = (y & 1) == 1 ? v + 1 : v - 1;
  return 9 * chroma_at(c, u, v) + 3 * chroma_at(c, side, v) + 3 * chroma_at(c, u, above) +
         chroma_at(c, side, above);
}
uint rounded(int value) { return uint(clamp((value + (1 << 16)) >> 17, 0, 255)); }

void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height) return;
  uint result;
  if (format == RGBA || format == BGRA) {
    uint v = WORD(from0, AT(offset0, stride0, 4 * x, y));
    result = format == RGBA ? v : (v & 0xff00ff00u) | (v & 255u) << 16u | (v >> 16u & 255u);
    if (opaque != 0) result |= 0xff000000u;
  } else {
    int first = int(BYTE(from0, AT(offset0, stride0, x, y)));
    if (format == GRAY8) {
      result = uint(first) * 0x010101u | 0xff000000u;
    } else {
      int luma = 16 * luma_factor * (first - black), u = chroma(1, x, y), v = chroma(2, x, y);
      result = rounded(luma + rv * v) | rounded(luma - gu * u - gv * v) << 8u | rounded(luma + bu * u) << 16u |
               0xff000000u;
    }
  }
  uint at = AT(to_offset, to_stride, 4 * x, y);
  if ((at & 3u) == 0u)
    to[at >> 2u] = result;
  else
    for (uint i = 0u; i < 4u; i++) PUT_BYTE(to, at + i, result >> (8u * i) & 255u);
}
