// SPDX-License-Identifier: LGPL-2.1-or-later
// The estimate: a block of threads a channel, which keeps its samples in registers; medians are searched for
// by counting, sums are integers. Chroma needs luma's gain: its block finds that first, by itself, so that no
// block waits for another. The mapping: 16 bytes a thread.
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

class Sum : public BlockSum<warps, 5> {
 public:
  using BlockSum::BlockSum;
  // Three counts of at most 512 in each warp, 10 bits each.
  __device__ void up_packed(std::uint32_t packed, std::uint32_t (&count)[3]) {
    std::uint32_t v[1] = {packed};
    put(v);
    const std::uint32_t part = of_warp(0);
    const std::uint32_t two = warp_sum((part & 1023) | (part >> 10 & 1023) << 16);
    count[0] = two & 0xffff;
    count[1] = two >> 16;
    count[2] = warp_sum(part >> 20);
    turn();
  }
};

// The median's bin over all samples of the block, where lies_below(i, bin) says whether sample i is of an
// earlier bin; all threads return it. A search in quarters instead of a histogram, in whose few full bins all
// threads would meet: each step counts the samples below three bins.
template <class LiesBelow>
__device__ int median(Sum &sum, const Pairs &p, int n, LiesBelow lies_below) {
  static_assert(bins == 256 && 32 * each < 512);
  int first = 0; // fewer than half are before it
#pragma unroll
  for (int quarter = bins / 4; quarter > 0; quarter /= 4) {
    std::uint32_t packed = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
      const auto bin = static_cast<float>(first + (k + 1) * quarter);
#pragma unroll
      for (int i = 0; i < each; i++) packed += p.has(i) && lies_below(i, bin) ? 1u << (10 * k) : 0u;
    }
    std::uint32_t before[3];
    sum.up_packed(packed, before);
    int skip = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) skip += 2 * before[k] < static_cast<std::uint32_t>(n);
    first += skip * quarter;
  }
  return first;
}
// The same for a value of each sample that is rounded down to its bin, and counts in the first where it is
// negative.
template <class ValueOf>
__device__ int median_of(Sum &sum, const Pairs &p, int n, ValueOf value_of) {
  float value[each];
#pragma unroll
  for (int i = 0; i < each; i++) value[i] = p.has(i) ? value_of(p.b[i], p.y[i]) : INFINITY;
  return median(sum, p, n, [&](int i, float bin) { return value[i] < bin; });
}

__device__ float distance(const Line &l, float b, float y) {
  return fabsf(y - l.gain * b - l.offset);
}

// A thread's samples of channel c. All are read before the first is looked at.
__device__ Pairs gather(const ConstImage &frame, const ConstImage &background, int channels, int c, int step,
                        int columns, int all) {
  int b[each], y[each];
#pragma unroll
  for (int i = 0; i < each; i++) {
    const int k = min(i * threads + static_cast<int>(threadIdx.x), all - 1);
    const int column = k % columns * step + step / 2, row = k / columns * step + step / 2;
    b[i] = sample(background, channels, c, column, row);
    y[i] = sample(frame, channels, c, column, row);
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
__device__ Line estimate(Sum &sum, const Pairs &p, int all, bool chroma, const Line &before,
                         float luma_gain) {
  std::uint32_t found[1] = {0};
#pragma unroll
  for (int i = 0; i < each; i++) found[0] += p.has(i);
  sum.up(found);
  const int n = static_cast<int>(found[0]);
  const Line faded{1 + (before.gain - 1) * fading, before.offset * fading, 0, 0, {}};
  if (n < min_samples || n * 10 < all) return settled(faded, before, 0, 0, false, chroma);

  Line l;
  float gain0 = luma_gain;
  if (!chroma) { // 64 y / b rounded down, without a division
    const int bin = median(sum, p, n, [&](int i, float bin) { return 64 * p.y[i] < bin * p.b[i]; });
    gain0 = (static_cast<float>(bin) + 0.5f) / 64;
  } else {
    const int shift = median_of(sum, p, n, [&](float b, float y) { return y - gain0 * (b - 128) + 0.5f; });
    l.offset = static_cast<float>(shift) - gain0 * 128;
  }
  l.gain = gain0;
  for (int round = 0; round < rounds; round++) {
    const int bin = median_of(sum, p, n, [&](float b, float y) { return 4 * distance(l, b, y); });
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
  return settled(now, before, errors[0], errors[1], true, chroma);
}

__global__ void __launch_bounds__(threads)
    estimate_kernel(ConstImage frame, Shifted shifted, int channels, int step, const Lines *before,
                    Lines *now, Lines *told) {
  __shared__ Sum::Shared s;
  const int c = blockIdx.x;
  const ConstImage background = shifted.seen();
  const Line last = before->channel[c];
  Line l = last;
  if (c < channels) {
    Sum sum(s);
    const int columns = samples_along(frame.width, step), all = columns * samples_along(frame.height, step);
    const Pairs own = gather(frame, background, channels, c, step, columns, all);
    const bool chroma = has_chroma_planes(frame.format) && c > 0;
    float luma_gain = 1;
    if (chroma) {
      const Pairs luma = gather(frame, background, channels, 0, step, columns, all);
      luma_gain = estimate(sum, luma, all, false, before->channel[0], 1).gain;
    }
    l = estimate(sum, own, all, chroma, last, luma_gain);
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
