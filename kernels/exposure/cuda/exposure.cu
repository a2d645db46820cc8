// SPDX-License-Identifier: LGPL-2.1-or-later
// The estimate: a block of threads a channel, which keeps its samples in registers; medians are searched for by counting, sums are
// integers. Chroma needs luma's gain: its block finds that first, by itself, so that no block waits for
// another. The mapping: 16 bytes a thread.
#include "common/cuda/bytes.h"
#include "kernels/exposure/cuda/kernels.h"
#include "kernels/exposure/samples.h"

namespace vigil::exposure {
namespace {

constexpr int threads = 512;
constexpr int each = max_samples / threads; // samples a thread
constexpr int warps = threads / 32;

struct Shared {
  // Of each warp, for one step of a sum. Two of them in turn: a warp that is ahead writes the one that nobody reads any more.
  std::uint32_t part[2][5][warps];
};

// A thread's samples of one channel: b in the lower byte, y in the upper; 0 is none.
struct Pairs {
  std::uint16_t at[each];
  __device__ int b(int i) const { return at[i] & 255; }
  __device__ int y(int i) const { return at[i] >> 8; }
};

// The sums of a block's values; all threads call it together and get all of them. One barrier each.
class Sum {
 public:
  explicit __device__ Sum(Shared &s) : s_(s) {}
  template <int values>
  __device__ void up(std::uint32_t (&v)[values]) {
    static_assert(values <= 5);
    put(v);
#pragma unroll
    for (int k = 0; k < values; k++) v[k] = __reduce_add_sync(~0u, of_warp(k));
    turn_ = 1 - turn_;
  }
  // Three counts of at most 512 in each warp, 10 bits each.
  __device__ void up_packed(std::uint32_t packed, std::uint32_t (&count)[3]) {
    std::uint32_t v[1] = {packed};
    put(v);
    const std::uint32_t part = of_warp(0);
    const std::uint32_t two = __reduce_add_sync(~0u, (part & 1023) | (part >> 10 & 1023) << 16);
    count[0] = two & 0xffff;
    count[1] = two >> 16;
    count[2] = __reduce_add_sync(~0u, part >> 20);
    turn_ = 1 - turn_;
  }

 private:
  template <int values>
  __device__ void put(const std::uint32_t (&v)[values]) {
#pragma unroll
    for (int k = 0; k < values; k++) {
      const std::uint32_t sum = __reduce_add_sync(~0u, v[k]);
      if (threadIdx.x % 32 == 0) s_.part[turn_][k][threadIdx.x / 32] = sum;
    }
    __syncthreads();
  }
  __device__ std::uint32_t of_warp(int k) const {
    const int lane = threadIdx.x % 32;
    return lane < warps ? s_.part[turn_][k][lane] : 0;
  }
  Shared &s_;
  int turn_ = 0;
};

// The median's bin of bin_of(i) over all samples of the block; all threads return it. A search in quarters instead of a histogram, in
// whose few full bins all threads would meet: each step counts the samples up to three bins.
template <class BinOf>
__device__ int median(Sum &sum, const Pairs &p, int n, BinOf bin_of) {
  static_assert(bins == 256 && 32 * each < 512);
  int bin[each];
#pragma unroll
  for (int i = 0; i < each; i++) bin[i] = p.at[i] ? max(0, min(bin_of(i), bins - 1)) : bins;
  int first = 0; // fewer than half are before it
#pragma unroll
  for (int quarter = bins / 4; quarter > 0; quarter /= 4) {
    std::uint32_t packed = 0;
#pragma unroll
    for (int i = 0; i < each; i++)
#pragma unroll
      for (int k = 0; k < 3; k++) packed += bin[i] < first + (k + 1) * quarter ? 1u << (10 * k) : 0u;
    std::uint32_t before[3];
    sum.up_packed(packed, before);
    int skip = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) skip += 2 * before[k] < static_cast<std::uint32_t>(n);
    first += skip * quarter;
  }
  return first;
}

__device__ float distance(const Line &l, int b, int y) {
  return fabsf(static_cast<float>(y) - l.gain * static_cast<float>(b) - l.offset);
}

// A thread's samples of channel c.
__device__ Pairs gather(const ConstImage &frame, const ConstImage &background, int channels, int c, int step,
                        int columns, int all) {
  Pairs p;
#pragma unroll
  for (int i = 0; i < each; i++) {
    const int k = i * threads + static_cast<int>(threadIdx.x);
    p.at[i] = 0;
    if (k >= all) continue;
    const int x = k % columns * step + step / 2, y = k / columns * step + step / 2;
    const int b = sample(background, channels, c, x, y), v = sample(frame, channels, c, x, y);
    if (usable(b, v)) p.at[i] = static_cast<std::uint16_t>(b | v << 8);
  }
  return p;
}

// The line of a channel of which `all` samples were taken; `before`: that of the last frame. The same in all threads.
__device__ Line estimate(Sum &sum, const Pairs &p, int all, bool chroma, const Line &before,
                         float luma_gain) {
  std::uint32_t found[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++) found[0] += p.at[i] != 0;
  sum.up(found);
  const int n = static_cast<int>(found[0]);
  const Line faded{1 + (before.gain - 1) * fading, before.offset * fading, 0};
  if (n < min_samples || n * 10 < all) return faded;

  Line l;
  float gain0 = luma_gain;
  if (!chroma) {
    const int bin = median(sum, p, n, [&](int i) { return 64 * p.y(i) / p.b(i); });
    gain0 = (static_cast<float>(bin) + 0.5f) / 64;
  } else {
    const int shift = median(sum, p, n, [&](int i) {
      return static_cast<int>(
          floorf(static_cast<float>(p.y(i)) - gain0 * static_cast<float>(p.b(i) - 128) + 0.5f));
    });
    l.offset = static_cast<float>(shift) - gain0 * 128;
  }
  l.gain = gain0;
  for (int round = 0; round < rounds; round++) {
    const int bin =
        median(sum, p, n, [&](int i) { return static_cast<int>(4 * distance(l, p.b(i), p.y(i))); });
    const float within = fmaxf(6.f, 1.5f * (static_cast<float>(bin) + 0.5f) / 4);
    std::uint32_t v[5] = {};
#pragma unroll
    for (int i = 0; i < each; i++) {
      if (!p.at[i] || distance(l, p.b(i), p.y(i)) > within) continue;
      const std::uint32_t b = p.b(i), y = p.y(i);
      v[0]++;
      v[1] += b;
      v[2] += y;
      v[3] += b * b;
      v[4] += b * y;
    }
    sum.up(v);
    const Sums sums{v[0], v[1], v[2], v[3], v[4]};
    if (sums.n == 0) break;
    const Fit<float> f = fit<float>(sums, gain0, chroma ? hold_chroma<float> : hold_luma<float>);
    l.gain = f.gain;
    l.offset = f.offset;
  }
  std::uint32_t agreeing[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++)
    agreeing[0] += p.at[i] && distance(l, p.b(i), p.y(i)) <= 8 * fmaxf(1.f, l.gain);
  sum.up(agreeing);
  l.agreeing = static_cast<float>(agreeing[0]) / static_cast<float>(n);
  const bool good = l.agreeing >= least_agreeing && l.gain >= 1 / max_gain && l.gain <= max_gain;
  return good ? l : faded;
}

__global__ void __launch_bounds__(threads)
    estimate_kernel(ConstImage frame, ConstImage background, int channels, int step, const Lines *before,
                    Lines *now, Lines *told) {
  __shared__ Shared s;
  const int c = blockIdx.x;
  const Lines last = *before;
  Line l = last.channel[c];
  if (c < channels) {
    Sum sum(s);
    const int columns = samples_along(frame.width, step), all = columns * samples_along(frame.height, step);
    const Pairs own = gather(frame, background, channels, c, step, columns, all);
    const bool chroma = has_chroma_planes(frame.format) && c > 0;
    float luma_gain = 1;
    if (chroma) {
      const Pairs luma = gather(frame, background, channels, 0, step, columns, all);
      luma_gain = estimate(sum, luma, all, false, last.channel[0], 1).gain;
    }
    l = estimate(sum, own, all, chroma, last.channel[c], luma_gain);
  }
  if (threadIdx.x != 0) return;
  now->channel[c] = l;
  if (told) told->channel[c] = l;
}

constexpr int map_columns = 32, map_rows = 8; // threads of a block
constexpr int piece = 16;

__global__ void __launch_bounds__(map_columns *map_rows)
    map_kernel(ConstImage frame, ConstImage background, int channels, const Lines *lines, Image out) {
  const int plane = blockIdx.z, y = blockIdx.y * map_rows + threadIdx.y;
  const int rows = plane_rows(plane, frame.height),
            bytes = static_cast<int>(row_bytes(frame.format, plane, frame.width));
  const int at = (static_cast<int>(blockIdx.x) * map_columns + static_cast<int>(threadIdx.x)) * piece;
  if (y >= rows || at >= bytes) return;
  Table table[4];
  bool clips[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int c = channel_of(frame.format, channels, plane, k);
    if (c >= 0) table[k] = table_for(lines->channel[c]);
    clips[k] = c >= 0 && !table[k].is_identity() && may_clip(frame.format, channels, c);
  }
  const int count = min(piece, bytes - at);
  const Bytes<piece> from = load<piece>(frame.plane(plane).row(y) + at, count);
  Bytes<piece> to = from;
  if (!(table[0].is_identity() && table[1].is_identity() && table[2].is_identity() &&
        table[3].is_identity())) {
    const Bytes<piece> back = load<piece>(background.plane(plane).row(y) + at, count);
#pragma unroll
    for (int w = 0; w < piece / 4; w++) {
      std::uint32_t word = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const int v = byte_of(from.word[w], k), b = byte_of(back.word[w], k);
        word |= static_cast<std::uint32_t>(clips[k] ? corrected(table[k], v, b) : table[k](v)) << (8 * k);
      }
      to.word[w] = word;
    }
  }
  store(out.plane(plane).row(y) + at, to, count);
}

} // namespace

void launch_estimate(const ConstImage &frame, const ConstImage &background, int channels, int step,
                     const Lines *before, Lines *now, Lines *told, CUstream_st *stream) {
  estimate_kernel<<<3, threads, 0, stream>>>(frame, background, channels, step, before, now, told);
}

void launch_map(const ConstImage &frame, const ConstImage &background, int channels, const Lines *lines,
                const Image &out, CUstream_st *stream) {
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const dim3 threads(map_columns, map_rows),
      blocks((bytes + map_columns * piece - 1) / (map_columns * piece),
             (frame.height + map_rows - 1) / map_rows, plane_count(frame.format));
  map_kernel<<<blocks, threads, 0, stream>>>(frame, background, channels, lines, out);
}

} // namespace vigil::exposure
