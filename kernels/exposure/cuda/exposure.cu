// SPDX-License-Identifier: LGPL-2.1-or-later
// The estimate: a block of threads a channel, which keeps its samples in registers; medians are those of
// histograms in shared memory, sums are integers. Chroma needs luma's gain: its block finds that first, by
// itself, so that no block waits for another. The mapping: 16 bytes a thread.
#include "common/cuda/block_sum.h"
#include "common/cuda/bytes.h"
#include "kernels/exposure/cuda/kernels.h"
#include "kernels/exposure/samples.h"

namespace vigil::exposure {
namespace {

constexpr int threads = 512;
constexpr int each = max_samples / threads; // samples a thread
constexpr int warps = threads / 32;

// A thread's samples of one channel, whole numbers; y < 0 is none.
struct Pairs {
  float b[each], y[each];
  __device__ bool has(int i) const { return y[i] >= 0; }
};

using Sum = BlockSum<warps, 5>;

// Medians over the block's samples; all threads call it together and get the result. One barrier each.
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
    const auto *const words = reinterpret_cast<const uint4 *>(h) + 2 * lane; // 8 bins a lane
    const uint4 low = words[0], high = words[1];
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

// A thread's samples of channel c. All are read before the first is looked at.
__device__ Pairs gather(const ConstImage &frame, const ConstImage &background, int channels, int c, int step,
                        int columns, int all) {
  int b[each], y[each];
  const int rows_on = threads / columns, columns_on = threads % columns; // to a thread's next sample
  int column = static_cast<int>(threadIdx.x) % columns, row = static_cast<int>(threadIdx.x) / columns;
#pragma unroll
  for (int i = 0; i < each; i++) {
    const bool has = i * threads + static_cast<int>(threadIdx.x) < all;
    const int x = has ? column * step + step / 2 : 0, v = has ? row * step + step / 2 : 0;
    b[i] = sample(background, channels, c, x, v);
    y[i] = sample(frame, channels, c, x, v);
    column += columns_on;
    row += rows_on;
    if (column >= columns) {
      column -= columns;
      row++;
    }
  }
  Pairs p;
#pragma unroll
  for (int i = 0; i < each; i++) {
    const bool has = i * threads + static_cast<int>(threadIdx.x) < all && usable(b[i], y[i]);
    p.b[i] = static_cast<float>(b[i]);
    p.y[i] = has ? static_cast<float>(y[i]) : -1.f;
  }
  return p;
}

// The line of a channel of which `all` samples were taken; `before`: that of the last frame. The same in all
// threads.
__device__ Line estimate(Sum &sum, Median &median, const Pairs &p, int all, Channel kind, const Line &before,
                         float luma_gain) {
  const bool chroma = kind == Channel::chroma;
  std::uint32_t found[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++) found[0] += p.has(i);
  sum.up(found);
  const int n = static_cast<int>(found[0]);
  const Line faded{1 + (before.gain - 1) * fading, before.offset * fading, 0, 0, {}};
  if (n < min_samples || n * 10 < all) return settled(faded, before, 0, 0, false, kind);

  Line l;
  float gain0 = luma_gain;
  if (!chroma) {
    const int bin = median.find(p, n, [&](int i) { return quotient(64 * p.y[i], p.b[i]); });
    gain0 = (static_cast<float>(bin) + 0.5f) / 64;
  } else {
    const int shift = median.find(
        p, n, [&](int i) { return static_cast<int>(floorf(p.y[i] - gain0 * (p.b[i] - 128) + 0.5f)); });
    l.offset = static_cast<float>(shift) - gain0 * 128;
  }
  l.gain = gain0;
  for (int round = 0; round < rounds; round++) {
    const int bin = median.find(
        p, n, [&](int i) { return static_cast<int>(fminf(4 * distance(l, p.b[i], p.y[i]), bins)); });
    const float within = fmaxf(6.f, 1.5f * (static_cast<float>(bin) + 0.5f) / 4);
    float part[5] = {}; // whole numbers below 2^24
#pragma unroll
    for (int i = 0; i < each; i++) {
      const float b = p.b[i], y = p.y[i];
      if (!p.has(i) || distance(l, b, y) > within) continue;
      part[0] += 1;
      part[1] += b;
      part[2] += y;
      part[3] += b * b;
      part[4] += b * y;
    }
    std::uint32_t v[5];
#pragma unroll
    for (int k = 0; k < 5; k++) v[k] = static_cast<std::uint32_t>(part[k]);
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
    agreeing[0] += p.has(i) && distance(l, p.b[i], p.y[i]) <= 8 * fmaxf(1.f, l.gain);
  sum.up(agreeing);
  l.agreeing = static_cast<float>(agreeing[0]) / static_cast<float>(n);
  const bool good = l.agreeing >= least_agreeing && l.gain >= 1 / max_gain && l.gain <= max_gain;
  const Line now = good ? l : faded;
  std::uint32_t errors[2] = {};
#pragma unroll
  for (int i = 0; i < each; i++) {
    if (!p.has(i)) continue;
    errors[0] += error_of(distance(now, p.b[i], p.y[i]));
    errors[1] += error_of(fabsf(p.y[i] - p.b[i]));
  }
  sum.up(errors);
  return settled(now, before, errors[0], errors[1], true, kind);
}

__global__ void __launch_bounds__(threads)
    estimate_kernel(ConstImage frame, Shifted shifted, int channels, int step, const Lines *before,
                    Lines *now, Lines *told) {
  __shared__ Sum::Shared sums;
  __shared__ Median::Shared medians;
  const int c = blockIdx.x;
  const ConstImage background = shifted.seen();
  const Line last = before->channel[c];
  Line l = last;
  if (c < channels) {
    Sum sum(sums);
    Median median(medians);
    const int columns = samples_along(frame.width, step), all = columns * samples_along(frame.height, step);
    const Pairs own = gather(frame, background, channels, c, step, columns, all);
    const Channel kind = channel_kind(frame.format, c);
    float luma_gain = 1;
    if (kind == Channel::chroma) {
      const Pairs luma = gather(frame, background, channels, 0, step, columns, all);
      luma_gain = estimate(sum, median, luma, all, Channel::luma, before->channel[0], 1).gain;
    }
    l = estimate(sum, median, own, all, kind, last, luma_gain);
  }
  if (threadIdx.x != 0) return;
  now->channel[c] = l;
  if (told) told->channel[c] = l;
}

constexpr int map_columns = 32, map_rows = 8; // threads of a block
constexpr int piece = 16;

// A row of a plane that is not known when this is compiled: an index into a kernel's parameter would move all
// of it to slow memory.
template <class Picture>
__device__ auto *row_of(const Picture &p, int plane, int y) {
  auto *const data = plane == 0 ? p.data[0] : plane == 1 ? p.data[1] : p.data[2];
  return data + (plane == 0 ? p.stride[0] : plane == 1 ? p.stride[1] : p.stride[2]) * y;
}

// As load(), with four accesses where p is at a word: a background that is seen through a shift.
__device__ Bytes<piece> load_words(const std::uint8_t *p, int count) {
  if (count < piece || reinterpret_cast<std::uintptr_t>(p) % piece == 0 ||
      reinterpret_cast<std::uintptr_t>(p) % 4 != 0)
    return load<piece>(p, count);
  Bytes<piece> b;
#pragma unroll
  for (int w = 0; w < piece / 4; w++) b.word[w] = load_aligned<4>(p + 4 * w).word[0];
  return b;
}

__global__ void __launch_bounds__(map_columns *map_rows)
    map_kernel(ConstImage frame, Shifted shifted, int channels, const Lines *lines, Image out) {
  __shared__ Table table[4]; // of the bytes of a word
  __shared__ bool clips[4];
  const int plane = blockIdx.z, y = blockIdx.y * map_rows + threadIdx.y;
  if (threadIdx.y == 0 && threadIdx.x < 4) {
    const int k = threadIdx.x, c = channel_of(frame.format, channels, plane, k);
    table[k] = c >= 0 ? table_for(lines->channel[c]) : Table{};
    clips[k] = c >= 0 && !table[k].is_identity() && may_clip(frame.format, channels, c);
  }
  __syncthreads();
  const int rows = plane_rows(plane, frame.height),
            bytes = static_cast<int>(row_bytes(frame.format, plane, frame.width));
  const int at = (static_cast<int>(blockIdx.x) * map_columns + static_cast<int>(threadIdx.x)) * piece;
  if (y >= rows || at >= bytes) return;
  const int count = min(piece, bytes - at);
  const Bytes<piece> from = load<piece>(row_of(frame, plane, y) + at, count);
  Bytes<piece> to = from;
  if (!(table[0].is_identity() && table[1].is_identity() && table[2].is_identity() &&
        table[3].is_identity())) {
    const Bytes<piece> back = load_words(row_of(shifted.seen(), plane, y) + at, count);
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
  store(row_of(out, plane, y) + at, to, count);
}

} // namespace

void launch_estimate(const ConstImage &frame, const Shifted &background, int channels, int step,
                     const Lines *before, Lines *now, Lines *told, CUstream_st *stream) {
  estimate_kernel<<<3, threads, 0, stream>>>(frame, background, channels, step, before, now, told);
}

void launch_map(const ConstImage &frame, const Shifted &background, int channels, const Lines *lines,
                const Image &out, CUstream_st *stream) {
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const dim3 threads(map_columns, map_rows),
      blocks((bytes + map_columns * piece - 1) / (map_columns * piece),
             (frame.height + map_rows - 1) / map_rows, plane_count(frame.format));
  map_kernel<<<blocks, threads, 0, stream>>>(frame, background, channels, lines, out);
}

} // namespace vigil::exposure
