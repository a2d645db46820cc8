// SPDX-License-Identifier: LGPL-2.1-or-later
// What generated passes are made of; filter.h has the formulas. Defined before: ROWS (0 or 1) and COLOUR (0 or 1), see
// plan.h; DEEP (0 or 1): 16 bits a sample; and WIDE: rows of colour begin at multiples of a pixel's bytes.

// A sample, and how pictures are read and written in them.
#if DEEP
typedef ushort Level;
#define FULL 65535
#define BYTES (COLOUR ? 8 : 2)
#else
typedef uchar Level;
#define FULL 255
#define BYTES (COLOUR ? 4 : 1)
#endif
#define LEVELS(p) ((__global const Level *)(p))
#define RESULTS(p) ((__global Level *)(p))

// A value of a tile and the sums made of it: a channel, or all channels of a pixel. Sum and Big hold every sum of a
// stencil; Total, which always has 32 bits, half of a separable one.
#if COLOUR && !ROWS
#if DEEP
typedef ushort4 Value;
typedef long4 Sum;
typedef ulong4 Big;
#define TO_VALUE(v) convert_ushort4(v)
#define SUM(v) convert_long4(v)
#define BIG(v) convert_ulong4(v)
#define SIGNED(v) as_long4(v)
#define SUM_OF(t) convert_long4(as_int4(t))
#define AS_TOTAL(v) as_uint4(convert_int4(v))
#define STORED(v) convert_ushort4_sat(v)
#else
typedef uchar4 Value;
typedef int4 Sum;
typedef uint4 Big;
#define TO_VALUE(v) convert_uchar4(v)
#define SUM(v) convert_int4(v)
#define BIG(v) convert_uint4(v)
#define SIGNED(v) as_int4(v)
#define SUM_OF(t) as_int4(t)
#define AS_TOTAL(v) as_uint4(v)
#define STORED(v) convert_uchar4_sat(v)
#endif
typedef uint4 Total;
#define TOTAL(v) convert_uint4(v)
#define RANGE(t, d) (uint4)((t)[(d).x], (t)[(d).y], (t)[(d).z], (t)[(d).w])
#define ROOT(v) convert_int4_rtz(sqrt(convert_float4(v)) + 0.5f)
#define CHOOSE(condition, a, b) select(b, a, condition)
#else
#if DEEP
typedef long Sum;
typedef ulong Big;
#else
typedef int Sum;
typedef uint Big;
#endif
typedef Level Value;
typedef uint Total;
#define TO_VALUE(v) ((Level)(v))
#define SUM(v) ((Sum)(v))
#define BIG(v) ((Big)(v))
#define SIGNED(v) ((Sum)(v))
#define SUM_OF(t) ((Sum)(int)(t))
#define AS_TOTAL(v) ((uint)(v))
#define STORED(v) ((Level)clamp(v, (Sum)0, (Sum)FULL))
#define TOTAL(v) ((uint)(v))
#define RANGE(t, d) ((uint)(t)[d])
#define ROOT(v) ((int)(sqrt((float)(v)) + 0.5f))
#define CHOOSE(condition, a, b) ((condition) ? (a) : (b))
#endif

#if DEEP
#define OFFSET(n, bits) ((Sum)(n) << ((bits)-8)) // they come in 1/256 of a level
#define RANGE_SHIFT 6
#else
#define OFFSET(n, bits) ((Sum)(n))
#define RANGE_SHIFT 0
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
#if DEEP
  const long sum = (long)m[0] * r + (long)m[1] * g + (long)m[2] * b + ((long)offset << 8);
  return (int)clamp((sum + 32768) >> 16, 0L, (long)FULL);
#else
  return clamp((m[0] * r + m[1] * g + m[2] * b + offset + 32768) >> 16, 0, FULL);
#endif
}

// k: 9 weights and an offset
inline Sum weighted(const TILE Value *p, int pitch, __constant const int *k) {
  return k[0] * SUM(p[-pitch - 1]) + k[1] * SUM(p[-pitch]) + k[2] * SUM(p[-pitch + 1]) + k[3] * SUM(p[-1]) +
         k[4] * SUM(p[0]) + k[5] * SUM(p[1]) + k[6] * SUM(p[pitch - 1]) + k[7] * SUM(p[pitch]) +
         k[8] * SUM(p[pitch + 1]) + OFFSET(k[9], 12);
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
  Sum m = SUM(ROOT(square));
  m = CHOOSE(m * (m - 1) >= square && m > 0, m - 1, m);
  m = CHOOSE(m * (m + 1) < square, m + 1, m);
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
#define CONVERT_Total(v) TOTAL(v)
#define CONVERT_Big(v) BIG(v)
#define GAUSSIAN(NAME, RADIUS, TYPE, RESULT)                                           \
  inline RESULT NAME(const TILE TYPE *p, int step, __constant const int *w) {          \
    RESULT s = (uint)w[0] * CONVERT_##RESULT(p[0]);                                    \
    _Pragma("unroll") for (int j = 1; j <= RADIUS; j++) s +=                           \
        (uint)w[j] * (CONVERT_##RESULT(p[-j * step]) + CONVERT_##RESULT(p[j * step])); \
    return s;                                                                          \
  }
#define BOX(NAME, RADIUS, TYPE, RESULT)                                                \
  inline RESULT NAME(const TILE TYPE *p, int step) {                                    \
    Total s = TOTAL(p[0]);                                                             \
    _Pragma("unroll") for (int j = 1; j <= RADIUS; j++) s +=                           \
        TOTAL(p[-j * step]) + TOTAL(p[j * step]);                                      \
    return s;                                                                          \
  }
// All weights together are 2^24, so that a sum of 8 bits needs 32 and one of 16 bits 40.
#define GAUSSIAN_STORED(s) TO_VALUE(((s) + (uint)(1 << 23)) >> 24)
#define BOX_STORED(s, count) TO_VALUE((2 * (s) + count) / (2 * count))

// Any weights k, row by row; then the offset and the shift.
#define WEIGHTS(NAME, RADIUS)                                                          \
  inline Value NAME(const TILE Value *p, int pitch, __constant const int *k) {         \
    const int side = 2 * RADIUS + 1, shift = k[side * side + 1];                       \
    Sum s = OFFSET(k[side * side], shift) + (Sum)(1 << (shift - 1));                   \
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
    Sum s = OFFSET(w[side], shift) + (Sum)(1 << (shift - 1));                          \
    _Pragma("unroll") for (int j = -RADIUS; j <= RADIUS; j++) s +=                     \
        w[j + RADIUS] * SUM_OF(p[j * step]);                                           \
    return STORED(s >> shift);                                                         \
  }

// s row by row, then t for each difference; with 8 bits all sums fit 32 bits, also twice.
#define BILATERAL(NAME, RADIUS)                                                        \
  inline Value NAME(const TILE Value *p, int pitch, __constant const int *s) {         \
    const int side = 2 * RADIUS + 1;                                                   \
    __constant const int *t = s + side * side;                                         \
    const Value middle = p[0];                                                         \
    Big sum = (Big)(0), all = (Big)(0);                                                \
    for (int j = 0; j < side; j++)                                                     \
      for (int i = 0; i < side; i++) {                                                 \
        const Value v = p[(j - RADIUS) * pitch + i - RADIUS];                          \
        const Value d = abs_diff(v, middle) >> RANGE_SHIFT;                            \
        const Total w = ((uint)s[j * side + i] * RANGE(t, d)) >> 10;                   \
        sum += BIG(w) * BIG(v);                                                        \
        all += BIG(w);                                                                 \
      }                                                                                \
    return TO_VALUE((2 * sum + all) / (2 * all));                                      \
  }
