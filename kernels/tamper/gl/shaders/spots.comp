// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread has one cell of the sketch (spots.h).
layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  int cell_size, columns, cells, step_size, reach;
  uint spots_offset;
};
layout(std430, binding = 0) readonly buffer Frame0 { uint frame0[]; };
layout(std430, binding = 1) buffer Spots { uint spots[]; };

int luma_at(int x, int y) {
  x = clamp(x, 0, width - 1);
  y = clamp(y, 0, height - 1);
  return int(LUMA(frame0, format, offset0, stride0, x, y));
}

void main() {
  int cell = int(gl_GlobalInvocationID.x);
  if (cell >= cells) return;
  int left = cell % columns * cell_size, top = cell / columns * cell_size;
  int sum = 0;
  for (int y = top; y < top + cell_size; y += step_size)
    for (int x = left; x < left + cell_size; x += step_size) sum += luma_at(x, y);
  int x = left + cell_size / 2, y = top + cell_size / 2;
  int across = luma_at(x + reach, y) - luma_at(x - reach, y);
  int down = luma_at(x, y + reach) - luma_at(x, y - reach);
  uint to = (spots_offset >> 2u) + 2u * uint(cell);
  spots[to] = uint(sum);
  spots[to + 1u] = (uint(across) & 0xffffu) | uint(down) << 16u;
}
