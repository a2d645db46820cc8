// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands before a kernel of the user's; user.h describes it. Defined before: BYTES of a pixel (1 or 4) and SWAPPED
// (B before R).
typedef struct {
  __global const uchar *data;
  int stride, width, height;
} Picture;

inline int4 pixel_at(Picture p, int x, int y) {
  __global const uchar *q =
      p.data + clamp(y, 0, p.height - 1) * p.stride + clamp(x, 0, p.width - 1) * BYTES;
#if BYTES == 1
  return (int4)(q[0], q[0], q[0], 255);
#elif SWAPPED
  return (int4)(q[2], q[1], q[0], q[3]);
#else
  return (int4)(q[0], q[1], q[2], q[3]);
#endif
}
