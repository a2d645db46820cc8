// SPDX-License-Identifier: LGPL-2.1-or-later
// For processors: a work-item filters a row, 16 pixels at a time, in explicit vectors. First the picture becomes planes of
// floats with RADIUS pixels of border, so that neighbours are plain vectors at any address.
//   plane 0: what weights are made from; planes 1..3 (where they differ from it): what is averaged
#if MODE == ONE
#define PLANES (1 + GUIDE)
#elif MODE == INTENSITY
#define PLANES 4
#else
#define PLANES (3 + 3 * GUIDE)
#endif

// `pitch` floats a row; `planes` holds PLANES planes of height + 2*RADIUS rows each.
kernel void bilateral_planes(global const uchar *in, int in_at, int in_stride, global const uchar *guide, int guide_at,
                             int guide_stride, int width, int height, int step, float4 k, global float *planes,
                             int pitch) {
  const int py = get_global_id(1);
  const long plane = (long)pitch * (height + 2 * RADIUS);
  const int y = clamp(py - RADIUS, 0, height - 1);
  global const uchar *row = in + in_at + (long)y * in_stride;
  global const uchar *guide_row = guide + guide_at + (long)y * guide_stride;
  global float *to = planes + (long)py * pitch;
  for (int x = 0; x < width; x++) {
#if MODE == ONE
    const float v = (float)(((global const SAMPLE *)row)[x * step] >> SHIFT);
#if GUIDE
    to[x + RADIUS] = k.x * (float)(((global const SAMPLE *)guide_row)[x * step] >> SHIFT);
    to[x + RADIUS + plane] = v;
#else
    to[x + RADIUS] = k.x * v;
#endif
#else
    const float r = row[4 * x], g = row[4 * x + 1], b = row[4 * x + 2];
#if GUIDE
    const float gr = guide_row[4 * x], gg = guide_row[4 * x + 1], gb = guide_row[4 * x + 2];
#else
    const float gr = r, gg = g, gb = b;
#endif
#if MODE == INTENSITY
    to[x + RADIUS] = k.x * gr + k.y * gg + k.z * gb;
    to[x + RADIUS + plane] = r;
    to[x + RADIUS + 2 * plane] = g;
    to[x + RADIUS + 3 * plane] = b;
#else
    to[x + RADIUS] = k.x * gr;
    to[x + RADIUS + plane] = k.x * gg;
    to[x + RADIUS + 2 * plane] = k.x * gb;
#if GUIDE
    to[x + RADIUS + 3 * plane] = r;
    to[x + RADIUS + 4 * plane] = g;
    to[x + RADIUS + 5 * plane] = b;
#endif
#endif
#endif
  }
  for (int p = 0; p < PLANES; p++) {
    global float *t = to + p * plane;
    for (int i = 0; i < RADIUS; i++) t[i] = t[RADIUS];
    for (int i = width + RADIUS; i < pitch; i++) t[i] = t[width + RADIUS - 1];
  }
}

DEFINE_POWER_OF_TWO(16)

#if MODE == CHANNELS
#define SETS 3 // of weights, a channel each
#else
#define SETS 1
#endif
#if MODE == ONE
#define SUMS 1
#else
#define SUMS 3
#endif

kernel void bilateral_rows(ARGUMENTS, global const float *planes, int pitch) {
  const int y = get_global_id(1);
  const long plane = (long)pitch * (height + 2 * RADIUS);
  float spatial[(RADIUS + 1) * (RADIUS + 1)];
  for (int dy = 0; dy <= RADIUS; dy++)
    for (int dx = 0; dx <= RADIUS; dx++) spatial[dy * (RADIUS + 1) + dx] = SPATIAL(dx, dy);
#if QUANTIZED
  float weights[16];
  vstore16(table, 0, weights);
#endif
  global const uchar *in_row = in + in_at + (long)y * in_stride;
  global uchar *out_row = out + out_at + (long)y * out_stride;
  for (int x = 0; x < width; x += 16) {
    global const float *centre = planes + (long)(y + RADIUS) * pitch + x + RADIUS;
    float16 g0[SETS], total[SETS], sum[SUMS], v0[SUMS];
    for (int s = 0; s < SETS; s++) {
      g0[s] = vload16(0, centre + s * plane);
      total[s] = 0;
    }
    for (int c = 0; c < SUMS; c++) {
      sum[c] = 0;
#if MODE != INTENSITY && GUIDE // sums of differences from the centre: less is lost to rounding
      v0[c] = vload16(0, centre + (c + SETS) * plane);
#define RELATIVE(v, c) ((v) - v0[c])
#define ABSOLUTE(v, c) ((v) + v0[c])
#else
#define RELATIVE(v, c) (v)
#define ABSOLUTE(v, c) (v)
#endif
    }
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
      global const float *from = centre + dy * pitch;
      for (int dx = -RADIUS; dx <= RADIUS; dx++) {
        const float near = spatial[abs(dy) * (RADIUS + 1) + abs(dx)];
        float16 w[SETS];
#pragma unroll
        for (int s = 0; s < SETS; s++) {
          const float16 d = vload16(0, from + dx + s * plane) - g0[s];
#if QUANTIZED
          const int16 bin = convert_int16(fma(fabs(d), (float16)(bins.x), (float16)(bins.y)));
          int index[16];
          float picked[16];
          vstore16(bin, 0, index);
          for (int i = 0; i < 16; i++) picked[i] = weights[index[i]];
          w[s] = power_of_two16((float16)(near)) * vload16(0, picked);
#else
          w[s] = power_of_two16(fma(-d, d, (float16)(near)));
#endif
          total[s] += w[s];
#if MODE != INTENSITY && !GUIDE
          sum[s] = fma(w[s], d, sum[s]);
#endif
        }
#if MODE == INTENSITY || GUIDE
#pragma unroll
        for (int c = 0; c < SUMS; c++)
          sum[c] = fma(w[SETS == 1 ? 0 : c], RELATIVE(vload16(0, from + dx + (c + SETS) * plane), c), sum[c]);
#endif
      }
    }
    for (int c = 0; c < SUMS; c++) {
      const int s = SETS == 1 ? 0 : c;
#if MODE != INTENSITY && !GUIDE
      v0[c] = (g0[s] + sum[c] / total[s]) * k.w + 0.5f;
#else
      v0[c] = ABSOLUTE(sum[c] / total[s], c) + 0.5f;
#endif
    }
    const int n = min(16, width - x);
#if MODE == ONE
    int level[16];
    vstore16(convert_int16(v0[0]), 0, level);
    for (int i = 0; i < n; i++) ((global SAMPLE *)out_row)[(x + i) * step] = (SAMPLE)(level[i] << SHIFT);
#else
    const int16 rgb = convert_int16(v0[0]) | convert_int16(v0[1]) << 8 | convert_int16(v0[2]) << 16;
#if ALIGNED
    if (n == 16) {
      vstore16(rgb | (vload16(0, (global const int *)in_row + x) & (int)0xff000000), 0, (global int *)out_row + x);
      continue;
    }
#endif
    int pixel[16];
    vstore16(rgb, 0, pixel);
    for (int i = 0; i < n; i++)
      vstore4((uchar4)(pixel[i] & 255, pixel[i] >> 8 & 255, pixel[i] >> 16 & 255, in_row[4 * (x + i) + 3]), x + i,
              out_row);
#endif
  }
}
