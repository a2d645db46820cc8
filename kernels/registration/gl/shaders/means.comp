// SPDX-License-Identifier: LGPL-2.1-or-later
// The means of one level of a pyramid (coarse.h). A frame's is made only where the search near by has failed.
layout(local_size_x = 128) in;

void main() {
  int columns = columns_of(level), i = int(gl_GlobalInvocationID.x);
  if (i >= columns * rows_of(level) || (of_frame == 1 && state[LOST] == 0)) return;
  int to = means_of(of_frame, level) + i;
  if (level > 0) {
    int below = columns_of(level - 1);
    int p = means_of(of_frame, level - 1) + 2 * (i / columns) * below + 2 * (i % columns);
    state[to] = (state[p] + state[p + 1] + state[p + below] + state[p + below + 1] + 2) / 4;
    return;
  }
  int left = i % columns * cell, top = i / columns * cell, sum = 0, n = 0;
  for (int y = top; y < top + cell; y += cell_step)
    for (int x = left; x < left + cell; x += cell_step) {
      sum += luma_at(x, y);
      n++;
    }
  state[to] = (LEVEL_UNITS * sum + n / 2) / n;
}
