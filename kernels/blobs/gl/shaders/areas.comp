// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 3: each segment's parent becomes its root, and each root's value the component's area.
layout(std430, binding = 2) buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Counters { uint counters[]; };

shared uint foreground;

void main() {
  if (gl_LocalInvocationIndex == 0u) foreground = 0u;
  barrier();
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x < width && y < height && starts(x, y)) {
    uint own = number_of(x, y), root = root_of(own), pixels = uint(end_of(x, y) - x);
    parents[own] = root;
    atomicAdd(values[root], pixels);
    atomicAdd(foreground, pixels);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u && foreground > 0u) atomicAdd(counters[FOREGROUND], foreground);
}
