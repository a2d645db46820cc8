// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread reads 16 bytes and writes 8.
#include "common/cuda/bytes.h"
#include "kernels/convert/cuda/kernels.h"

namespace vigil::convert {
namespace {

constexpr int samples = 8; // of a thread

__global__ void __launch_bounds__(256)
    high_bytes_kernel(Plane<const std::uint8_t> from, int row_samples, Plane<std::uint8_t> to) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * samples, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= row_samples || y >= to.height) return;
  const int count = row_samples - x;
  const Bytes<16> in = load<16>(from.row(y) + 2 * x, 2 * count);
  Bytes<8> out;
#pragma unroll
  for (int i = 0; i < 2; i++) out.word[i] = __byte_perm(in.word[2 * i], in.word[2 * i + 1], 0x7531);
  store(to.row(y) + x, out, count);
}

} // namespace

void launch_high_bytes(const ConstImage &from, const Image &to, CUstream_st *stream) {
  const dim3 threads(32, 8);
  for (int i = 0; i < plane_count(to.format); i++) {
    const int row_samples = int(row_bytes(to.format, i, to.width)), across = samples * int(threads.x);
    const dim3 blocks((row_samples + across - 1) / across,
                      (plane_rows(i, to.height) + threads.y - 1) / threads.y);
    high_bytes_kernel<<<blocks, threads, 0, stream>>>(from.plane(i), row_samples, to.plane(i));
  }
}

} // namespace vigil::convert
