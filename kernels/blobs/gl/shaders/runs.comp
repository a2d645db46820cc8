// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 1: each segment is a component of its own.
layout(std430, binding = 2) writeonly buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Counters { uint counters[]; };

shared uint between;

void main() {
  if (gl_LocalInvocationIndex == 0u) between = 0u;
  barrier();
  int x0 = 4 * int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
  uint four = x0 < width && row < height ? four_at(x0, row) : 0u;
  for (int i = 0; four != 0u && i < 4; i++) {
    uint v = four >> uint(8 * i) & 255u;
    if (v != 0u && v != 255u) atomicAdd(between, 1u);
  }
  EACH_SEGMENT(x, y) {
    parents[number_of(x, y)] = number_of(x, y);
    values[number_of(x, y)] = 0u;
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u && between > 0u) atomicAdd(counters[BETWEEN], between);
}
