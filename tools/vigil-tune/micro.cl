// SPDX-License-Identifier: LGPL-2.1-or-later
// What the microbenchmarks run. TYPE: what a work-item loads and stores at once. FUNCTION: what it computes.

__kernel void nothing(__global uint *out) {
  if (get_global_id(0) == 0xffffffff) out[0] = 0;
}

#ifdef TYPE
__kernel void copy(__global const TYPE *restrict in, __global TYPE *restrict out, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) out[i] = in[i];
}
#endif

#ifdef FUNCTION
// 4 independent chains of 64 calls.
__kernel void compute(__global float *out, float start) {
  float4 x = start + 0.001f * (float)get_global_id(0) + (float4)(0.f, 0.1f, 0.2f, 0.3f);
  for (int i = 0; i < 64; i++) x = FUNCTION(x);
  out[get_global_id(0)] = x.x + x.y + x.z + x.w;
}
#endif
