// SPDX-License-Identifier: LGPL-2.1-or-later
// Marks the cells with persistent pixels that are not near the set R (cleanup.h).
layout(std430, binding = 0) readonly buffer Persistent { uint persistent[]; };
layout(std430, binding = 1) readonly buffer Near { uint near[]; };
layout(std430, binding = 2) buffer Seen { uint seen[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint apart = persistent[y * words + i] & ~near[y * words + i];
  if (apart == 0u) return;
  int size = min(cell_size, 32);
  uint one = size == 32 ? 0xffffffffu : (1u << uint(size)) - 1u;
  for (int x = 0; x < 32; x += size) {
    if ((apart & one << uint(x)) == 0u) continue;
    uint at = seen_offset + uint(y / cell_size * grid_columns + (32 * i + x) / cell_size);
    atomicOr(seen[at >> 2u], 1u << 8u * (at & 3u));
  }
}
