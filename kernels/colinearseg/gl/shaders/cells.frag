// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the foreground of a grid's cells, two cells a texel: count, and left | top << 8 | right << 16 | bottom << 24, as
// activity::Cell lies in memory.
uniform usampler2D mask;
uniform ivec2 size;     // of the mask, in words and rows
uniform int cell_size;  // 8, 16, 32 or 64
layout(location = 0) out uvec4 cells;

uint ones_in(uint v) {
  v -= v >> 1 & 0x55555555u;
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
// The number of the lowest and of the highest bit of v, which is not 0: a float's exponent tells it of a power of two.
uint lowest(uint v) {
  return (floatBitsToUint(float(v & (~v + 1u))) >> 23) - 127u;
}
uint highest(uint v) {
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
  v |= v >> 8;
  v |= v >> 16;
  return ones_in(v) - 1u;
}

uvec2 cell_at(ivec2 cell) {
  int left = cell.x * cell_size, top = cell.y * cell_size;
  int first_word = left >> 5, words = max(cell_size >> 5, 1);
  uint count = 0u;
  uvec2 columns = uvec2(0u); // those with foreground, of up to 64
  int first_row = -1, last_row = 0;
  for (int y = 0; y < cell_size && top + y < size.y; y++) {
    uvec2 row = uvec2(0u);
    for (int w = 0; w < words && first_word + w < size.x; w++)
      row[w] = texelFetch(mask, ivec2(first_word + w, top + y), 0).r;
    if (cell_size < 32) row.x = row.x >> (left & 31) & ((1u << cell_size) - 1u);
    if ((row.x | row.y) == 0u) continue;
    count += ones_in(row.x) + ones_in(row.y);
    columns |= row;
    if (first_row < 0) first_row = y;
    last_row = y;
  }
  if (count == 0u) return uvec2(0u);
  uint low = columns.x != 0u ? lowest(columns.x) : 32u + lowest(columns.y);
  uint high = columns.y != 0u ? 32u + highest(columns.y) : highest(columns.x);
  return uvec2(count, low | uint(first_row) << 8 | high << 16 | uint(last_row) << 24);
}

void main() {
  ivec2 pair = ivec2(gl_FragCoord.xy);
  cells = uvec4(cell_at(ivec2(2 * pair.x, pair.y)), cell_at(ivec2(2 * pair.x + 1, pair.y)));
}
