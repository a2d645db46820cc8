// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges (ghost.h) and rims (boundary_contrast.h) along the outlines in one cell of the grid. A group of 64
// threads has one cell; a thread has one of its rows.
layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  uint background_offset;
  int background_stride;
  uint mask_offset;
  int mask_stride;
  uint shift_offset;
  int has_shift;
  int cell_size, columns, first;
  uint edges_offset, rims_offset;
};
layout(std430, binding = 0) readonly buffer Mask { uint mask[]; };
layout(std430, binding = 1) readonly buffer Frame0 { uint frame0[]; };
layout(std430, binding = 2) readonly buffer Background { uint background[]; };
layout(std430, binding = 3) readonly buffer KnownShift { uint known_shift[]; };
layout(std430, binding = 4) writeonly buffer Edges { uint edges[]; };
layout(std430, binding = 5) writeonly buffer Rims { uint rims[]; };

shared uint edge_sums[4]; // pixels, outline, frame, background
shared int rim_sums[6];   // pixels, inside, outside, frame, background, both

bool within(int x, int y) { return x >= 0 && y >= 0 && x < width && y < height; }
bool full(int x, int y) { return BYTE(mask, AT(mask_offset, mask_stride, x, y)) == 255u; }
bool empty_at(int x, int y) { return within(x, y) && !full(x, y); }

int frame_at(int x, int y) {
  x = clamp(x, 0, width - 1);
  y = clamp(y, 0, height - 1);
  return int(LUMA(frame0, format, offset0, stride0, x, y));
}
int background_at(int x, int y) {
  x = clamp(x, 0, width - 1);
  y = clamp(y, 0, height - 1);
  if (has_shift != 0) {
    x -= int(known_shift[shift_offset >> 2u]);
    y -= int(known_shift[(shift_offset >> 2u) + 1u]);
  }
  return int(LUMA(background, format, background_offset, background_stride, x, y));
}
ivec2 frame_gradient(int x, int y) {
  return ivec2(frame_at(x + REACH, y) - frame_at(x - REACH, y), frame_at(x, y + REACH) - frame_at(x, y - REACH));
}
ivec2 background_gradient(int x, int y) {
  return ivec2(background_at(x + REACH, y) - background_at(x - REACH, y),
               background_at(x, y + REACH) - background_at(x, y - REACH));
}
int product(ivec2 a, ivec2 b) { return a.x * b.x + a.y * b.y; }

// (x, y) is on the outline.
void add_rim(int x, int y, inout int r[6]) {
  ivec2 d = empty_at(x - 1, y)   ? ivec2(-1, 0)
            : empty_at(x + 1, y) ? ivec2(1, 0)
            : empty_at(x, y - 1) ? ivec2(0, -1)
                                 : ivec2(0, 1);
  ivec2 i = ivec2(x, y) - RIM_INSIDE * d, o = ivec2(x, y) + RIM_OUTSIDE * d;
  if (!within(i.x, i.y) || !within(o.x, o.y) || !full(i.x, i.y) || full(o.x, o.y)) return;
  int inner = frame_at(i.x, i.y) - background_at(i.x, i.y), outer = frame_at(o.x, o.y) - background_at(o.x, o.y);
  ivec2 f = frame_gradient(i.x, i.y), b = background_gradient(i.x, i.y);
  r[0] += 1;
  r[1] += abs(inner);
  r[2] += sign(inner) * outer;
  r[3] += product(f, f);
  r[4] += product(b, b);
  r[5] += product(f, b);
}

// F among the n pixels from (x, y) on, at most 32, a bit each.
uint bits_of(int x, int y, int n) {
  uint at = AT(mask_offset, mask_stride, x, y), bits = 0u;
  for (int first = 0; first < n; first += 4) {
    uint four = 0u;
    if (first + 4 <= n)
      four = WORD(mask, at + uint(first));
    else
      for (int k = first; k < n; k++) four |= BYTE(mask, at + uint(k)) << uint(8 * (k - first));
    bits |= full_bytes(four) << uint(first);
  }
  return bits;
}
// Those of the pixels `own` that have a neighbour in the picture outside of F.
uint outline_of(uint own, int x, int y, int n) {
  if (own == 0u) return 0u;
  uint left = own << 1u, right = own >> 1u, above = 0xffffffffu, below = 0xffffffffu;
  if (x == 0 || full(x - 1, y)) left |= 1u;
  if (x + n >= width || full(x + n, y)) right |= 1u << uint(n - 1);
  if (y > 0) above = bits_of(x, y - 1, n);
  if (y + 1 < height) below = bits_of(x, y + 1, n);
  return own & ~(left & right & above & below);
}

void main() {
  int cell = int(gl_WorkGroupID.x) + first, j = int(gl_LocalInvocationID.x);
  if (j < 4) edge_sums[j] = 0u;
  if (j < 6) rim_sums[j] = 0;
  barrier();
  int x0 = cell % columns * cell_size, y = cell / columns * cell_size + j;
  if (j < cell_size && y < height) {
    uvec4 e = uvec4(0u);
    int r[6];
    for (int i = 0; i < 6; i++) r[i] = 0;
    int end = min(x0 + cell_size, width);
    for (int first = x0; first < end; first += 32) {
      int n = min(32, end - first);
      uint own = bits_of(first, y, n);
      e.x += uint(bitCount(own));
      for (uint left = outline_of(own, first, y, n); left != 0u; left &= left - 1u) {
        int x = first + findLSB(left);
        ivec2 f = abs(frame_gradient(x, y)), b = abs(background_gradient(x, y));
        e += uvec4(0u, 1u, uint(f.x + f.y), uint(b.x + b.y));
        add_rim(x, y, r);
      }
    }
    if (e.x > 0u) {
      for (int i = 0; i < 4; i++) atomicAdd(edge_sums[i], e[i]);
      for (int i = 0; i < 6; i++) atomicAdd(rim_sums[i], r[i]);
    }
  }
  barrier();
  if (j < 4) edges[(edges_offset >> 2u) + uint(4 * cell + j)] = edge_sums[j];
  if (j < 6) rims[(rims_offset >> 2u) + uint(6 * cell + j)] = uint(rim_sums[j]);
}
