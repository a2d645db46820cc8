// SPDX-License-Identifier: LGPL-2.1-or-later
// A group of 64 threads has one cell (cell_grid.h); a thread has one of its rows.
layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Job {
  int width, height, cell_size, columns, first;
  uint mask_offset;
  int mask_stride;
  uint cells_offset;
};
layout(std430, binding = 0) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 1) buffer Cells { uint cells[]; };

shared uint count;
shared int left, top, right, bottom;

void main() {
  int cell = int(gl_WorkGroupID.x) + first, j = int(gl_LocalInvocationID.x);
  if (j == 0) {
    count = 0u;
    left = 64;
    top = 64;
    right = -1;
    bottom = -1;
  }
  barrier();
  int x0 = cell % columns * cell_size, y = cell / columns * cell_size + j;
  if (j < cell_size && y < height) {
    uint n = 0u;
    int from = 64, to = -1;
    uint at = AT(mask_offset, mask_stride, x0, y);
    for (int i = 0; i < min(cell_size, width - x0); i++)
      if (BYTE(mask, at + uint(i)) == 255u) {
        n++;
        from = min(from, i);
        to = i;
      }
    if (n > 0u) {
      atomicAdd(count, n);
      atomicMin(left, from);
      atomicMax(right, to);
      atomicMin(top, j);
      atomicMax(bottom, j);
    }
  }
  barrier();
  if (j != 0) return;
  uint to = (cells_offset >> 2u) + 2u * uint(cell);
  cells[to] = count;
  cells[to + 1u] = count == 0u ? 0u : uint(left) | uint(top) << 8u | uint(right) << 16u | uint(bottom) << 24u;
}
