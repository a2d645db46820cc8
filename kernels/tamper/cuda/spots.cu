// SPDX-License-Identifier: LGPL-2.1-or-later
// Spots on a GPU: a thread for each cell.
#include "kernels/tamper/cuda/kernels.h"
#include "kernels/tamper/spot_at.h"

namespace vigil::tamper {
namespace {

constexpr int threads = 64; // a block

__global__ void __launch_bounds__(threads) spots_kernel(ConstImage picture, Layout layout, Spot *spots) {
  const int cell = blockIdx.x * threads + threadIdx.x;
  if (cell < layout.cells()) spots[cell] = spot_at(picture, layout, cell);
}

} // namespace

void launch_spots(const ConstImage &picture, const Layout &layout, Spot *spots, CUstream_st *stream) {
  const int blocks = (layout.cells() + threads - 1) / threads;
  if (blocks > 0) spots_kernel<<<blocks, threads, 0, stream>>>(picture, layout, spots);
}

} // namespace vigil::tamper
