// SPDX-License-Identifier: LGPL-2.1-or-later
// What generated passes are made of; filter.h has the formulas. Defined before: ROWS (0 or 1) and COLOUR (0 or 1), see
// plan.h, and WIDE: rows of colour begin at multiples of 4 bytes.

// A value of a tile and the sums made of it: a channel, or all channels of a pixel.
#if COLOUR && !ROWS
typedef uchar4 Value;
typedef int4 Sum;
typedef uint4 Total;
#define TOTAL(v) convert_uint4(v)
#define TO_VALUE(v) convert_uchar4(v)
#define SUM(v) convert_int4(v)
#define SIGNED(v) as_int4(v)
#define AS_TOTAL(v) as_uint4(v)
#define RANGE(t, d) (uint4)((t)[(d).x], (t)[(d).y], (t)[(d).z], (t)[(d).w])
#define ROOT(v) convert_int4_rtz(sqrt(convert_float4(v)) + 0.5f)
#define STORED(v) convert_uchar4_sat(v)
#else
typedef uchar Value;
typedef int Sum;
typedef uint Total;
#define TOTAL(v) ((uint)(v))
#define TO_VALUE(v) ((uchar)(v))
#define SUM(v) ((int)(v))
#define SIGNED(v) ((int)(v))
#define AS_TOTAL(v) ((uint)(v))
#define RANGE(t, d) ((uint)(t)[d])
#define ROOT(v) ((int)(sqrt((float)(v)) + 0.5f))
#define STORED(v) ((uchar)clamp(v, 0, 255))
#endif

// Tiles are in memory that work-items share; where one work-item does all, they are its own.
#if ROWS
#define TILE __private
#define BARRIER
#else
#define TILE __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
#endif

inline int mixed(__constant const int *m, int offset, int r, int g, int b) {
  return clamp((m[0] * r + m[1] * g + m[2] * b + offset + 32768) >> 16, 0, 255);
}

// k: 9 weights and an offset
inline Sum weighted(const TILE Value *p, int pitch, __constant const int *k) {
  return k[0] * SUM(p[-pitch - 1]) + k[1] * SUM(p[-pitch]) + k[2] * SUM(p[-pitch + 1]) + k[3] * SUM(p[-1]) +
         k[4] * SUM(p[0]) + k[5] * SUM(p[1]) + k[6] * SUM(p[pitch - 1]) + k[7] * SUM(p[pitch]) +
         k[8] * SUM(p[pitch + 1]) + k[9];
}
inline Value linear(const TILE Value *p, int pitch, __constant const int *k) {
  return STORED((weighted(p, pitch, k) + 2048) >> 12);
}
inline Value linear_absolute(const TILE Value *p, int pitch, __constant const int *k) {
  return STORED((SIGNED(abs(weighted(p, pitch, k))) + 2048) >> 12);
}

inline Value gradient(const TILE Value *p, int pitch, __constant const int *amount) {
  const Sum nw = SUM(p[-pitch - 1]), ne = SUM(p[-pitch + 1]), sw = SUM(p[pitch - 1]), se = SUM(p[pitch + 1]);
  const Sum gx = ne + 2 * SUM(p[1]) + se - nw - 2 * SUM(p[-1]) - sw;
  const Sum gy = sw + 2 * SUM(p[pitch]) + se - nw - 2 * SUM(p[-pitch]) - ne;
  const Sum square = gx * gx + gy * gy;
  // The root rounded half up is the m with m (m - 1) < square <= m (m + 1); a device's sqrt may be slightly off.
  Sum m = ROOT(square);
  m = select(m, m - 1, m * (m - 1) >= square && m > 0);
  m = select(m, m + 1, m * (m + 1) < square);
  return STORED((amount[0] * m + 128) >> 8);
}

#define EXCHANGE(a, b)       \
  {                          \
    const Value low = min(a, b); \
    b = max(a, b);           \
    a = low;                 \
  }
inline Value median(const TILE Value *p, int pitch) {
  Value a = p[-pitch - 1], b = p[-pitch], c = p[-pitch + 1], d = p[-1], e = p[0], f = p[1], g = p[pitch - 1],
        h = p[pitch], i = p[pitch + 1];
  // Rows in order; then the largest of the smallest, the middle of the middle and the smallest of the largest.
  EXCHANGE(b, c) EXCHANGE(e, f) EXCHANGE(h, i)
  EXCHANGE(a, b) EXCHANGE(d, e) EXCHANGE(g, h)
  EXCHANGE(b, c) EXCHANGE(e, f) EXCHANGE(h, i)
  const Value low = max(max(a, d), g), high = min(min(c, f), i);
  EXCHANGE(b, e) EXCHANGE(e, h) EXCHANGE(b, e)
  return max(min(low, e), min(max(low, e), high));
}

// One direction of a separable filter: w[0] for the middle, w[j] for what is j steps away; step is 1 or a row.
#define GAUSSIAN(NAME, RADIUS, TYPE)                                                   \
  inline Total NAME(const TILE TYPE *p, int step, __constant const int *w) {           \
    Total s = (uint)w[0] * TOTAL(p[0]);                                                \
    _Pragma("unroll") for (int j = 1; j <= RADIUS; j++) s +=                           \
        (uint)w[j] * (TOTAL(p[-j * step]) + TOTAL(p[j * step]));                       \
    return s;                                                                          \
  }
#define BOX(NAME, RADIUS, TYPE)                                                        \
  inline Total NAME(const TILE TYPE *p, int step) {                                    \
    Total s = TOTAL(p[0]);                                                             \
    _Pragma("unroll") for (int j = 1; j <= RADIUS; j++) s +=                           \
        TOTAL(p[-j * step]) + TOTAL(p[j * step]);                                      \
    return s;                                                                          \
  }
// All weights together are 2^24, so that the sum needs all 32 bits.
#define GAUSSIAN_STORED(s) TO_VALUE(((s) + (1u << 23)) >> 24)
#define BOX_STORED(s, count) TO_VALUE((2 * (s) + count) / (2 * count))

// Any weights k, row by row; then the offset and the shift.
#define WEIGHTS(NAME, RADIUS)                                                          \
  inline Value NAME(const TILE Value *p, int pitch, __constant const int *k) {         \
    const int side = 2 * RADIUS + 1, shift = k[side * side + 1];                       \
    Sum s = (Sum)(k[side * side] + (1 << (shift - 1)));                                \
    for (int j = 0; j < side; j++)                                                     \
      for (int i = 0; i < side; i++)                                                   \
        s += k[j * side + i] * SUM(p[(j - RADIUS) * pitch + i - RADIUS]);              \
    return STORED(s >> shift);                                                         \
  }
// The same in two passes; the sums of the first, which may be negative, are kept as Total's bits.
#define WEIGHTS_ACROSS(NAME, RADIUS)                                                   \
  inline Total NAME(const TILE Value *p, int step, __constant const int *w) {          \
    Sum s = (Sum)(1 << 11);                                                            \
    _Pragma("unroll") for (int j = -RADIUS; j <= RADIUS; j++) s +=                     \
        w[j + RADIUS] * SUM(p[j * step]);                                              \
    return AS_TOTAL(s >> 12);                                                          \
  }
#define WEIGHTS_DOWN(NAME, RADIUS)                                                     \
  inline Value NAME(const TILE Total *p, int step, __constant const int *w) {          \
    const int side = 2 * RADIUS + 1, shift = w[side + 1];                              \
    Sum s = (Sum)(w[side] + (1 << (shift - 1)));                                       \
    _Pragma("unroll") for (int j = -RADIUS; j <= RADIUS; j++) s +=                     \
        w[j + RADIUS] * SIGNED(p[j * step]);                                           \
    return STORED(s >> shift);                                                         \
  }

// s row by row, then t for each difference; all sums fit 32 bits, also twice.
#define BILATERAL(NAME, RADIUS)                                                        \
  inline Value NAME(const TILE Value *p, int pitch, __constant const int *s) {         \
    const int side = 2 * RADIUS + 1;                                                   \
    __constant const int *t = s + side * side;                                         \
    const Value middle = p[0];                                                         \
    Total sum = (Total)(0), all = (Total)(0);                                          \
    for (int j = 0; j < side; j++)                                                     \
      for (int i = 0; i < side; i++) {                                                 \
        const Value v = p[(j - RADIUS) * pitch + i - RADIUS];                          \
        const Total w = ((uint)s[j * side + i] * RANGE(t, abs_diff(v, middle))) >> 10; \
        sum += w * TOTAL(v);                                                           \
        all += w;                                                                      \
      }                                                                                \
    return TO_VALUE((2 * sum + all) / (2 * all));                                      \
  }
