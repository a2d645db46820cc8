// SPDX-License-Identifier: LGPL-2.1-or-later
// One step of the background of one pixel: its exact value (sum or 1/65536 grey levels, see State), and the bytes that it
// stands for.
uniform int learnt; // > 0: add the frame, which is number `learnt`; 0: adapt
uniform int rate;   // in 1/32768

uint adapted(uint value, int level) {
  int way = (level << 16) - int(value);
  return uint(int(value) + (((way >> 8) * rate + 64) >> 7));
}
// `labels` is the word of the mask that the pixel of column x is in.
uvec3 next_exact(uvec3 exact, ivec3 frame, uint labels, int x) {
  if (learnt > 0) return exact + uvec3(frame);
  if ((labels >> (x & 31) & 1u) != 0u) return exact;
  return uvec3(adapted(exact.r, frame.r), adapted(exact.g, frame.g), adapted(exact.b, frame.b));
}
uvec3 level_of(uvec3 exact) {
  if (learnt > 0) return (exact + uint(learnt) / 2u) / uint(learnt);
  return (exact + 32768u) >> 16;
}
