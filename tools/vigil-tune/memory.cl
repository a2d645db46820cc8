// SPDX-License-Identifier: LGPL-2.1-or-later
// Orders of reading and writing global memory.

#ifdef TILE
// A work-group a tile.
__kernel void by_work_items(__global const float4 *restrict in, __global float4 *restrict out) {
  __local float4 tile[TILE];
  const size_t first = get_group_id(0) * TILE;
  for (size_t i = get_local_id(0); i < TILE; i += get_local_size(0)) tile[i] = in[first + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_local_id(0); i < TILE; i += get_local_size(0)) out[first + i] = tile[TILE - 1 - i];
}
__kernel void by_async_copy(__global const float4 *restrict in, __global float4 *restrict out) {
  __local float4 tile[TILE];
  const size_t first = get_group_id(0) * TILE;
  event_t copied = async_work_group_copy(tile, in + first, TILE, 0);
  wait_group_events(1, &copied);
  for (size_t i = get_local_id(0); i < TILE; i += get_local_size(0)) out[first + i] = tile[TILE - 1 - i];
}
#endif

#ifdef READS
__kernel void far_apart(__global const float4 *restrict in, __global float4 *restrict out, uint apart) {
  const uint at = get_global_id(0);
  float4 sum = 0;
  for (uint k = 0; k < READS; k++) {
#if AHEAD
    if (k + AHEAD < READS) prefetch(in + at + (k + AHEAD) * apart, 1);
#endif
    sum += in[at + k * apart];
  }
  out[at] = sum;
}
#endif

#ifdef PLACE
__kernel void read_there(__global const float *restrict in, __global float *restrict out) {
  const uint i = get_global_id(0);
  out[i] = in[PLACE(i)];
}
__kernel void write_there(__global const float *restrict in, __global float *restrict out) {
  const uint i = get_global_id(0);
  out[PLACE(i)] = in[i];
}
#endif
