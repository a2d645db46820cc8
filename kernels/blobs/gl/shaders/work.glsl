// SPDX-License-Identifier: LGPL-2.1-or-later
// What the steps share. A segment is a run of pixels of F in a row that ends at the latest where the column is a
// multiple of 64. Only the first pixel of a segment has a parent; a component's root is its first pixel.
// A thread has four pixels of a row: most have no segment, and end after one read.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2; // of the picture
  int stride0, stride1, stride2;
  int has_picture;
  uint mask_offset;
  int mask_stride;
  uint min_area, most;
  int eight;
  uint map_offset;
  int map_size, map_columns, map_cells, has_map;
  uint map_copy_offset;
  int has_map_copy;
  uint labels_offset;
  int labels_stride;
  uint results_offset;
};

// Counters: words of the buffer of that name.
#define FOREGROUND 0
#define BETWEEN 1
#define COMPONENTS 2
#define BLOBS 3
#define LEVELS 4 // 32 of them: components by how often min_area may be doubled

// Words of a slot, which becomes a Blob.
#define SLOT 22u

#ifdef USES_MASK
layout(std430, binding = 0) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 1) coherent buffer Parents { uint parents[]; };

bool full(int x, int y) { return BYTE(mask, AT(mask_offset, mask_stride, x, y)) == 255u; }
// The four pixels from (x, y) on, a byte each; those outside of the picture are 0.
uint four_at(int x, int y) {
  uint at = AT(mask_offset, mask_stride, x, y);
  if (x + 4 <= width) return WORD(mask, at);
  uint v = 0u;
  for (int i = 0; x + i < width; i++) v |= BYTE(mask, at + uint(i)) << uint(8 * i);
  return v;
}
// Which of four pixels from column x on begin a segment, a bit each; x is a multiple of 4.
uint starts_of(uint four, int x, int y) {
  uint filled = full_bytes(four);
  uint before = filled << 1u;
  if ((filled & 1u) != 0u && (x & 63) != 0 && full(x - 1, y)) before |= 1u;
  return filled & ~before;
}
// For each segment that begins in the thread's four pixels: x is its first column. Needs gl_GlobalInvocationID.
#define EACH_SEGMENT(x, y)                                                                                   \
  int first_of_four = 4 * int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);                    \
  uint starting = first_of_four < width && y < height                                                        \
                      ? starts_of(four_at(first_of_four, y), first_of_four, y)                               \
                      : 0u;                                                                                  \
  for (int x; starting != 0u && (x = first_of_four + findLSB(starting)) >= 0; starting &= starting - 1u)
int start_of(int x, int y) { // of the segment of a pixel of F
  while ((x & 63) != 0 && full(x - 1, y)) x--;
  return x;
}
int end_of(int x, int y) { // the column behind it
  x++;
  while ((x & 63) != 0 && x < width && full(x, y)) x++;
  return x;
}
uint number_of(int x, int y) { return uint(y * width + x); }
uint root_of(uint a) {
  uint p = parents[a];
  while (p != a) {
    a = p;
    p = parents[a];
  }
  return a;
}
#endif

// How often min_area may be doubled and still be met; -1: it is not met.
int level_of(uint area) { return area < min_area ? -1 : findMSB(area / min_area); }
