// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 1: each segment is a component of its own.
layout(std430, binding = 2) writeonly buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Counters { uint counters[]; };

shared uint between;

void main() {
  if (gl_LocalInvocationIndex == 0u) between = 0u;
  barrier();
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x < width && y < height) {
    uint v = BYTE(mask, AT(mask_offset, mask_stride, x, y));
    if (v != 0u && v != 255u) atomicAdd(between, 1u);
    if (starts(x, y)) {
      parents[number_of(x, y)] = number_of(x, y);
      values[number_of(x, y)] = 0u;
    }
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u && between > 0u) atomicAdd(counters[BETWEEN], between);
}
