// SPDX-License-Identifier: LGPL-2.1-or-later
// The search near no shift and near the last one, where there are enough points.
void main() {
  lane = int(gl_LocalInvocationIndex);
  if (fresh != 0 && lane == 0)
    for (int i = LAST; i < REST; i++) state[i] = 0; // only this thread reads the others
  ivec2 last = fresh != 0 ? ivec2(0) : ivec2(state[LAST], state[LAST + 1]);
  if (state[COUNT] < LEAST_POINTS) {
    if (lane == 0) {
      state[LOST] = 0;
      answer(0.0, Peak(ivec2(0), 0.0));
    }
    return;
  }
  Peak rest = peak_at(ivec2(0)), best = rest;
  if (rest.score < AT_ONCE) best = climb(rest, 1, 1);
  bool lost = false;
  if (!(rest.score >= STILL && best.score < rest.score + MARGIN)) {
    best = climb(best, 1, MOST_STEPS);
    if (last != ivec2(0)) {
      Peak other = climb(peak_at(last), 1, MOST_STEPS);
      if (other.score > best.score) best = other;
    }
    lost = best.score < STILL;
  }
  if (lane != 0) return;
  state[LOST] = lost ? 1 : 0;
  state[REST] = floatBitsToInt(rest.score);
  state[BEST] = best.at.x;
  state[BEST + 1] = best.at.y;
  state[BEST + 2] = floatBitsToInt(best.score);
  if (!lost) answer(rest.score, best);
}
