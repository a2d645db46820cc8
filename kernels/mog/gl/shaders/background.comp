// SPDX-License-Identifier: LGPL-2.1-or-later
// The mean of each pixel's heaviest component as a picture. Uses the state as job.glsl has it.

layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  int first_row, rows;
};
layout(std430, binding = 0) readonly buffer State { uint state[]; };
layout(std430, binding = 1) buffer Out0 { uint out0[]; };
layout(std430, binding = 2) buffer Out1 { uint out1[]; };
layout(std430, binding = 3) buffer Out2 { uint out2[]; };

uint pixel;
#define WORD_OF(plane) state[uint(plane) * uint(rows * width) + pixel]

// The component's weight, below 0 where it is not in use.
float weight_of(int k) {
#if defined(MOG) && defined(COMPACT)
  uint w = WORD_OF(k) >> 22u;
  return w > 0u ? float(w) : -1.0;
#elif defined(MOG)
  float w = uintBitsToFloat(WORD_OF(k));
  return w > 0.0 ? w : -1.0;
#elif defined(COMPACT)
  uint in_use = WORD_OF(K >> 1) >> uint(16 * (K & 1)) & 0xffffu;
  return k < int(in_use) ? float(WORD_OF(k >> 1) >> uint(16 * (k & 1)) & 0xffffu) : -1.0;
#else
  return k < int(WORD_OF(K)) ? uintBitsToFloat(WORD_OF(k)) : -1.0;
#endif
}
vec3 mean_of(int k) {
#if defined(MOG) && defined(COMPACT)
  return vec3(uintBitsToFloat(0x44000000u | (WORD_OF(k) & 0x003ff800u)) - 512.0, 0.0, 0.0);
#elif defined(MOG)
  return vec3(uintBitsToFloat(WORD_OF(K + k)), 0.0, 0.0);
#elif defined(COMPACT) && CHANNELS == 1
  return vec3(float(WORD_OF(K / 2 + 1 + k) & 0xffffu) / 256.0, 0.0, 0.0);
#elif defined(COMPACT)
  uint a = WORD_OF(K / 2 + 1 + 2 * k), b = WORD_OF(K / 2 + 2 + 2 * k);
  return vec3(float(a & 0xffffu), float(a >> 16u), float(b & 0xffffu)) / 256.0;
#else
  int plane = K + 1 + (CHANNELS + 1) * k;
  vec3 m = vec3(0.0);
  for (int c = 0; c < CHANNELS; c++) m[c] = uintBitsToFloat(WORD_OF(plane + c));
  return m;
#endif
}

void main() {
  int x = int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y), y = row + first_row;
  if (x >= width || row >= rows) return;
  pixel = uint(row * width + x);
  bool yuv = format == NV12 || format == I420;
  float best = -1.0;
  vec3 mean = yuv ? vec3(0.0, 128.0, 128.0) : vec3(0.0);
  for (int k = 0; k < K; k++) {
    float w = weight_of(k);
    if (!(w > best)) continue;
    best = w;
    vec3 m = mean_of(k);
#if CHANNELS == 3
    mean = m;
#else
    mean.x = m.x;
    if (!yuv) mean.yz = vec2(m.x);
#endif
  }
  uvec3 v = uvec3(clamp(floor(mean + 0.5), 0.0, 255.0));
  if (format == RGBA || format == BGRA) {
    uint at = AT(offset0, stride0, 4 * x, y), word = v.x | v.y << 8u | v.z << 16u | 255u << 24u;
    if ((at & 3u) == 0u)
      out0[at >> 2u] = word;
    else
      for (uint i = 0u; i < 4u; i++) PUT_BYTE(out0, at + i, word >> (8u * i) & 255u);
    return;
  }
  PUT_BYTE(out0, AT(offset0, stride0, x, y), v.x);
  if ((x & 1) != 0 || (y & 1) != 0) return; // chroma is that of the top left pixel of its 2x2
  if (format == NV12) {
    PUT_BYTE(out1, AT(offset1, stride1, x, y / 2), v.y);
    PUT_BYTE(out1, AT(offset1, stride1, x + 1, y / 2), v.z);
  } else if (format == I420) {
    PUT_BYTE(out1, AT(offset1, stride1, x / 2, y / 2), v.y);
    PUT_BYTE(out2, AT(offset2, stride2, x / 2, y / 2), v.z);
  }
}
