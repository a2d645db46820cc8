// SPDX-License-Identifier: LGPL-2.1-or-later
// The slopes of one level of a pyramid: across in the lower 16 bits, down in the upper ones.
layout(local_size_x = 128) in;

void main() {
  int columns = columns_of(level), rows = rows_of(level), i = int(gl_GlobalInvocationID.x);
  if (i >= columns * rows || (of_frame == 1 && state[LOST] == 0)) return;
  int x = i % columns, y = i / columns, m = means_of(of_frame, level) + i, slope = 0;
  if (x > 0 && y > 0 && x + 1 < columns && y + 1 < rows)
    slope = ((state[m + 1] - state[m - 1]) & 0xffff) | (state[m + columns] - state[m - columns]) << 16;
  state[slopes_of(of_frame, level) + i] = slope;
}
