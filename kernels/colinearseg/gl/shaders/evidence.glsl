// SPDX-License-Identifier: LGPL-2.1-or-later
// D2 in whole numbers, and the thresholds on M that follow from it. See colinearseg.h.

// The colour of a texel as whole numbers 0..255.
ivec3 bytes_of(vec4 texel) {
  return ivec3(texel.rgb * 255.0 + 0.5);
}
int product(ivec3 a, ivec3 b) {
  return a.r * b.r + a.g * b.g + a.b * b.b;
}

// ceil(D2), exactly. Floating point gives it to within 2 (its errors are a few 2^-24 of `fore` and `back`, which are at
// most 27 * 255^2); the rest is decided by the sign of
//   P(t) = (fore + offset - t)(back + offset - t) - (cross + offset)^2
// whose lesser root is D2: the first whole t, from below, where P is not positive. (There is one: roots that differ are at
// least 1 apart, equal ones are whole numbers.) P needs more than 32 bits, but near its root it is below 2^28, so 32 bits
// that wrap round hold it: all of it that is left out is a multiple of 2^32.
int evidence(int fore, int back, int cross, int offset) {
  int difference = fore + back - 2 * cross; // |x_f - x_b|^2
  float f = float(fore), b = float(back), c = float(cross), o = float(offset);
  float determinant = f * b - c * c + o * float(difference);
  float root = sqrt((f - b) * (f - b) + 4.0 * (c + o) * (c + o));
  int t = int(floor(2.0 * determinant / max(f + b + 2.0 * o + root, 1.0))) - 2;
  uint p = uint(fore - t) * uint(back - t) - uint(cross) * uint(cross) + uint(offset) * uint(difference - 2 * t);
  for (int i = 0; i < 5 && int(p) > 0; i++) {
    p -= uint(fore + back + 2 * offset - 2 * t - 1); // P(t + 1)
    t++;
  }
  return t;
}

// The least n for which M >= n means changed; 13: never. `need` is Ts + 12 B - ceil(D2): changed <=> 2 B M > need.
uint least_neighbours(int need, int compactness) {
  if (need < 0) return 0u;
  if (compactness == 0) return 13u;
  return uint(min(need / (2 * compactness) + 1, 13));
}
// Two of them in a byte: `settings` is Ts, O, B of the first iteration, B of the others.
uint both_thresholds(int fore, int back, int cross, ivec4 settings) {
  int e = evidence(fore, back, cross, settings.y);
  uint first = least_neighbours(settings.x + 12 * settings.z - e, settings.z);
  uint other = least_neighbours(settings.x + 12 * settings.w - e, settings.w);
  return first | other << 4;
}
