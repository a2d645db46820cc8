// SPDX-License-Identifier: LGPL-2.1-or-later
// One pixel a work-item, neighbours read from global memory: for every radius and every device.
kernel void bilateral_direct(ARGUMENTS) {
  local float weights[16];
#if QUANTIZED
  if (get_local_id(0) == 0 && get_local_id(1) == 0) vstore16(table, 0, weights);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  in += in_at;
  guide += guide_at;
  const value_t v0 = read_value(in + (long)y * in_stride, x, step);
#if GUIDE
  const guide_t g0 = scaled(read_value(guide + (long)y * guide_stride, x, step), k);
#else
  const guide_t g0 = scaled(v0, k);
#endif
  value_t sum = 0;
  guide_t total = 0;
  for (int dy = -RADIUS; dy <= RADIUS; dy++) {
    const int yy = clamp(y + dy, 0, height - 1);
    global const uchar *row = in + (long)yy * in_stride;
    global const uchar *guide_row = guide + (long)yy * guide_stride;
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      const int xx = clamp(x + dx, 0, width - 1);
      const value_t v = read_value(row, xx, step);
#if GUIDE
      const guide_t d = scaled(read_value(guide_row, xx, step), k) - g0;
#else
      const guide_t d = scaled(v, k) - g0;
#endif
      const guide_t w = weight_of(d, SPATIAL(dx, dy), bins, weights);
      sum += w * (v - v0); // small numbers: less is lost to rounding
      total += w;
    }
  }
  write_value(out + out_at + (long)y * out_stride, x, step, v0 + DIVIDE(sum, total), in + (long)y * in_stride);
}
