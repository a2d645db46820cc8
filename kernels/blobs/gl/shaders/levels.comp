// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 4: how many components there are, and how many would be left after so many doublings of min_area.
layout(std430, binding = 2) readonly buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Counters { uint counters[]; };

void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height || !starts(x, y)) return;
  uint own = number_of(x, y);
  if (parents[own] != own) return;
  atomicAdd(counters[COMPONENTS], 1u);
  int level = level_of(values[own]);
  if (level >= 0) atomicAdd(counters[LEVELS + level], 1u);
}
