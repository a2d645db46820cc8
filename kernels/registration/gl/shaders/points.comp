// SPDX-License-Identifier: LGPL-2.1-or-later
// The points of the background: a group of threads has one direction of one tile.
layout(local_size_x = 64) in;
shared uint best; // size and number of the best candidate, the first of equals

int difference_at(int x, int y, bool down) {
  return down ? luma_at(x, y + reach) - luma_at(x, y - reach) : luma_at(x + reach, y) - luma_at(x - reach, y);
}
ivec2 place_of(int tile, int i) {
  return ivec2(tile % tile_columns * tile_width + i % across * step_size,
               tile / tile_columns * tile_height + i / across * step_size);
}

void main() {
  int slot = int(gl_WorkGroupID.x), tile = slot >> 1, lane = int(gl_LocalInvocationID.x);
  bool down = (slot & 1) == 1;
  if (lane == 0) best = 0u;
  barrier();
  for (int i = lane; i < candidates; i += 64) {
    ivec2 p = place_of(tile, i);
    atomicMax(best, uint(abs(difference_at(p.x, p.y, down))) << 16u | uint(0xffff - i));
  }
  barrier();
  if (lane != 0) return;
  bool is_one = int(best >> 16u) >= LEAST_EDGE;
  ivec2 p = place_of(tile, 0xffff - int(best & 0xffffu));
  int at = POINTS + 4 * slot;
  state[at] = p.x;
  state[at + 1] = p.y;
  state[at + 2] = down ? 1 : 0;
  state[at + 3] = is_one ? difference_at(p.x, p.y, down) : 0;
  if (is_one) atomicAdd(state[COUNT], 1);
}
