// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 2: segments that touch become one component. The lower root wins, so that the last one is the first pixel.
void unite(uint a, uint b) {
  for (;;) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    uint low = min(a, b), high = max(a, b), before = atomicMin(parents[high], low);
    if (before == high) return;
    a = before; // another thread was faster: what it united `high` with must be united as well
    b = low;
  }
}

void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height || !starts(x, y)) return;
  uint own = number_of(x, y);
  if ((x & 63) == 0 && x > 0 && full(x - 1, y)) unite(own, number_of(start_of(x - 1, y), y));
  if (y == 0) return;
  int last = min(end_of(x, y) + eight, width);
  for (int i = max(x - eight, 0); i < last;) {
    if (!full(i, y - 1)) {
      i++;
      continue;
    }
    unite(own, number_of(start_of(i, y - 1), y - 1));
    i = end_of(i, y - 1);
  }
}
