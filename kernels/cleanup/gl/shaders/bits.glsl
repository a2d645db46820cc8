// SPDX-License-Identifier: LGPL-2.1-or-later
// The set F (cleanup.h) as one bit a pixel, 32 pixels of a row a word; bits outside of the picture are 0. A
// thread has one word.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int width, height, words;
  int radius, erode; // of a step
  uint mask_offset;
  int mask_stride;
  uint watch_offset;
  int watch_stride, has_watch;
  int cell_size, grid_columns;
  uint allowed_offset, seen_offset, kept_offset;
};

// The pixels of word `i` of a row that are in the picture.
uint inside_bits(int i) {
  int left = width - 32 * i;
  return i < 0 || left <= 0 ? 0u : left >= 32 ? 0xffffffffu : (1u << uint(left)) - 1u;
}
