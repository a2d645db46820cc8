// SPDX-License-Identifier: LGPL-2.1-or-later
// The search (search.h) by one group of threads, which all take the same way through it, and what becomes of its
// answer (handover.h).
layout(local_size_x = 128) in;
layout(std430, binding = 2) writeonly buffer Applied { uint sway[]; };

const int threads = 128;
shared uint sums[8];
shared int seen[8];
int lane;

struct Peak {
  ivec2 at;
  float score;
};

// a / b as the CPU rounds it. Both are positive; OpenGL divides within some units of the last digit alone.
float divided(float a, float b) {
  uint ia = floatBitsToUint(a), ib = floatBitsToUint(b);
  if (ia == 0u) return 0.0;
  uint ma = (ia & 0x7fffffu) | 0x800000u, mb = (ib & 0x7fffffu) | 0x800000u;
  uint bits = floatBitsToUint(float(ma) / float(mb)); // from 1/2 to 2
  for (int i = 0; i < 4; i++) {
    uint m = (bits & 0x7fffffu) | 0x800000u;
    int left = int((ma << (150u - (bits >> 23u))) - m * mb); // exact, since it is small
    if (2 * left > int(mb))
      bits++;
    else if (2 * left < -int(mb))
      bits--;
    else
      break;
  }
  return uintBitsToFloat(bits + ((ia >> 23u) - (ib >> 23u) << 23u));
}

int share_of(int f, int b) {
  if ((f < 0) != (b < 0)) return 0;
  int a = abs(f), c = abs(b);
  return SHARE_UNIT * min(a, c) / max(a, c);
}
float score_of(uint sum, int points) {
  if (points == 0 || 2 * points < state[COUNT]) return 0.0;
  return divided(float(sum), float(SHARE_UNIT * points));
}

void clear() {
  barrier();
  if (lane < 8) {
    sums[lane] = 0u;
    seen[lane] = 0;
  }
  barrier();
}
// Adds what the points say to shift `s`, in place `slot`.
void look(ivec2 s, int slot) {
  uint sum = 0u;
  int n = 0;
  for (int i = lane; i < MOST_POINTS; i += threads) {
    int at = POINTS + 4 * i, difference = i < 2 * tiles ? state[at + 3] : 0;
    if (difference == 0) continue;
    ivec2 far = state[at + 2] != 0 ? ivec2(0, reach) : ivec2(reach, 0);
    ivec2 p = ivec2(state[at], state[at + 1]) + s;
    if (any(lessThan(p, far)) || p.x + far.x >= width || p.y + far.y >= height) continue;
    n++;
    sum += uint(share_of(luma_at(p.x + far.x, p.y + far.y) - luma_at(p.x - far.x, p.y - far.y), difference));
  }
  if (n == 0) return;
  atomicAdd(sums[slot], sum);
  atomicAdd(seen[slot], n);
}
Peak peak_at(ivec2 s) {
  clear();
  look(s, 0);
  barrier();
  return Peak(s, score_of(sums[0], seen[0]));
}
Peak best_around(Peak from, int by) {
  clear();
  for (int i = 0; i < 8; i++) {
    int k = i < 4 ? i : i + 1; // row by row, without the middle
    ivec2 s = from.at + by * ivec2(k % 3 - 1, k / 3 - 1);
    if (abs(s.x) <= range && abs(s.y) <= range) look(s, i);
  }
  barrier();
  Peak best = from;
  for (int i = 0; i < 8; i++) {
    int k = i < 4 ? i : i + 1;
    float score = score_of(sums[i], seen[i]);
    if (score > best.score) best = Peak(from.at + by * ivec2(k % 3 - 1, k / 3 - 1), score);
  }
  return best;
}
Peak climb(Peak from, int by, int most) {
  for (; by >= 1; by /= 2)
    for (int n = 0; n < most; n++) {
      Peak best = best_around(from, by);
      if (best.at == from.at) break;
      from = best;
    }
  return from;
}

// A shift as handed over, of one axis: x is 0, y is 1.
int rounded(float v) { return v < 0.0 ? -int(floor(0.5 - v)) : int(floor(v + 0.5)); }
int certain(int axis, int found) {
  int lowest = min(state[LOWEST + axis] + 1, 200 * found), highest = max(state[HIGHEST + axis] - 1, 200 * found);
  state[LOWEST + axis] = lowest;
  state[HIGHEST + axis] = highest;
  int away = lowest > 0 ? lowest : highest < 0 ? highest : 0; // at most a pixel of it, rounded
  int shift = found - (away >= 100 ? 1 : away <= -100 ? -1 : 0);
  float mean = intBitsToFloat(state[MEAN + axis]);
  state[MEAN + axis] = floatBitsToInt(mean + (float(shift) - mean) / 50.0);
  return shift;
}
int uncertain(int axis) {
  float mean = intBitsToFloat(state[MEAN + axis]);
  mean -= mean / 200.0;
  state[MEAN + axis] = floatBitsToInt(mean);
  return rounded(mean);
}

// One thread.
void answer(float rest, Peak best) {
  if (!(best.score >= LEAST_SCORE && best.score >= rest + MARGIN)) best = Peak(ivec2(0), rest);
  state[LAST] = best.at.x;
  state[LAST + 1] = best.at.y;
  ivec2 through = best.score < LEAST_SCORE ? ivec2(uncertain(0), uncertain(1))
                                           : ivec2(certain(0, best.at.x), certain(1, best.at.y));
  uint to = sway_offset >> 2u;
  sway[to] = uint(through.x);
  sway[to + 1u] = uint(through.y);
  sway[to + 2u] = 0u; // nothing is turned or larger
  sway[to + 3u] = 0u;
  sway[to + 4u] = uint(best.at.x);
  sway[to + 5u] = uint(best.at.y);
  sway[to + 6u] = 0u;
  sway[to + 7u] = 0u;
  sway[to + 8u] = uint(state[COUNT]);
  sway[to + 9u] = floatBitsToUint(best.score);
  sway[to + 10u] = floatBitsToUint(rest);
}
