// SPDX-License-Identifier: LGPL-2.1-or-later
// The estimate: a block of threads a channel, which keeps its samples in registers; medians come from histograms in shared
// memory, sums are integers. Chroma needs luma's gain: its block finds that first, by itself, so that no block waits for
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
  std::uint32_t histogram[bins];
  std::uint32_t part[warps][5];
  Line line; // of the moment
  int count, median;
};

// A thread's samples of one channel: b in the lower byte, y in the upper; 0 is none.
struct Pairs {
  std::uint16_t at[each];
  __device__ int b(int i) const { return at[i] & 255; }
  __device__ int y(int i) const { return at[i] >> 8; }
};

// The median's bin of bin_of(i) over all samples of the block; all threads return it.
template <class BinOf>
__device__ int median(Shared &s, const Pairs &p, int n, BinOf bin_of) {
  for (int i = threadIdx.x; i < bins; i += threads) s.histogram[i] = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < each; i++)
    if (p.at[i]) atomicAdd(&s.histogram[max(0, min(bin_of(i), bins - 1))], 1u);
  __syncthreads();
  if (threadIdx.x < 32) {
    constexpr int own = bins / 32;
    std::uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < own; k++) sum += s.histogram[threadIdx.x * own + k];
    std::uint32_t before = sum;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, before, apart);
      if (threadIdx.x >= static_cast<unsigned>(apart)) before += other;
    }
    before -= sum; // of the bins before this lane's
    const auto half = [&](std::uint32_t count) { return 2 * count >= static_cast<std::uint32_t>(n); };
    if (!half(before) && half(before + sum)) {
      int bin = threadIdx.x * own;
      for (; bin < static_cast<int>(threadIdx.x * own + own) - 1; bin++) {
        before += s.histogram[bin];
        if (half(before)) break;
      }
      s.median = bin;
    }
    if (threadIdx.x == 0 && n == 0) s.median = 0;
  }
  __syncthreads();
  return s.median;
}

// Sums of `values` over the block, in s.part[0]; all threads may read them afterwards.
template <int values>
__device__ void sum_up(Shared &s, std::uint32_t (&v)[values]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < values; k++) v[k] = __reduce_add_sync(~0u, v[k]);
  __syncthreads(); // the last sums were read
  if (lane == 0)
#pragma unroll
    for (int k = 0; k < values; k++) s.part[warp][k] = v[k];
  __syncthreads();
  if (warp == 0) {
#pragma unroll
    for (int k = 0; k < values; k++) {
      const std::uint32_t sum = __reduce_add_sync(~0u, lane < warps ? s.part[lane][k] : 0u);
      if (lane == 0) s.part[0][k] = sum;
    }
  }
  __syncthreads();
}

__device__ float distance(const Line &l, int b, int y) {
  return fabsf(static_cast<float>(y) - l.gain * static_cast<float>(b) - l.offset);
}

// The line of channel c; `before`: that of the last frame. The same in all threads.
__device__ Line estimate(Shared &s, const ConstImage &frame, const ConstImage &background, int channels,
                         int c, int step, const Line &before, float luma_gain) {
  const int columns = samples_along(frame.width, step), all = columns * samples_along(frame.height, step);
  const bool chroma = has_chroma_planes(frame.format) && c > 0;
  Pairs p;
  std::uint32_t found[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++) {
    const int k = i * threads + static_cast<int>(threadIdx.x);
    p.at[i] = 0;
    if (k >= all) continue;
    const int x = k % columns * step + step / 2, y = k / columns * step + step / 2;
    const int b = sample(background, channels, c, x, y), v = sample(frame, channels, c, x, y);
    if (!usable(b, v)) continue;
    p.at[i] = static_cast<std::uint16_t>(b | v << 8);
    found[0]++;
  }
  sum_up(s, found);
  const int n = static_cast<int>(s.part[0][0]);
  const Line faded{1 + (before.gain - 1) * fading, before.offset * fading, 0};
  if (n < min_samples || n * 10 < all) return faded;

  Line l;
  float gain0 = luma_gain;
  if (!chroma) {
    const int bin = median(s, p, n, [&](int i) { return 64 * p.y(i) / p.b(i); });
    gain0 = (static_cast<float>(bin) + 0.5f) / 64;
  } else {
    const int shift = median(s, p, n, [&](int i) {
      return static_cast<int>(
          floorf(static_cast<float>(p.y(i)) - gain0 * static_cast<float>(p.b(i) - 128) + 0.5f));
    });
    l.offset = static_cast<float>(shift) - gain0 * 128;
  }
  l.gain = gain0;
  for (int round = 0; round < rounds; round++) {
    const int bin = median(s, p, n, [&](int i) { return static_cast<int>(4 * distance(l, p.b(i), p.y(i))); });
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
    sum_up(s, v);
    const Sums sums{s.part[0][0], s.part[0][1], s.part[0][2], s.part[0][3], s.part[0][4]};
    if (sums.n == 0) break;
    const Fit<float> f = fit<float>(sums, gain0, chroma ? hold_chroma<float> : hold_luma<float>);
    l.gain = f.gain;
    l.offset = f.offset;
  }
  std::uint32_t agreeing[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++)
    agreeing[0] += p.at[i] && distance(l, p.b(i), p.y(i)) <= 8 * fmaxf(1.f, l.gain);
  sum_up(s, agreeing);
  l.agreeing = static_cast<float>(s.part[0][0]) / static_cast<float>(n);
  const bool good = l.agreeing >= least_agreeing && l.gain >= 1 / max_gain && l.gain <= max_gain;
  return good ? l : faded;
}

__global__ void __launch_bounds__(threads)
    estimate_kernel(ConstImage frame, ConstImage background, int channels, int step, const Lines *before,
                    Lines *now) {
  __shared__ Shared s;
  const int c = blockIdx.x;
  const Lines last = *before;
  float luma_gain = 1;
  if (c >= channels) {
    if (threadIdx.x == 0) now->channel[c] = last.channel[c];
    return;
  }
  if (has_chroma_planes(frame.format) && c > 0)
    luma_gain = estimate(s, frame, background, channels, 0, step, last.channel[0], 1).gain;
  const Line l = estimate(s, frame, background, channels, c, step, last.channel[c], luma_gain);
  if (threadIdx.x == 0) now->channel[c] = l;
}

constexpr int map_threads = 256;
constexpr int piece = 16;

__global__ void __launch_bounds__(map_threads)
    map_kernel(ConstImage frame, ConstImage background, int channels, const Lines *lines, Image out) {
  const int plane = blockIdx.z, y = blockIdx.y;
  const int rows = plane_rows(plane, frame.height),
            bytes = static_cast<int>(row_bytes(frame.format, plane, frame.width));
  const int at = (static_cast<int>(blockIdx.x) * map_threads + static_cast<int>(threadIdx.x)) * piece;
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
                     const Lines *before, Lines *now, CUstream_st *stream) {
  estimate_kernel<<<3, threads, 0, stream>>>(frame, background, channels, step, before, now);
}

void launch_map(const ConstImage &frame, const ConstImage &background, int channels, const Lines *lines,
                const Image &out, CUstream_st *stream) {
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const dim3 blocks((bytes + map_threads * piece - 1) / (map_threads * piece), frame.height,
                    plane_count(frame.format));
  map_kernel<<<blocks, map_threads, 0, stream>>>(frame, background, channels, lines, out);
}

} // namespace vigil::exposure
