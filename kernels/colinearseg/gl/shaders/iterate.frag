// SPDX-License-Identifier: LGPL-2.1-or-later
// One substep: the pixels of one lattice position are decided again, the others copied.
uniform usampler2D mask, thresholds;
uniform ivec2 size; // in words and rows
uniform int position;
layout(location = 0) out uint labels;

uvec3 row_at(ivec2 word) {
  uvec3 row = uvec3(0u);
  if (word.y < 0 || word.y >= size.y) return row;
  if (word.x > 0) row.x = texelFetch(mask, word - ivec2(1, 0), 0).r;
  row.y = texelFetch(mask, word, 0).r;
  if (word.x < size.x - 1) row.z = texelFetch(mask, word + ivec2(1, 0), 0).r;
  return row;
}

void main() {
  ivec2 word = ivec2(gl_FragCoord.xy);
  labels = texelFetch(mask, word, 0).r;
  if ((word.y & 1) != position >> 1) return;
  uint fresh = changed(row_at(word - ivec2(0, 1)), row_at(word), row_at(word + ivec2(0, 1)),
                       texelFetch(thresholds, word, 0));
  uint here = columns_of(position);
  labels = (labels & ~here) | (fresh & here);
}
