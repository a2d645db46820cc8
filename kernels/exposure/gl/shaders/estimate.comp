// SPDX-License-Identifier: LGPL-2.1-or-later
// The lines of a frame (exposure.h): one group of threads, which keeps a channel's samples in shared memory, one
// channel after another, since chroma takes luma's gain.
layout(local_size_x = THREADS) in; // 128, 256 or 512, a power of two
layout(std430, binding = 7) readonly buffer KnownShift { uint known_shift[]; };

const int threads = THREADS, most_words = 2048; // of two samples each
shared uint samples[2048];                  // b | y << 8, twice; y is 0 where there is none
shared uint histogram[256];
shared uint partial[16];
shared uint sums[5];
shared int found;

int lane;

void clear_sums() {
  barrier();
  if (lane < 5) sums[lane] = 0u;
  barrier();
}
// A sample; false where there is none.
bool sample_at(int i, out int b, out int y) {
  uint v = samples[i >> 1] >> uint(16 * (i & 1));
  b = int(v & 255u);
  y = int(v >> 8u & 255u);
  return y != 0;
}
#define EACH(i, b, y)                                                                                        \
  for (int i = 2 * lane, b, y; i < 2 * most_words; i += (i & 1) == 0 ? 1 : 2 * threads - 1)                  \
    if (sample_at(i, b, y))

void clear_histogram() {
  barrier();
  for (int bin = lane; bin < 256; bin += threads) histogram[bin] = 0u;
  barrier();
}
// The first bin with which at least half of n are counted.
int median(uint n) {
  barrier();
  if (lane < 16) {
    uint sum = 0u;
    for (int k = 0; k < 16; k++) sum += histogram[16 * lane + k];
    partial[lane] = sum;
  }
  barrier();
  if (lane == 0) {
    uint sum = 0u;
    int part = 0;
    while (part < 15 && 2u * (sum + partial[part]) < n) sum += partial[part++];
    int bin = 16 * part;
    for (; bin < 255; bin++) {
      sum += histogram[bin];
      if (2u * sum >= n) break;
    }
    found = bin;
  }
  barrier();
  return found;
}

// Products and sums are rounded one by one, and quotients to the nearest, as on the CPU: a table that differs in
// one place changes what the model learns for a long time. OpenGL ES 3.1 has neither `precise` nor fma().
#ifdef GL_ES
#define EXACT
float quotient(float a, float b) { return a / b; }
#else
#define EXACT precise
float quotient(float a, float b) {
  precise float q = a / b, left = fma(-q, b, a);
  precise float nearest = q + left / b;
  return nearest;
}
#endif

float distance_of(float gain, float offset, int b, int y) {
  EXACT float d = float(y) - gain * float(b) - offset;
  return abs(d);
}
uint error_of(float distance) {
  return distance < float(MOST_ERROR) ? uint(4.0 * distance) : uint(4 * MOST_ERROR);
}

uint load_samples(int c) { // how many there are
  clear_sums();
  ivec2 by = ivec2(int(state[SHIFT]), int(state[SHIFT + 1]));
  uint usable = 0u;
  for (int word = lane; word < most_words; word += threads) {
    uint pair = 0u;
    for (int half_of = 0; half_of < 2; half_of++) {
      int i = 2 * word + half_of;
      if (i >= columns * rows) break;
      int x = i % columns * step_size + step_size / 2, y = i / columns * step_size + step_size / 2;
      int b = back_at(c, x, y, by), f = frame_at(c, x, y);
      if (b < LOWEST || b > HIGHEST || f < LOWEST || f > HIGHEST) continue;
      if (is_yuv() && (perhaps_clipped(frame_pixel(x, y)) || perhaps_clipped(back_pixel(x, y, by)))) continue;
      pair |= (uint(b) | uint(f) << 8u) << uint(16 * half_of);
      usable++;
    }
    samples[word] = pair;
  }
  if (usable > 0u) atomicAdd(sums[0], usable);
  barrier();
  return sums[0];
}

#define GAIN 0
#define OFFSET 1
#define AGREEING 2
#define WEIGHT 3
#define LEFT 4
float known(int c, int i) { return uintBitsToFloat(state[6 * c + i]); }

float deviation(float gain, float offset, float weight, float v) {
  EXACT float d = weight * (quotient(v - offset, gain) - v);
  return d;
}

void settle(int c, float gain, float offset, float agreeing, uint e, uint e0, bool enough, bool chroma) {
  float weight = known(c, WEIGHT);
  if (enough)
    weight = clamp(e0 == 0u ? 0.0 : quotient(BELIEVED_FROM - quotient(float(e), float(e0)), BELIEVED_RANGE), 0.0, 1.0);
  EXACT float left[2], d[2];
  for (int k = 0; k < 2; k++) {
    EXACT float before = known(c, LEFT + k), share = FOLLOWING_FIRST + FOLLOWING_MORE * abs(before);
    EXACT float most = (chroma ? FOLLOWING_CHROMA : FOLLOWING) * min(share, 1.0);
    d[k] = deviation(gain, offset, weight, k == 0 ? LOW_ANCHOR : HIGH_ANCHOR);
    EXACT float next = before + clamp(d[k] - before, -most, most);
    left[k] = clamp(next, min(d[k], 0.0), max(d[k], 0.0));
  }
  EXACT float low = d[0] - left[0], high = d[1] - left[1], greatest = max(abs(low), abs(high));
  int scale = 4096, shift = 0;
  if (greatest > SLACK) {
    EXACT float s = 1.0 - quotient(SLACK, greatest), slope = quotient(high - low, HIGH_ANCHOR - LOW_ANCHOR);
    EXACT float bounded = clamp(s * (low - slope * LOW_ANCHOR) * 16.0, -8000.0, 8000.0);
    EXACT float scaled = (1.0 + s * slope) * 4096.0 + 0.5;
    scale = int(scaled);
    shift = int(bounded < 0.0 ? bounded - 0.5 : bounded + 0.5);
  }
  state[6 * c + GAIN] = floatBitsToUint(gain);
  state[6 * c + OFFSET] = floatBitsToUint(offset);
  state[6 * c + AGREEING] = floatBitsToUint(agreeing);
  state[6 * c + WEIGHT] = floatBitsToUint(weight);
  state[6 * c + LEFT] = floatBitsToUint(left[0]);
  state[6 * c + LEFT + 1] = floatBitsToUint(left[1]);
  state[TABLES + 2 * c] = uint(scale);
  state[TABLES + 2 * c + 1] = uint(shift);
}

void estimate(int c) {
  bool yuv = is_yuv(), chroma = yuv && c > 0;
  float luma_gain = known(0, GAIN);
  uint n = load_samples(c);

  clear_histogram();
  EACH(i, b, y) {
    EXACT float rest = float(y) - luma_gain * float(b - 128) + 0.5;
    int bin = chroma ? int(floor(rest)) : 64 * y / b;
    atomicAdd(histogram[clamp(bin, 0, 255)], 1u);
  }
  float middle = float(median(n)), gain0 = chroma ? luma_gain : (middle + 0.5) / 64.0;
  EXACT float gain = gain0, offset = chroma ? middle - gain0 * 128.0 : 0.0;

  for (int turn = 0; turn < ROUNDS; turn++) {
    clear_histogram();
    EACH(i, b, y) atomicAdd(histogram[min(int(4.0 * distance_of(gain, offset, b, y)), 255)], 1u);
    float within = max(6.0, 1.5 * (float(median(n)) + 0.5) / 4.0);
    clear_sums();
    uint own[5];
    for (int k = 0; k < 5; k++) own[k] = 0u;
    EACH(i, b, y) if (distance_of(gain, offset, b, y) <= within) {
      own[0] += 1u;
      own[1] += uint(b);
      own[2] += uint(y);
      own[3] += uint(b * b);
      own[4] += uint(b * y);
    }
    for (int k = 0; k < 5; k++) atomicAdd(sums[k], own[k]);
    barrier();
    if (sums[0] == 0u) break;
    EXACT float all = float(sums[0]), mean_b = quotient(float(sums[1]), all), mean_y = quotient(float(sums[2]), all);
    EXACT float variance = quotient(float(sums[3]), all) - mean_b * mean_b;
    EXACT float covariance = quotient(float(sums[4]), all) - mean_b * mean_y;
    EXACT float hold = chroma ? HOLD_CHROMA : HOLD_LUMA;
    gain = quotient(covariance + hold * gain0, variance + hold);
    offset = mean_y - gain * mean_b;
  }

  clear_sums();
  uint near = 0u;
  EACH(i, b, y) if (distance_of(gain, offset, b, y) <= 8.0 * max(1.0, gain)) near++;
  atomicAdd(sums[0], near);
  barrier();
  float agreeing = n > 0u ? quotient(float(sums[0]), float(n)) : 0.0;
  bool enough = int(n) >= MIN_SAMPLES && int(n) * (yuv ? MIN_SHARE_YUV : MIN_SHARE) >= columns * rows;
  if (!(enough && agreeing >= LEAST_AGREEING && gain >= 1.0 / MAX_GAIN && gain <= MAX_GAIN)) {
    gain = 1.0 + (known(c, GAIN) - 1.0) * FADING;
    offset = known(c, OFFSET) * FADING;
    agreeing = 0.0;
  }
  clear_sums();
  uint e = 0u, e0 = 0u;
  EACH(i, b, y) {
    e += error_of(distance_of(gain, offset, b, y));
    e0 += error_of(abs(float(y - b)));
  }
  atomicAdd(sums[0], e);
  atomicAdd(sums[1], e0);
  barrier();
  if (lane == 0) settle(c, gain, offset, agreeing, sums[0], sums[1], enough, chroma);
  memoryBarrierBuffer();
  barrier();
}

void main() {
  lane = int(gl_LocalInvocationIndex);
  if (lane == 0) {
    uint at = shift_offset >> 2u;
    state[SHIFT] = has_shift != 0 ? known_shift[at] : 0u;
    state[SHIFT + 1] = has_shift != 0 ? known_shift[at + 1u] : 0u;
  }
  memoryBarrierBuffer();
  barrier();
  for (int c = 0; c < channels; c++) estimate(c);
}
