// SPDX-License-Identifier: LGPL-2.1-or-later
// What is made of a mask: pictures, four pixels a thread, and a byte for each pixel.
#include "common/cuda/bytes.h"
#include "kernels/colinearseg/cuda/kernels.h"

namespace vigil::colinearseg::cuda {
namespace {

constexpr int pixels = 4;
constexpr std::uint32_t opaque = 0xff000000u;

template <Show show>
__global__ void __launch_bounds__(256) picture_kernel(Rgba from, const std::uint32_t *mask, int words,
                                                      compose::Blend tint, Plane<std::uint8_t> out) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * pixels, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  const int count = out.width - x;
  const std::uint32_t labels = mask[std::ptrdiff_t(y) * words + x / 32] >> x % 32;
  Bytes<16> bytes{};
  if constexpr (show != Show::mask) bytes = load<16>(from.row(y) + 4 * x, 4 * count);
#pragma unroll
  for (int i = 0; i < pixels; i++) {
    std::uint32_t &word = bytes.word[i];
    const bool foreground = labels >> i & 1;
    if constexpr (show == Show::mask) word = foreground ? ~0u : opaque;
    if constexpr (show == Show::overlay) word = foreground ? tint(word) : word;
    if constexpr (show == Show::cutout) word = (word & ~opaque) | (foreground ? opaque : 0u);
    if constexpr (show == Show::background) word |= opaque;
  }
  store(out.row(y) + 4 * x, bytes, 4 * count);
}

// A thread takes half a word.
__global__ void __launch_bounds__(256)
    bytes_kernel(const std::uint32_t *mask, int words, Plane<std::uint8_t> out) {
  const int half = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (half >= 2 * words || y >= out.height) return;
  const std::uint32_t labels = mask[std::ptrdiff_t(y) * words + half / 2] >> half % 2 * 16;
  // Bit i of four goes to the lowest bit of byte i.
  const auto four = [&](int shift) { return ((labels >> shift & 15u) * 0x204081u & 0x1010101u) * 255u; };
  *reinterpret_cast<uint4 *>(out.row(y) + 16 * half) = {four(0), four(4), four(8), four(12)};
}

} // namespace

void launch_picture(Show show, Rgba frame, Rgba background, const std::uint32_t *mask, int words,
                    const compose::Blend &tint, Plane<std::uint8_t> out, cudaStream_t stream) {
  const dim3 threads(32, 8), blocks((out.width + 127) / 128, (out.height + 7) / 8);
  const auto launch = [&](auto kernel, const Rgba &from) {
    kernel<<<blocks, threads, 0, stream>>>(from, mask, words, tint, out);
  };
  switch (show) {
  case Show::mask:
    return launch(picture_kernel<Show::mask>, frame);
  case Show::overlay:
    return launch(picture_kernel<Show::overlay>, frame);
  case Show::cutout:
    return launch(picture_kernel<Show::cutout>, frame);
  case Show::background:
    return launch(picture_kernel<Show::background>, background);
  }
}

void launch_bytes(const std::uint32_t *mask, int words, Plane<std::uint8_t> out, cudaStream_t stream) {
  const dim3 threads(32, 8), blocks((2 * words + 31) / 32, (out.height + 7) / 8);
  bytes_kernel<<<blocks, threads, 0, stream>>>(mask, words, out);
}

} // namespace vigil::colinearseg::cuda
