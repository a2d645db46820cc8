// SPDX-License-Identifier: LGPL-2.1-or-later
// Up to four iterations (16 substeps) in one dispatch. A work group holds a region of 8 words by 64 rows in shared memory
// and writes what is certain of it: each substep may bring in errors from one pixel further outside, so of k substeps k
// rows above and below and one word (32 pixels) left and right are lost.
layout(local_size_x = 8, local_size_y = 16) in;
uniform usampler2D mask, thresholds;
uniform ivec2 size;      // of the mask, in words and rows
uniform int substeps;    // 4..16
uniform int positions;   // two bits each, the first one lowest
layout(r32ui, binding = 0) writeonly uniform uimage2D result;

// The region with an edge of zeros around it, so that no access needs a test.
const int pitch = 10;
shared uint labels[66 * pitch];

uvec3 row_at(int at) {
  return uvec3(labels[at - 1], labels[at], labels[at + 1]);
}

void main() {
  int thread = int(gl_LocalInvocationIndex);
  for (int i = thread; i < 66 * pitch; i += 128) labels[i] = 0u;
  barrier();

  // Each thread has one word in four rows that follow each other.
  ivec2 local = ivec2(gl_LocalInvocationID.xy) * ivec2(1, 4);
  ivec2 origin = ivec2(gl_WorkGroupID.xy) * ivec2(6, 64 - 2 * substeps) - ivec2(1, substeps);
  int base = (local.y + 1) * pitch + local.x + 1;
  uvec4 n[4];
  for (int i = 0; i < 4; i++) {
    ivec2 p = origin + local + ivec2(0, i);
    bool inside = p.x >= 0 && p.y >= 0 && p.x < size.x && p.y < size.y;
    n[i] = inside ? texelFetch(thresholds, p, 0) : uvec4(0xffffffffu);
    if (inside) labels[base + i * pitch] = texelFetch(mask, p, 0).r;
  }
  barrier();

  // A word may be read while its owner changes it, but only bits of the other columns are used of it then.
  for (int s = 0; s < substeps; s++) {
    int position = positions >> (2 * s) & 3;
    uint here = columns_of(position);
    int odd = (origin.y + (position >> 1)) & 1;
    for (int i = 0; i < 4; i++) {
      if ((i & 1) != odd) continue;
      int at = base + i * pitch;
      uint fresh = changed(row_at(at - pitch), row_at(at), row_at(at + pitch), n[i]);
      labels[at] = (labels[at] & ~here) | (fresh & here);
    }
    barrier();
  }

  for (int i = 0; i < 4; i++) {
    ivec2 p = origin + local + ivec2(0, i);
    bool certain = local.x >= 1 && local.x <= 6 && local.y + i >= substeps && local.y + i < 64 - substeps;
    if (certain && p.x < size.x && p.y < size.y) imageStore(result, p, uvec4(labels[base + i * pitch]));
  }
}
