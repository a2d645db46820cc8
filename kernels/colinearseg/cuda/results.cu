// SPDX-License-Identifier: LGPL-2.1-or-later
// What is made of a mask: pictures, four pixels a thread, and the counts of a grid's cells, a warp for each
// cell.
#include "common/cuda/bytes.h"
#include "kernels/activity/cuda/part.cuh"
#include "kernels/colinearseg/cuda/kernels.h"

namespace vigil::colinearseg::cuda {
namespace {

constexpr int pixels = 4;
constexpr int lanes = 32, warps = 8;
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

// A lane takes rows of the cell, and of each up to 64 pixels.
__global__ void __launch_bounds__(lanes *warps)
    cells_kernel(const std::uint32_t *mask, int words, int rows, int size, int columns, int cells,
                 activity::Cell *out) {
  const int cell = blockIdx.x * warps + threadIdx.y;
  if (cell >= cells) return; // the whole warp
  const int left = cell % columns * size, top = cell / columns * size;
  const std::uint32_t within = size < 32 ? (1u << size) - 1 : ~0u;
  activity::Part own;
  for (int y = threadIdx.x; y < size && top + y < rows; y += lanes)
    for (int x = 0; x < size && (left + x) / 32 < words; x += 32) {
      const std::uint32_t word = mask[std::ptrdiff_t(top + y) * words + (left + x) / 32];
      const std::uint32_t bits = word >> left % 32 & within;
      if (bits) own = join(own, activity::part_of(bits, std::uint32_t(x), std::uint32_t(y)));
    }
  activity::write_cell(own, out[cell]);
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

void launch_cells(const std::uint32_t *mask, int words, int rows, const activity::Grid &grid,
                  activity::Cell *cells, cudaStream_t stream) {
  const dim3 threads(lanes, warps);
  cells_kernel<<<(grid.cells() + warps - 1) / warps, threads, 0, stream>>>(mask, words, rows, grid.size,
                                                                           grid.columns, grid.cells(), cells);
}

} // namespace vigil::colinearseg::cuda
