// SPDX-License-Identifier: LGPL-2.1-or-later
// The sums u and v of the contract, and where they are wanted those of the posteriors, over one part of the
// tiles that a picture has in a chunk: a warp for each component, a lane for every 32nd dimension. Only
// descriptors whose bit is set are touched, a few of a hundred as a rule. The warp lists those of 32 tiles
// first, in order, so that it can have several on their way from the cache at a time, wherever they are.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

#include <type_traits>

namespace vigil::fisher::cuda {
namespace {

constexpr int threads = 32 * group, at_once = 8;
constexpr unsigned all = 0xffffffffu;

template <int pieces, bool with_mass, bool weighted> // pieces of 32 dimensions
__global__ void __launch_bounds__(threads, pieces <= 3 ? 4 : 2)
    sums_kernel(const Mixture m, const Chunk chunk, const Parts parts, const bool add) {
  __shared__ std::uint16_t lists[group][32 * tile]; // of descriptors, counted from the first of 32 tiles
  const int lane = threadIdx.x % 32, row = row_of_x(m.dimension);
  const int picture = blockIdx.y / parts.count, part = blockIdx.y - picture * parts.count;
  const int component = blockIdx.x * group + threadIdx.x / 32;
  if (component >= m.components) return; // the whole warp; warps have nothing in common
  std::uint16_t *list = lists[threadIdx.x / 32];
  const int tiles = chunk.tiles(), first_tile = picture * tiles;
  const int begin = first_tile + static_cast<int>(static_cast<std::int64_t>(tiles) * part / parts.count),
            end = first_tile + static_cast<int>(static_cast<std::int64_t>(tiles) * (part + 1) / parts.count);
  const float *weights = nullptr; // of the picture's descriptors
  if constexpr (weighted)
    weights = chunk.weights + static_cast<std::size_t>(picture) * chunk.count + chunk.first;
  float mean[pieces], inverse[pieces], u[pieces] = {}, v[pieces] = {}, mass = 0;
  int k_of_piece[pieces];
#pragma unroll
  for (int p = 0; p < pieces; p++) { // rows are padded with zeros
    k_of_piece[p] = min(32 * p + lane, m.dimension - 1);
    mean[p] = m.means[static_cast<std::size_t>(component) * m.row + 32 * p + lane];
    inverse[p] = m.inverse[static_cast<std::size_t>(component) * m.row + 32 * p + lane];
  }
  for (int base = begin; base < end; base += 32) {
    std::uint64_t mask = 0;
    if (base + lane < end) mask = chunk.masks[static_cast<std::size_t>(base + lane) * m.padded + component];
    int at = __popcll(mask); // where this lane's entries end, then begin
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
      const int before = __shfl_up_sync(all, at, apart);
      if (lane >= apart) at += before;
    }
    const int count = __shfl_sync(all, at, 31);
    at -= __popcll(mask);
    for (; mask != 0; mask &= mask - 1)
      list[at++] = static_cast<std::uint16_t>(lane * tile + __ffsll(static_cast<long long>(mask)) - 1);
    __syncwarp();
    const float *x = chunk.x + static_cast<std::size_t>(base) * tile * row;
    const float *posteriors =
        chunk.posteriors + (static_cast<std::size_t>(base) * m.padded + component) * tile;
    for (int first = 0; first < count; first += at_once) {
      float q[at_once], values[at_once][pieces];
#pragma unroll
      for (int a = 0; a < at_once; a++) {
        const int i = list[min(first + a, count - 1)];
        q[a] = posteriors[static_cast<std::size_t>(i / tile) * m.padded * tile + i % tile];
        if constexpr (weighted) q[a] *= weights[(base - first_tile) * tile + i];
#pragma unroll
        for (int p = 0; p < pieces; p++) values[a][p] = x[i * row + k_of_piece[p]];
      }
#pragma unroll
      for (int a = 0; a < at_once; a++) {
        const float weight = first + a < count ? q[a] : 0;
        if constexpr (with_mass) mass += weight;
#pragma unroll
        for (int p = 0; p < pieces; p++) {
          const float z = (values[a][p] - mean[p]) * inverse[p];
          u[p] = fmaf(weight, z, u[p]);
          v[p] = fmaf(weight, fmaf(z, z, -1.f), v[p]);
        }
      }
    }
    __syncwarp(); // the list may be overwritten
  }
  float *to =
      parts.sums + (static_cast<std::size_t>(blockIdx.y) * m.components + component) * 2 * m.row + lane;
#pragma unroll
  for (int p = 0; p < pieces; p++) {
    float &to_u = to[32 * p], &to_v = to[m.row + 32 * p];
    to_u = add ? to_u + u[p] : u[p];
    to_v = add ? to_v + v[p] : v[p];
  }
  if constexpr (with_mass)
    if (lane == 0) {
      float &to_mass = parts.mass[static_cast<std::size_t>(blockIdx.y) * m.components + component];
      to_mass = add ? to_mass + mass : mass;
    }
}

} // namespace

void launch_sums(const Mixture &m, const Chunk &chunk, const Parts &parts, bool add, cudaStream_t stream) {
  const dim3 blocks((m.components - 1) / group + 1, parts.count * chunk.pictures);
  const auto launch = [&](auto pieces) { // weights and mass do not come together
    const auto kernel = parts.mass      ? sums_kernel<pieces(), true, false>
                        : chunk.weights ? sums_kernel<pieces(), false, true>
                                        : sums_kernel<pieces(), false, false>;
    kernel<<<blocks, threads, 0, stream>>>(m, chunk, parts, add);
  };
  static_assert(max_dimension <= 5 * 32);
  switch (m.row / 32) {
  case 1:
    launch(std::integral_constant<int, 1>{});
    break;
  case 2:
    launch(std::integral_constant<int, 2>{});
    break;
  case 3:
    launch(std::integral_constant<int, 3>{});
    break;
  case 4:
    launch(std::integral_constant<int, 4>{});
    break;
  default:
    launch(std::integral_constant<int, 5>{});
  }
  cuda_check(cudaGetLastError(), "Fisher sums");
}

} // namespace vigil::fisher::cuda
