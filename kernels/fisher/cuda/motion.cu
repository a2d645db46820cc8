// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/cuda/motion.h"

#include "common/cuda/device.h"
#include "kernels/fisher/motion.h"

namespace vigil::fisher::cuda {
namespace {

constexpr int block_width = 32, block_height = 8;

template <bool colour>
__global__ void __launch_bounds__(block_width *block_height)
    difference_kernel(const __grid_constant__ ConstImage frame, std::uint8_t *kept, bool known,
                      std::uint8_t *difference) {
  const int x = static_cast<int>(blockIdx.x * block_width + threadIdx.x),
            y = static_cast<int>(blockIdx.y * block_height + threadIdx.y);
  if (x >= frame.width || y >= frame.height) return;
  const std::uint8_t *p = frame.plane(0).row(y) + (colour ? static_cast<std::ptrdiff_t>(4) * x : x);
  int now = p[0];
  if constexpr (colour)
    now = frame.format == PixelFormat::rgba ? motion_luma(p[0], p[1], p[2]) : motion_luma(p[2], p[1], p[0]);
  const std::size_t at = static_cast<std::size_t>(y) * frame.width + x;
  if (difference) difference[at] = known ? motion_difference(now, kept[at]) : 128;
  kept[at] = static_cast<std::uint8_t>(now);
}

} // namespace

void launch_difference(const ConstImage &frame, std::uint8_t *kept, bool known, std::uint8_t *difference,
                       cudaStream_t stream) {
  const bool colour = frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra;
  const auto kernel = colour ? difference_kernel<true> : difference_kernel<false>;
  const dim3 threads(block_width, block_height),
      blocks((frame.width - 1) / block_width + 1, (frame.height - 1) / block_height + 1);
  kernel<<<blocks, threads, 0, stream>>>(frame, kept, known, difference);
  cuda_check(cudaGetLastError(), "a difference picture");
}

} // namespace vigil::fisher::cuda
