// SPDX-License-Identifier: LGPL-2.1-or-later
// How pixels are read and written, and what a weight is: shared by all kernels of the filter. Set by the host:
//   MODE         1: one channel; 2: four bytes a pixel, one weight; 3: four bytes a pixel, a weight for each of three
//   RADIUS       of the window
//   SAMPLE       uchar, or ushort with WIDE; SHIFT: bits below the value in it
//   ALIGNED      pixels of four bytes are at addresses that are multiples of 4
//   GUIDE        weights come from a second picture
//   QUANTIZED    range weights come from a table of 11
//   NATIVE       native_exp2 and native_divide are used
//   K_SPATIAL    the spatial constant, when it is known at build time
// Weights are powers of two: exp(-d^2/(2 sigma^2)) = exp2(-(k d)^2), so values that weights are made from are scaled by
// k = sqrt(log2(e)/2)/sigma when they are read, and the exponent of a neighbour is one fused multiply-add.

#define ONE 1
#define INTENSITY 2
#define CHANNELS 3

#if NATIVE && defined(__NV_CL_C_VERSION)
// NVIDIA's native_exp2 spends three more instructions on results below 2^-126, which are as good as 0 here.
inline float exp2_flushed(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#define EXP2 exp2_flushed
#elif NATIVE
#define EXP2 native_exp2
#else
#define EXP2 exp2
#endif
#if NATIVE
#define DIVIDE native_divide
#else
#define DIVIDE(a, b) ((a) / (b))
#endif

#ifdef K_SPATIAL
#define SPATIAL(dx, dy) (K_SPATIAL * (float)((dx) * (dx) + (dy) * (dy)))
#else
#define SPATIAL(dx, dy) (k_spatial * (float)((dx) * (dx) + (dy) * (dy)))
#endif

// v: what is averaged; g: what the weight comes from; w: weights; all of one pixel.
#if MODE == ONE
typedef float value_t;
typedef float guide_t;
#elif MODE == INTENSITY
typedef float3 value_t;
typedef float guide_t;
#else
typedef float3 value_t;
typedef float3 guide_t;
#endif

// Every kernel's arguments: three planes (buffer, first byte, bytes a row), their size, samples from pixel to pixel, and
// the constants: `k` scales to what weights are made from, `bins` makes an index of the table of a difference.
#define ARGUMENTS                                                                                                     \
  global const uchar *in, int in_at, int in_stride, global const uchar *guide, int guide_at, int guide_stride,        \
      global uchar *out, int out_at, int out_stride, int width, int height, int step, float k_spatial, float4 k,      \
      float2 bins, float16 table

inline value_t read_value(global const uchar *row, int x, int step) {
#if MODE == ONE
  return (float)(((global const SAMPLE *)row)[x * step] >> SHIFT);
#elif ALIGNED
  return convert_float4(((global const uchar4 *)row)[x]).xyz;
#else
  return convert_float4(vload4(x, row)).xyz;
#endif
}

inline guide_t scaled(value_t v, float4 k) {
#if MODE == INTENSITY
  return k.x * v.x + k.y * v.y + k.z * v.z;
#else
  return k.x * v;
#endif
}

inline void write_value(global uchar *row, int x, int step, value_t v, global const uchar *in_row) {
#if MODE == ONE
  ((global SAMPLE *)row)[x * step] = (SAMPLE)((int)(v + 0.5f) << SHIFT);
#elif ALIGNED
  ((global uchar4 *)row)[x] = (uchar4)(convert_uchar3_sat(v + 0.5f), in_row[4 * x + 3]);
#else
  vstore4((uchar4)(convert_uchar3_sat(v + 0.5f), in_row[4 * x + 3]), x, row);
#endif
}

// The weight of a neighbour whose guide differs by d, times exp2(spatial).
inline guide_t weight_of(guide_t d, float spatial, float2 bins, local const float *table) {
#if QUANTIZED
#if MODE == CHANNELS
  const int3 bin = convert_int3(fma(fabs(d), (float3)(bins.x), (float3)(bins.y)));
  return EXP2(spatial) * (float3)(table[bin.x], table[bin.y], table[bin.z]);
#else
  return EXP2(spatial) * table[(int)fma(fabs(d), bins.x, bins.y)];
#endif
#else
  const guide_t e = fma(-d, d, (guide_t)(spatial));
#if MODE == CHANNELS
  return (float3)(EXP2(e.x), EXP2(e.y), EXP2(e.z));
#else
  return EXP2(e);
#endif
#endif
}

// For processors: 2^x of a vector for x <= 0, to 3e-6 of itself (2e-7 for 16-bit samples); below -126 as at -126. As a
// polynomial, since built-in functions of vectors are calls there. Adding 1.5 * 2^23 leaves the nearest whole number in the
// lowest bits.
#if WIDE
#define POLYNOMIAL(f, T)                                                                                              \
  fma(fma(fma(fma((T)(1.3333558e-3f), f, (T)(9.6181291e-3f)), f, (T)(5.5504109e-2f)), f, (T)(2.4022651e-1f)), f,     \
      (T)(6.9314718e-1f))
#else
#define POLYNOMIAL(f, T)                                                                                              \
  fma(fma(fma((T)(9.5828511e-3f), f, (T)(5.5906426e-2f)), f, (T)(2.4024099e-1f)), f, (T)(6.9312418e-1f))
#endif
#define DEFINE_POWER_OF_TWO(N)                                                                                        \
  inline float##N power_of_two##N(float##N x) {                                                                       \
    x = max(x, (float##N)(-126.f));                                                                                   \
    const float##N t = x + 12582912.f;                                                                                \
    const float##N f = x - (t - 12582912.f);                                                                          \
    const float##N p = fma(POLYNOMIAL(f, float##N), f, (float##N)(1.f));                                              \
    return as_float##N(as_int##N(p) + (as_int##N(t) << 23));                                                          \
  }
