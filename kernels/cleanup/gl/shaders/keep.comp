// SPDX-License-Identifier: LGPL-2.1-or-later
// The persistent pixels of the cells in which small objects are kept: all, or those near the set R (cleanup.h).
layout(std430, binding = 0) readonly buffer Persistent { uint persistent[]; };
layout(std430, binding = 1) writeonly buffer Kept { uint kept[]; };
layout(std430, binding = 2) readonly buffer Allowed { uint allowed[]; };
layout(std430, binding = 3) readonly buffer Near { uint near[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (i >= words || y >= height) return;
  uint pixels = persistent[y * words + i], result = 0u;
  int size = min(cell_size, 32);
  uint one = size == 32 ? 0xffffffffu : (1u << uint(size)) - 1u;
  for (int x = 0; pixels != 0u && x < 32; x += size) {
    uint own = pixels & one << uint(x);
    if (own == 0u) continue;
    uint keep = BYTE(allowed, allowed_offset + uint(y / cell_size * grid_columns + (32 * i + x) / cell_size));
    if (keep == 2u)
      result |= own;
    else if (keep == 1u)
      result |= own & near[y * words + i];
  }
  kept[(kept_offset >> 2u) + uint(y * words + i)] = result;
}
