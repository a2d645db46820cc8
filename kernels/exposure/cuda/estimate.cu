// SPDX-License-Identifier: LGPL-2.1-or-later
// The estimate: a block of threads a channel, which keeps its samples in registers. Its time is that of the
// steps that wait for each other, a barrier of the block each, so there are as few as the contract allows:
// - A median is looked for where it is expected, by counting the samples below: step 1's next to that of the
//   last frame, and that of a round below `least_within`, where it decides nothing. A histogram in shared
//   memory is made only where it is not found there.
// - A round's sums are taken as if its median did not matter, together with the count that says so, and with
//   what is to be known of the line if it is the last one.
// - Sums that a round finds again give the same line again: no later round can change it.
// Chroma needs luma's gain: its block finds that first, by itself, so that no block waits for another. Code
// is read from memory when it runs for the first time in a frame: so loops are not unrolled where they need
// not be, and what luma and chroma do is the same code.
#include "common/cuda/block_sum.h"
#include "common/cuda/bytes.h"
#include "common/cuda/launch.h"
#include "kernels/exposure/cuda/kernels.h"
#include "kernels/exposure/samples.h"

namespace vigil::exposure {
namespace {

constexpr int threads = 256;                // on an H200 faster than 512 and 1024
constexpr int each = max_samples / threads; // samples a thread
constexpr int words = each / 4;
constexpr int warps = threads / 32;
static_assert(each % 4 == 0 && lowest > 0);

constexpr float least_within = 6, of_median = 1.5f; // as the contract says
constexpr int near_bins = 16;                       // quarters of a level
static_assert(of_median * (near_bins - 0.5f) / 4 <= least_within);

// A thread's samples of one channel, a byte each; 0 in `y` where there is none.
struct Packed {
  std::uint32_t b[words], y[words];
};
// The same as numbers. Where there is none, `y` is far from each line.
constexpr float nowhere = 1e6f;
struct Pairs {
  Packed bytes;
  float b[each], y[each];
  int none = 0; // how many are not there
  explicit __device__ Pairs(const Packed &p) : bytes(p) {
#pragma unroll
    for (int i = 0; i < each; i++) {
      const int at_y = byte_of(p.y[i / 4], i % 4);
      b[i] = static_cast<float>(byte_of(p.b[i / 4], i % 4));
      y[i] = at_y != 0 ? static_cast<float>(at_y) : nowhere;
      none += at_y == 0;
    }
  }
  __device__ bool has(int i) const {
    return y[i] != nowhere;
  }
};

constexpr int most_sums = 6;
using Sum = BlockSum<warps, most_sums>;

// Two counts in a word: one of at most max_samples, and a smaller one that has `low_bits`.
constexpr int low_bits = 19;
static_assert(std::uint64_t{max_samples} * 4 * most_error < 1u << low_bits);
static_assert((std::uint64_t{max_samples} + 1) << low_bits <= std::uint64_t{1} << 32);
__device__ std::uint32_t packed(std::uint32_t count, std::uint32_t low) {
  return (count << low_bits) + low;
}
__device__ std::uint32_t low_of(std::uint32_t v) {
  return v & ((1u << low_bits) - 1);
}

// Medians over the block's samples by a histogram; all threads call it together and get the result. One
// barrier each.
class Median {
 public:
  static_assert(bins == 8 * 32);
  struct Shared {
    // Of one call. Three in turn: one is filled, one is perhaps still read by warps that are behind, one is
    // cleared for the next call.
    alignas(16) std::uint32_t histogram[3][bins];
  };
  // A barrier must follow before the first call.
  explicit __device__ Median(Shared &s) : s_(s) {
    for (int k = 0; k < 3; k++) clear(k);
  }
  // median_bin() of the bins that bin_of(i) says, i < each, where p has a sample; n: of all threads.
  template <class BinOf>
  __device__ int find(const Pairs &p, int n, BinOf bin_of) {
    std::uint32_t *const h = s_.histogram[turn_];
#pragma unroll
    for (int i = 0; i < each; i++)
      if (p.has(i)) atomicAdd(h + min(max(bin_of(i), 0), bins - 1), 1u);
    __syncthreads();
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    clear(turn_ == 2 ? 0 : turn_ + 1);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto *const counts = reinterpret_cast<const uint4 *>(h) + 2 * lane; // 8 bins a lane
    const uint4 low = counts[0], high = counts[1];
    const std::uint32_t count[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    std::uint32_t own = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) own += count[k];
    std::uint32_t up_to = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t before = __shfl_up_sync(~0u, up_to, distance);
      if (lane >= distance) up_to += before;
    }
    std::uint32_t sum = up_to - own;
    int bin = 0; // of this lane's, the first with which half of the samples are counted
#pragma unroll
    for (int k = 0; k < 7; k++) {
      sum += count[k];
      bin += 2 * sum < static_cast<std::uint32_t>(n);
    }
    const unsigned reached = __ballot_sync(~0u, 2 * up_to >= static_cast<std::uint32_t>(n));
    const int first = __ffs(static_cast<int>(reached)) - 1;
    return 8 * first + __shfl_sync(~0u, bin, first);
  }

 private:
  __device__ void clear(int k) {
    for (int i = static_cast<int>(threadIdx.x); i < bins; i += threads) s_.histogram[k][i] = 0;
  }
  Shared &s_;
  int turn_ = 0;
};

__device__ float distance(const Line &l, float b, float y) {
  return fabsf(y - l.gain * b - l.offset);
}

// a / b rounded down, whole numbers, a below 2^14 and b below 2^8: quotients are then 1/256 apart or more,
// and less than 0.0005 wrong.
__device__ int quotient(float a, float b) {
  return static_cast<int>(__fdividef(a, b) + 0.001f);
}

// Where a thread's samples lie in a picture; 0, 0 where there is none.
struct Raster {
  int all, x[each], y[each];
  __device__ Raster(int step, int columns, int rows) : all(columns * rows) {
    const int rows_on = threads / columns, columns_on = threads % columns; // to a thread's next sample
    int column = static_cast<int>(threadIdx.x) % columns, row = static_cast<int>(threadIdx.x) / columns;
#pragma unroll
    for (int i = 0; i < each; i++) {
      x[i] = has(i) ? column * step + step / 2 : 0;
      y[i] = has(i) ? row * step + step / 2 : 0;
      column += columns_on;
      row += rows_on;
      if (column >= columns) {
        column -= columns;
        row++;
      }
    }
  }
  __device__ bool has(int i) const {
    return i * threads + static_cast<int>(threadIdx.x) < all;
  }
};

// What a thread reads of a picture. Nothing waits for a byte before the last one is asked for.
__device__ void read_bytes(const std::uint8_t *first, std::ptrdiff_t stride, int across, int half,
                           const Raster &raster, int (&v)[each]) {
#pragma unroll
  for (int i = 0; i < each; i++)
    v[i] = first[static_cast<std::ptrdiff_t>(raster.y[i] >> half) * stride + (raster.x[i] >> half) * across];
}
// Of channel c, as sample() numbers them.
__device__ void read(const ConstImage &p, int channels, int c, const Raster &raster, int (&v)[each]) {
  const bool packed = p.format == PixelFormat::rgba || p.format == PixelFormat::bgra;
  if (packed && channels == 1) {
    const int red = p.format == PixelFormat::rgba ? 0 : 2;
#pragma unroll
    for (int i = 0; i < each; i++) {
      const std::uint8_t *const of = p.data[0] + raster.y[i] * p.stride[0] + raster.x[i] * 4;
      v[i] = mog::luma(of[red], of[1], of[2 - red]);
    }
    return;
  }
  const bool second = !packed && c > 0, interleaved = p.format == PixelFormat::nv12;
  const std::uint8_t *const first = packed        ? p.data[0] + c
                                    : !second     ? p.data[0]
                                    : interleaved ? p.data[1] + c - 1
                                    : c == 1      ? p.data[1]
                                                  : p.data[2];
  const std::ptrdiff_t stride = !second ? p.stride[0] : interleaved || c == 1 ? p.stride[1] : p.stride[2];
  read_bytes(first, stride, packed ? 4 : second && interleaved ? 2 : 1, second, raster, v);
}

// A bit for each sample that may be taken: those that were perhaps clipped may not.
constexpr std::uint32_t all_of_them = (std::uint64_t{1} << each) - 1;
static_assert(each < 32);
__device__ Packed packed_samples(const Raster &raster, const int (&b)[each], const int (&y)[each],
                                 std::uint32_t may) {
  Packed p{};
#pragma unroll
  for (int i = 0; i < each; i++) {
    if (!raster.has(i) || !(may >> i & 1) || !usable(b[i], y[i])) continue;
    p.b[i / 4] |= static_cast<std::uint32_t>(b[i]) << (8 * (i % 4));
    p.y[i / 4] |= static_cast<std::uint32_t>(y[i]) << (8 * (i % 4));
  }
  return p;
}

// The samples of frames of Y, U and V, of which luma alone is asked for where there is one channel. A pair
// of chroma is read at once: what a block reads at scattered places takes as long as it has accesses.
struct YuvSamples {
  int y[each], c1[each], c2[each];
  __device__ YuvSamples(const ConstImage &p, bool whole, const Raster &raster) {
    read(p, 3, 0, raster, y);
    const auto at = reinterpret_cast<std::uintptr_t>(p.data[1]) | static_cast<std::uintptr_t>(p.stride[1]);
    if (whole && p.format == PixelFormat::nv12 && at % 2 == 0) {
#pragma unroll
      for (int i = 0; i < each; i++) {
        const auto pair = *reinterpret_cast<const std::uint16_t *>(
            p.data[1] + (raster.y[i] >> 1) * p.stride[1] + (raster.x[i] >> 1) * 2);
        c1[i] = pair & 255;
        c2[i] = pair >> 8;
      }
    } else if (whole) {
      read(p, 3, 1, raster, c1);
      read(p, 3, 2, raster, c2);
    } else {
#pragma unroll
      for (int i = 0; i < each; i++) c1[i] = c2[i] = 128;
    }
  }
};
__device__ std::uint32_t unclipped(const YuvSamples &a, const YuvSamples &b, const Colours &k) {
  std::uint32_t may = 0;
#pragma unroll
  for (int i = 0; i < each; i++) {
    const bool lost =
        perhaps_clipped({a.y[i], a.c1[i], a.c2[i]}, k) || perhaps_clipped({b.y[i], b.c1[i], b.c2[i]}, k);
    may |= static_cast<std::uint32_t>(!lost) << i;
  }
  return may;
}

// The block's samples: how many, E0, and the median bin of step 1.
struct Start {
  int n, bin;
  std::uint32_t e0;
};
// `expected`: where the median may be.
__device__ Start start_of(Sum &sum, Median &median, const Pairs &p, int expected, bool chroma,
                          float luma_gain) {
  // A sample's bin is what `value` is in units of `unit`, rounded down.
  const float scale = chroma ? 1.f : 64.f, half = chroma ? 0.5f : 0.f, gain = chroma ? luma_gain : 0.f;
  const auto value = [&](int i) { return fmaf(scale, p.y[i], half) - gain * (p.b[i] - 128); };
  const auto unit = [&](int i) { return chroma ? 1.f : p.b[i]; };
  std::uint32_t up_to[4] = {}; // that are in bins of at most expected - 2 to expected + 1
  float e0 = 0;
#pragma unroll
  for (int i = 0; i < each; i++) {
#pragma unroll
    for (int k = 0; k < 4; k++) up_to[k] += value(i) < static_cast<float>(expected - 1 + k) * unit(i);
    e0 += p.has(i) ? fminf(fabsf(p.y[i] - p.b[i]), most_error) : 0.f;
  }
  std::uint32_t v[3] = {packed(static_cast<std::uint32_t>(each - p.none), 4 * static_cast<std::uint32_t>(e0)),
                        packed(up_to[0], up_to[1]), packed(up_to[2], up_to[3])};
  sum.up(v);
  const std::uint32_t n = v[0] >> low_bits;
  const std::uint32_t all[4] = {v[1] >> low_bits, low_of(v[1]), v[2] >> low_bits, low_of(v[2])};
  Start s{static_cast<int>(n), expected, low_of(v[0])};
  if (n < min_samples) return s;
  if (expected >= 2 && expected + 2 < bins && 2 * all[0] < n && 2 * all[3] >= n)
    s.bin = expected - 1 + (2 * all[1] < n) + (2 * all[2] < n);
  else
    s.bin = median.find(p, s.n, [&](int i) {
      return chroma ? static_cast<int>(floorf(value(i))) : quotient(value(i), unit(i));
    });
  return s;
}

// Of the samples against a line: sums over those within a distance; how many are in the first `near_bins`
// bins; how many agree with the line, and E.
struct Look {
  Sums sums;
  std::uint32_t near, agreeing, e;
};
// Four bytes of 255 or 0, by the signs of four numbers.
__device__ __forceinline__ std::uint32_t signs(float a, float b, float c, float d) {
  std::uint32_t low, high, all; // a byte's number + 8 is its sign
  asm("prmt.b32 %0, %1, %2, 0x00fb;" : "=r"(low) : "r"(__float_as_uint(a)), "r"(__float_as_uint(b)));
  asm("prmt.b32 %0, %1, %2, 0x00fb;" : "=r"(high) : "r"(__float_as_uint(c)), "r"(__float_as_uint(d)));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(all) : "r"(low), "r"(high));
  return all;
}
__device__ float next_above(float v) { // v > 0
  return __uint_as_float(__float_as_uint(v) + 1);
}
// error_of(distance) as the lowest bits of a number in whose unit is 1.
__device__ std::uint32_t error_bits(float distance) {
  return __float_as_uint(__fmaf_rz(fminf(distance, most_error), 4.f, 0x1p23f));
}
__device__ std::uint32_t errors_of(const Pairs &p, std::uint32_t all_bits) {
  return all_bits - each * __float_as_uint(0x1p23f) - static_cast<std::uint32_t>(4 * most_error * p.none);
}
// What the line is judged by, agreeing and E, only where it is asked for.
__device__ Look look(Sum &sum, const Pairs &p, const Line &l, float within, bool judging) {
  constexpr float first = near_bins / 4.f;
  const float edge = next_above(within), agrees = 8 * fmaxf(1.f, l.gain);
  std::uint32_t v[most_sums] = {}, n = 0, near = 0, agreeing = 0, e = 0;
#pragma unroll
  for (int w = 0; w < words; w++) {
    float d[4];
#pragma unroll
    for (int k = 0; k < 4; k++) d[k] = distance(l, p.b[4 * w + k], p.y[4 * w + k]);
    if (judging) {
#pragma unroll
      for (int k = 0; k < 4; k++) {
        agreeing += d[k] <= agrees;
        e += error_bits(d[k]);
      }
    }
    const std::uint32_t in = signs(d[0] - edge, d[1] - edge, d[2] - edge, d[3] - edge);
    near += static_cast<std::uint32_t>(__popc(signs(d[0] - first, d[1] - first, d[2] - first, d[3] - first)));
    n += static_cast<std::uint32_t>(__popc(in));
    const std::uint32_t b = p.bytes.b[w] & in, y = p.bytes.y[w] & in;
    v[1] = __dp4a(b, 0x01010101u, v[1]);
    v[2] = __dp4a(y, 0x01010101u, v[2]);
    v[3] = __dp4a(b, p.bytes.b[w], v[3]);
    v[4] = __dp4a(b, p.bytes.y[w], v[4]);
  }
  v[0] = packed(n / 8, near / 8);
  v[5] = packed(agreeing, errors_of(p, e));
  sum.up(v);
  return {{v[0] >> low_bits, v[1], v[2], v[3], v[4]}, low_of(v[0]), v[5] >> low_bits, low_of(v[5])};
}
__device__ std::uint32_t errors_alone(Sum &sum, const Pairs &p, const Line &l) {
  std::uint32_t e = 0;
#pragma unroll
  for (int i = 0; i < each; i++) e += error_bits(distance(l, p.b[i], p.y[i]));
  std::uint32_t v[1] = {errors_of(p, e)};
  sum.up(v);
  return v[0];
}

// fit() with two divisions, from whole numbers.
__device__ Fit<float> line_through(const Sums &s, float gain0, float hold) {
  const auto times = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int64_t>(std::uint64_t{a} * b);
  };
  const auto n = static_cast<float>(s.n);
  const auto var = static_cast<float>(times(s.n, s.bb) - times(s.b, s.b)),
             cov = static_cast<float>(times(s.n, s.by) - times(s.b, s.y)); // n^2 times these
  const float weight = hold * n * n;
  const float gain = __fdividef(fmaf(weight, gain0, cov), var + weight);
  return {gain, __fdividef(fmaf(-gain, static_cast<float>(s.b), static_cast<float>(s.y)), n)};
}
__device__ bool same(const Sums &a, const Sums &b) {
  return a.n == b.n && a.b == b.b && a.y == b.y && a.bb == b.bb && a.by == b.by;
}

// What a channel's block found out.
struct Estimate {
  Line line;
  int start;
};
// The line of a channel of which `all` samples were taken; `before`: that of the last frame; `whole`: with
// its weight and what is left of it. The same in all threads.
__device__ Estimate estimate(Sum &sum, Median &median, const Pairs &p, int all, bool yuv, bool chroma,
                             const Line &before, int expected, float luma_gain, bool whole) {
  const Start s = start_of(sum, median, p, expected, chroma, luma_gain);
  const bool enough = are_enough(s.n, all, yuv);
  Line l;
  std::uint32_t e = 0;
  bool good = false;
  if (enough) {
    const float gain0 = chroma ? luma_gain : (static_cast<float>(s.bin) + 0.5f) / 64;
    const float hold = chroma ? hold_chroma<float> : hold_luma<float>;
    l.gain = gain0;
    if (chroma) l.offset = static_cast<float>(s.bin) - gain0 * 128;
    Look seen;
    Sums last;
    float within = least_within;
    bool fixed = false; // no round will change the line
#pragma unroll 1
    for (int round = 0;;) {
      const bool judging = fixed || round >= 2; // it may be the last line
      seen = look(sum, p, l, within, judging);
      if (fixed) break;
      if (within == least_within && 2 * seen.near < static_cast<std::uint32_t>(s.n)) {
        const int bin = median.find(
            p, s.n, [&](int i) { return static_cast<int>(fminf(4 * distance(l, p.b[i], p.y[i]), bins)); });
        within = of_median * (static_cast<float>(bin) + 0.5f) / 4; // more than least_within
        continue;
      }
      within = least_within;
      fixed = seen.sums.n == 0 || (round > 0 && same(seen.sums, last));
      if (fixed && judging) break;
      if (fixed) continue;
      last = seen.sums;
      const Fit<float> f = line_through(last, gain0, hold);
      l.gain = f.gain;
      l.offset = f.offset;
      fixed = ++round == rounds;
    }
    l.agreeing = static_cast<float>(seen.agreeing) / static_cast<float>(s.n);
    good = l.agreeing >= least_agreeing && l.gain >= 1 / max_gain && l.gain <= max_gain;
    e = seen.e;
  }
  if (!good) {
    l = {1 + (before.gain - 1) * fading, before.offset * fading, 0, 0, {}};
    if (whole) e = errors_alone(sum, p, l);
  }
  return {whole ? settled(l, before, e, s.e0, enough, chroma) : l, s.bin};
}

__global__ void __launch_bounds__(threads)
    estimate_kernel(const __grid_constant__ ConstImage frame, const __grid_constant__ Shifted shifted,
                    int channels, int step, const __grid_constant__ Colours colours,
                    const DeviceState *before, DeviceState *now) {
  __shared__ Sum::Shared sums;
  __shared__ Median::Shared medians;
  const int c = blockIdx.x;
  const bool used = c < channels, yuv = is_yuv(frame.format), chroma = used && yuv && c > 0;
  const Raster raster(step, samples_along(frame.width, step), samples_along(frame.height, step));
  wait_for_earlier();
  Packed luma{}, own{};
  if (used && yuv) {
    const bool whole = channels == 3;
    const YuvSamples y(frame, whole, raster), b(shifted.seen(), whole, raster);
    const std::uint32_t may = unclipped(y, b, colours);
    luma = packed_samples(raster, b.y, y.y, may);
    own = c == 0   ? luma
          : c == 1 ? packed_samples(raster, b.c1, y.c1, may)
                   : packed_samples(raster, b.c2, y.c2, may);
  } else if (used) {
    int y[each], b[each];
    read(frame, channels, c, raster, y);
    read(shifted.seen(), channels, c, raster, b);
    own = packed_samples(raster, b, y, all_of_them);
  }
  Estimate found{before->lines.channel[c], before->start[c]};
  if (used) {
    Sum sum(sums);
    Median median(medians);
    float luma_gain = 1;
#pragma unroll 1
    for (int k = chroma ? 0 : 1; k < 2; k++) { // luma, and then the block's own channel
      const int of = k == 0 ? 0 : c;
      Packed bytes;
#pragma unroll
      for (int w = 0; w < words; w++) {
        bytes.b[w] = k == 0 ? luma.b[w] : own.b[w];
        bytes.y[w] = k == 0 ? luma.y[w] : own.y[w];
      }
      if (k == 1) begin_next(); // not sooner: its threads wait in places that other streams could use
      found = estimate(sum, median, Pairs(bytes), raster.all, yuv, k == 1 && chroma,
                       before->lines.channel[of], before->start[of], luma_gain, k == 1);
      luma_gain = found.line.gain;
    }
  }
  if (threadIdx.x != 0) return;
  now->lines.channel[c] = found.line;
  now->table[c] = table_for(found.line);
  now->start[c] = found.start;
}

} // namespace

void launch_estimate(const ConstImage &frame, const Shifted &background, int channels, int step,
                     const Colours &colours, const DeviceState *before, DeviceState *now,
                     CUstream_st *stream) {
  launch_early(estimate_kernel, dim3(3), dim3(threads), 0, stream, frame, background, channels, step, colours,
               before, now);
}

} // namespace vigil::exposure
