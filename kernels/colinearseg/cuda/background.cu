// SPDX-License-Identifier: LGPL-2.1-or-later
// The background learns and adapts: four pixels a thread, each access 16 bytes where addresses allow. Exact
// values are three planes, one a channel, so that a thread's four are next to each other.
#include "common/cuda/bytes.h"
#include "kernels/colinearseg/cuda/kernels.h"

namespace vigil::colinearseg::cuda {
namespace {

constexpr int pixels = 4;
constexpr std::uint32_t opaque = 0xff000000u;
const dim3 threads(32, 8);

struct Spot {
  int x, y, count; // the pixels of a thread: x .. x + count - 1 of row y; 0: none
  __device__ Spot(int width, int height)
      : x((blockIdx.x * blockDim.x + threadIdx.x) * pixels), y(blockIdx.y * blockDim.y + threadIdx.y),
        count(y < height ? min(width - x, pixels) : 0) {}
};
__device__ uint4 &exact_at(const Exact &e, int height, int channel, const Spot &s) {
  return *reinterpret_cast<uint4 *>(e.values + (std::ptrdiff_t(channel) * height + s.y) * e.pitch + s.x);
}
// Calls fn(value, channel, pixel of the four).
template <class Fn>
__device__ void for_each_value(uint4 (&exact)[3], Fn fn) {
#pragma unroll
  for (int c = 0; c < 3; c++) {
    fn(exact[c].x, c, 0);
    fn(exact[c].y, c, 1);
    fn(exact[c].z, c, 2);
    fn(exact[c].w, c, 3);
  }
}

// Reads, steps and writes the exact values of a thread's pixels, and the bytes that level(value) makes of
// them.
template <class Step, class Level>
__device__ void change(const Spot &s, const Exact &e, Plane<std::uint8_t> background, Step step,
                       Level level) {
  uint4 exact[3];
#pragma unroll
  for (int c = 0; c < 3; c++) exact[c] = exact_at(e, background.height, c, s);
  Bytes<16> bytes{{opaque, opaque, opaque, opaque}};
  for_each_value(exact, [&](std::uint32_t &value, int c, int i) {
    value = step(value, c, i);
    bytes.word[i] |= level(value) << 8 * c;
  });
#pragma unroll
  for (int c = 0; c < 3; c++) exact_at(e, background.height, c, s) = exact[c];
  store(background.row(s.y) + 4 * s.x, bytes, 4 * s.count);
}

__global__ void __launch_bounds__(256)
    learn_kernel(Rgba frame, Exact exact, int learnt, Plane<std::uint8_t> background) {
  const Spot s(frame.width, frame.height);
  if (s.count <= 0) return;
  const Bytes<16> colours = load<16>(frame.row(s.y) + 4 * s.x, 4 * s.count);
  change(
      s, exact, background,
      [&](std::uint32_t sum, int c, int i) { return sum + byte_of(colours.word[i], c); },
      [&](std::uint32_t sum) { return (sum + std::uint32_t(learnt) / 2) / std::uint32_t(learnt); });
}

__global__ void __launch_bounds__(256) adapt_kernel(Rgba frame, const std::uint32_t *mask, int words,
                                                    Exact exact, int rate, Plane<std::uint8_t> background) {
  const Spot s(frame.width, frame.height);
  if (s.count <= 0) return;
  const Bytes<16> colours = load<16>(frame.row(s.y) + 4 * s.x, 4 * s.count);
  const std::uint32_t labels = mask[std::ptrdiff_t(s.y) * words + s.x / 32] >> s.x % 32;
  change(
      s, exact, background,
      [&](std::uint32_t value, int c, int i) {
        return labels >> i & 1 ? value : adapted(value, int(byte_of(colours.word[i], c)), rate);
      },
      [](std::uint32_t value) { return (value + 32768) >> 16; });
}

__global__ void __launch_bounds__(256) spread_kernel(Rgba background, Exact exact) {
  const Spot s(background.width, background.height);
  if (s.count <= 0) return;
  const Bytes<16> colours = load<16>(background.row(s.y) + 4 * s.x, 4 * s.count);
  uint4 values[3];
  for_each_value(values,
                 [&](std::uint32_t &value, int c, int i) { value = byte_of(colours.word[i], c) << 16; });
#pragma unroll
  for (int c = 0; c < 3; c++) exact_at(exact, background.height, c, s) = values[c];
}

dim3 blocks_for(int width, int height) {
  const int across = pixels * int(threads.x), down = int(threads.y);
  return dim3((width + across - 1) / across, (height + down - 1) / down);
}

} // namespace

void launch_learn(Rgba frame, const Exact &exact, int learnt, Plane<std::uint8_t> background,
                  cudaStream_t stream) {
  learn_kernel<<<blocks_for(frame.width, frame.height), threads, 0, stream>>>(frame, exact, learnt,
                                                                              background);
}
void launch_adapt(Rgba frame, const std::uint32_t *mask, int words, const Exact &exact, int rate,
                  Plane<std::uint8_t> background, cudaStream_t stream) {
  adapt_kernel<<<blocks_for(frame.width, frame.height), threads, 0, stream>>>(frame, mask, words, exact, rate,
                                                                              background);
}
void launch_spread(Rgba background, const Exact &exact, cudaStream_t stream) {
  spread_kernel<<<blocks_for(background.width, background.height), threads, 0, stream>>>(background, exact);
}

} // namespace vigil::colinearseg::cuda
