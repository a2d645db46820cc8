// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands before a kernel of the user's; user.h describes it. Defined before: SAMPLES of a pixel (1 or 4), DEEP (0 or
// 1): 16 bits a sample, and SWAPPED (B before R).
#if DEEP
#define FULL 65535
#define LEVEL ushort
#else
#define FULL 255
#define LEVEL uchar
#endif
#define BYTES (SAMPLES * (int)sizeof(LEVEL)) // of a pixel
typedef struct {
  __global const uchar *data;
  int stride, width, height;
} Picture;

inline int4 pixel_at(Picture p, int x, int y) {
  __global const LEVEL *q = (__global const LEVEL *)(p.data + clamp(y, 0, p.height - 1) * p.stride) +
                            clamp(x, 0, p.width - 1) * SAMPLES;
#if SAMPLES == 1
  return (int4)(q[0], q[0], q[0], FULL);
#elif SWAPPED
  return (int4)(q[2], q[1], q[0], q[3]);
#else
  return (int4)(q[0], q[1], q[2], q[3]);
#endif
}
