// SPDX-License-Identifier: LGPL-2.1-or-later
// The search from what the pyramids say, where the one near by has failed.
ivec2 slope_at(int i) { return ivec2(state[i] << 16 >> 16, state[i] >> 16); }

// How well the levels agree at a shift in cells.
float agreement(int at_level, ivec2 s, int every) {
  clear();
  int columns = columns_of(at_level), rows = rows_of(at_level);
  int left = max(1 - s.x, 1), top = max(1 - s.y, 1);
  int right = min(columns - 1 - s.x, columns - 1), bottom = min(rows - 1 - s.y, rows - 1);
  int across_them = right > left ? (right - left + every - 1) / every : 0;
  int down_them = bottom > top ? (bottom - top + every - 1) / every : 0;
  int f = slopes_of(1, at_level), b = slopes_of(0, at_level), n = 0;
  uint sum = 0u;
  for (int i = lane; i < across_them * down_them; i += threads) {
    int x = left + i % across_them * every, y = top + i / across_them * every;
    ivec2 known = slope_at(b + y * columns + x);
    int energy = known.x * known.x + known.y * known.y;
    if (energy < LEAST_SLOPE * LEAST_SLOPE) continue;
    n++;
    ivec2 own = slope_at(f + (y + s.y) * columns + x + s.x);
    int product = own.x * known.x + own.y * known.y, power = own.x * own.x + own.y * own.y;
    if (product > 0) sum += uint(float(SHARE_UNIT) * float(product) / float(max(power, energy)));
  }
  if (n > 0) {
    atomicAdd(sums[0], sum);
    atomicAdd(seen[0], n);
  }
  barrier();
  return seen[0] > 0 ? float(sums[0]) / float(seen[0]) : 0.0;
}

float top_of(float before, float at, float after) {
  float bend = before - 2.0 * at + after;
  return bend < 0.0 ? clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0.0;
}
int pixels_of(int cells, float part) {
  return clamp(rounded((float(cells) + part) * float(cell)), -range, range);
}

void main() {
  lane = int(gl_LocalInvocationIndex);
  if (state[LOST] == 0) return;
  ivec2 at = ivec2(0);
  float most = -1.0;
  for (int l = 2; l >= 0; l--) {
    int far = range / (cell << l) + 1, around = l == 2 ? far : 2;
    ivec2 middle = l == 2 ? ivec2(0) : 2 * at;
    ivec2 low = max(middle - around, ivec2(-far)), high = min(middle + around, ivec2(far));
    most = -1.0;
    at = ivec2(0);
    for (int y = low.y; y <= high.y; y++)
      for (int x = low.x; x <= high.x; x++) {
        float a = agreement(l, ivec2(x, y), l == 0 ? 2 : 1);
        if (a > most) {
          most = a;
          at = ivec2(x, y);
        }
      }
  }
  float before_x = agreement(0, at - ivec2(1, 0), 2), after_x = agreement(0, at + ivec2(1, 0), 2);
  float before_y = agreement(0, at - ivec2(0, 1), 2), after_y = agreement(0, at + ivec2(0, 1), 2);
  ivec2 coarse = ivec2(pixels_of(at.x, top_of(before_x, most, after_x)),
                       pixels_of(at.y, top_of(before_y, most, after_y)));
  Peak best = Peak(ivec2(state[BEST], state[BEST + 1]), intBitsToFloat(state[BEST + 2]));
  Peak other = climb(peak_at(coarse), cell < 8 ? 1 : cell / 4, MOST_STEPS);
  if (other.score > best.score) best = other;
  if (lane == 0) answer(intBitsToFloat(state[REST]), best);
}
