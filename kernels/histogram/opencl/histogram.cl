// SPDX-License-Identifier: LGPL-2.1-or-later
// Counting, and drawing the counts: the rules are in histogram.h.
//   CHANNELS  3: pixels of four samples; 1: planes of Y, one sample a pixel
//   RED       the sample of a pixel that is red, 0 or 2 (CHANNELS 3)
//   DEEP      0 or 1: two bytes a sample; SHIFT: bits below its value, MORE: of a value's bits beyond 8
//   SETS      histograms that are counted: the channels', then the intensity's; 4 or 1
//   COPIES    of each counter in local memory (count_groups)
//   PARTS     of each counter in a work-item's own memory (count_rows)
// Counters in global memory: four rows of 256, for three channels and the intensity; with one channel its counts are those of the
// intensity as well, and two rows stay 0. Each launch adds to `counts` and clears `next`, the counters of the launch
// after it, so that no launch is needed for that alone.

#if DEEP
typedef ushort Stored;
#else
typedef uchar Stored;
#endif
#define STORED(p) ((__global const Stored *)(p))
#define VALUE(v) (((uint)(v) >> SHIFT) & ((256u << MORE) - 1))

#define BINS 256
#define WORDS (SETS * BINS)
#define ALL_WORDS (4 * BINS)

uint intensity_of(uint r, uint g, uint b) { return (30 * r + 59 * g + 11 * b + 50) / 100; }

void clear_next(__global uint *next) {
  if (get_group_id(0) == 0)
    for (uint i = get_local_id(0); i < ALL_WORDS; i += get_local_size(0)) next[i] = 0;
}

void add_to(__global uint *counts, uint i, uint sum) {
  if (!sum) return;
  atomic_add(&counts[i], sum);
#if CHANNELS == 1
  atomic_add(&counts[3 * BINS + i], sum);
#endif
}

// --- many work-items a group: GPUs ---

// Copies of a counter lie side by side, so that neighbours which count the same level use different banks.
#define COUNT(set, level) atomic_inc(&mine[((set)*BINS + (level)) * COPIES])

#if CHANNELS == 3
void count_pixel(__local uint *mine, uint r, uint g, uint b) {
  COUNT(0, r >> MORE);
  COUNT(1, g >> MORE);
  COUNT(2, b >> MORE);
  COUNT(3, intensity_of(r, g, b) >> MORE);
}
#endif

// The pixels of 8 bytes.
void count_words(__local uint *mine, uint2 words) {
#if CHANNELS == 3 && DEEP // one pixel
  const uint first = words.x & 65535, third = words.y & 65535;
  count_pixel(mine, RED ? third : first, words.x >> 16, RED ? first : third);
#elif CHANNELS == 3 // two
  for (int i = 0; i < 2; i++) {
    const uint word = i ? words.y : words.x;
    count_pixel(mine, (word >> (8 * RED)) & 255, (word >> 8) & 255, (word >> (16 - 8 * RED)) & 255);
  }
#else // 4 or 8 samples
  for (int i = 0; i < 2; i++) {
    const uint word = i ? words.y : words.x;
    for (int at = 0; at < 32; at += 8 * (int)sizeof(Stored))
      COUNT(0, VALUE((Stored)(word >> at)) >> MORE);
  }
#endif
}

// One dimension of work-items; each takes 16 bytes at a time, as far apart as there are work-items. `aligned`: rows begin at
// multiples of 16 bytes.
__kernel void count_groups(__global const uchar *picture, int offset, int stride, int width, int height, int aligned,
                           __global uint *counts, __global uint *next) {
  __local uint local_counts[WORDS * COPIES];
  clear_next(next);
  for (uint i = get_local_id(0); i < WORDS * COPIES; i += get_local_size(0)) local_counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  __local uint *mine = local_counts + get_local_id(0) % COPIES;
  const int piece = 16 / (int)(sizeof(Stored) * (CHANNELS == 3 ? 4 : 1)); // pixels
  const int pieces = (width + piece - 1) / piece;
  const uint all = (uint)pieces * (uint)height;
  for (uint i = get_global_id(0); i < all; i += get_global_size(0)) {
    const uint y = i / (uint)pieces, p = i - y * (uint)pieces;
    const int x = (int)p * piece;
    __global const uchar *at = picture + offset + (long)y * stride + p * 16;
    if (aligned && x + piece <= width) {
      const uint4 words = *(__global const uint4 *)at;
      count_words(mine, words.xy);
      count_words(mine, words.zw);
    } else {
      const int n = min(piece, width - x);
      for (int k = 0; k < n; k++) {
#if CHANNELS == 3
        __global const Stored *v = STORED(at) + 4 * k;
        count_pixel(mine, v[RED], v[1], v[2 - RED]);
#else
        COUNT(0, VALUE(STORED(at)[k]) >> MORE);
#endif
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < WORDS; i += get_local_size(0)) {
    uint sum = 0;
    for (uint k = 0; k < COPIES; k++) sum += local_counts[i * COPIES + (k + get_local_id(0)) % COPIES];
    add_to(counts, i, sum);
  }
}

// --- one work-item a group: processors ---

// Each work-item counts rows y = id, id + n, ... in memory of its own, without atomics. Neighbouring pixels go to different
// parts: on a flat picture a counter would otherwise wait for its last increment.
__kernel void count_rows(__global const uchar *picture, int offset, int stride, int width, int height, int aligned,
                         __global uint *counts, __global uint *next) {
  uint mine[PARTS][WORDS];
  clear_next(next);
  for (uint p = 0; p < PARTS; p++)
    for (uint i = 0; i < WORDS; i++) mine[p][i] = 0;
  for (int y = get_global_id(0); y < height; y += get_global_size(0)) {
    __global const Stored *row = STORED(picture + offset + (long)y * stride);
    for (int x = 0; x < width; x += PARTS)
      for (int p = 0; p < PARTS && x + p < width; p++) {
#if CHANNELS == 3
        __global const Stored *v = row + 4 * (x + p);
        const uint r = v[RED], g = v[1], b = v[2 - RED];
        mine[p][r >> MORE]++;
        mine[p][BINS + (g >> MORE)]++;
        mine[p][2 * BINS + (b >> MORE)]++;
        mine[p][3 * BINS + (intensity_of(r, g, b) >> MORE)]++;
#else
        mine[p][VALUE(row[x + p]) >> MORE]++;
#endif
      }
  }
  for (uint i = 0; i < WORDS; i++) {
    uint sum = 0;
    for (uint p = 0; p < PARTS; p++) sum += mine[p][i];
    add_to(counts, i, sum);
  }
}

// --- drawing ---

uint in_bin(__global const uint *counts, int set, int bin, int bins) {
  const int each = BINS / bins;
  uint sum = 0;
  for (int k = 0; k < each; k++) sum += counts[set * BINS + bin * each + k];
  return sum;
}

// The largest count of all channels; the same in every group.
uint largest(__global const uint *counts, int bins, __local uint *inside, __local uint *all) {
  if (get_local_id(0) == 0 && get_local_id(1) == 0) *inside = *all = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint my_inside = 0, my_all = 0;
  const int id = get_local_id(1) * get_local_size(0) + get_local_id(0), n = get_local_size(0) * get_local_size(1);
  for (int i = id; i < CHANNELS * bins; i += n) {
    const int bin = i % bins;
    const uint count = in_bin(counts, i / bins, bin, bins);
    my_all = max(my_all, count);
    if (bin > 0 && bin < bins - 1) my_inside = max(my_inside, count);
  }
  atomic_max(inside, my_inside);
  atomic_max(all, my_all);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *inside ? *inside : *all;
}

// Where the largest is 0 all are. The form matters: with a condition instead of max(), LLVM 19 ends the process while PoCL 6
// builds the kernel ("Instruction Combining did not reach a fixpoint").
int rows_of(uint count, uint most, int height) {
  return (int)((ulong)height * min(count, most) / max(most, 1u));
}

// A work-item for each pixel of the panel. `at`: the byte where the panel's first row begins.
__kernel void draw(__global const uint *counts, __global uchar *picture, int at, int stride, int width, int height, int line,
                   int bins) {
  __local uint inside, all;
  const uint most = largest(counts, bins, &inside, &all);
  const int i = get_global_id(0), j = get_global_id(1);
  if (i >= width || j >= height) return;
  const int bin = i * bins / width, row = height - j;
  __global Stored *pixel = (__global Stored *)(picture + at + (long)j * stride) + i * (CHANNELS == 3 ? 4 : 1);
#if CHANNELS == 3
  const int top = rows_of(in_bin(counts, 3, bin, bins), most, height);
  const int on_line = row <= top && row > top - line;
#else
  const int on_line = 0;
#endif
  for (int c = 0; c < CHANNELS; c++) {
    __global Stored *value = pixel + (CHANNELS == 3 ? (c == 1 ? 1 : c == 0 ? RED : 2 - RED) : 0);
    const int curve = rows_of(in_bin(counts, c, bin, bins), most, height);
    const uint drawn = on_line ? (256 << MORE) - 1 : (VALUE(*value) >> 2) + (row <= curve ? 176 << MORE : 0);
    *value = (Stored)(drawn << SHIFT);
  }
}

// Makes the chroma below the panel neutral; `at` as above, `samples` of a row of the chroma plane in the panel.
__kernel void grey_out(__global uchar *plane, int at, int stride, int samples, int height) {
  const int i = get_global_id(0), j = get_global_id(1);
  if (i < samples && j < height)
    ((__global Stored *)(plane + at + (long)j * stride))[i] = (Stored)(128 << (MORE + SHIFT));
}
