// SPDX-License-Identifier: LGPL-2.1-or-later
// From a frame to the cells of all scales (sift.h).
#include "common/cuda/bytes.h"
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/sift.h"

#include <numbers>

namespace vigil::fisher::cuda {
namespace {

// The picture is blockIdx.y.
struct Place {
  int scale, x, y;
};
__device__ Place place(const Blocks &blocks, int scales) {
  int s = 0;
  while (s + 1 < scales && blockIdx.x >= blocks.first[s + 1]) s++;
  const unsigned b = blockIdx.x - blocks.first[s];
  return {s, static_cast<int>(b % blocks.wide[s] * block_width + threadIdx.x),
          static_cast<int>(b / blocks.wide[s] * block_height + threadIdx.y)};
}

// Luma of 0..255.
template <bool colour>
__device__ __forceinline__ float luma(const ConstImage &frame, const std::uint8_t *row, int x) {
  if constexpr (!colour) return row[x];
  const std::uint32_t v = load<4>(row + 4 * static_cast<std::ptrdiff_t>(x), 4).word[0];
  const float first = static_cast<float>(v & 255u), green = static_cast<float>(v >> 8 & 255u),
              third = static_cast<float>(v >> 16 & 255u);
  const bool rgb = frame.format == PixelFormat::rgba;
  return float(luma_red) * (rgb ? first : third) + float(luma_green) * green +
         float(luma_blue) * (rgb ? third : first);
}

// What is summed up is the difference from one of the pixels: a flat area stays exactly flat, whatever its
// weights.
template <bool colour>
__global__ void __launch_bounds__(block_width *block_height)
    resize_kernel(const __grid_constant__ Pyramid pyramid, const __grid_constant__ ConstImage frame,
                  const std::ptrdiff_t apart) {
  const auto [s, x, y] = place(pyramid.resize, pyramid.count);
  const Scale &scale = pyramid.scale[s];
  if (x >= scale.width || y >= scale.height) return;
  const Axis &across = scale.axis[0], &down = scale.axis[1];
  const int x0 = across.start[x], y0 = down.start[y];
  Plane<const std::uint8_t> plane = frame.plane(0);
  plane.data += apart * blockIdx.y;
  const float origin = luma<colour>(frame, plane.row(y0), x0);
  float sum = 0;
  for (int j = 0; j < down.taps; j++) {
    const float weight = down.weight[static_cast<std::size_t>(j) * down.size + y];
    const std::uint8_t *row = plane.row(min(y0 + j, down.input - 1));
    float of_row = 0;
    for (int i = 0; i < across.taps; i++)
      of_row += across.weight[static_cast<std::size_t>(i) * across.size + x] *
                (luma<colour>(frame, row, min(x0 + i, across.input - 1)) - origin);
    sum += weight * of_row;
  }
  scale.picture[blockIdx.y * pyramid.picture_apart + static_cast<std::size_t>(y) * scale.width + x] =
      (origin + sum) * (1.f / 255);
}

// The gradient at a pixel: its modulus split between two neighbouring orientations.
struct Gradient {
  float first, second;
  int orientation; // of `first`
};
__device__ __forceinline__ Gradient gradient(float gx, float gy) {
  constexpr float pi = std::numbers::pi_v<float>;
  const float modulus = sqrtf(gx * gx + gy * gy);
  const float b = fabsf(gy) + float(norm_epsilon);
  const bool right = gx >= 0;
  const float r = right ? __fdividef(gx - b, gx + b) : __fdividef(gx + b, b - gx);
  const float p = right ? pi / 4 : 3 * pi / 4;
  float angle = p + (float(angle_cubic) * r * r - float(angle_linear)) * r;
  angle = gy < 0 ? -angle : angle;
  const float n = angle * (orientations / (2 * pi)), below = floorf(n), part = (n - below) * modulus;
  return {modulus - part, part, static_cast<int>(below) & (orientations - 1)};
}

// The centre of cell i.
__device__ __forceinline__ int centre(const Lattice &l, const Pyramid &p, int i) {
  return l.unit > 0 ? i * l.unit : i / bins * p.step + i % bins * p.bin_size;
}

__global__ void __launch_bounds__(block_width *block_height)
    rows_kernel(const __grid_constant__ Pyramid pyramid) {
  const auto [s, cell, y] = place(pyramid.rows, pyramid.count);
  const Scale &scale = pyramid.scale[s];
  const int cells = scale.lattice[0].count;
  if (cell >= cells || y >= scale.height) return;
  const int last = scale.width - 1, above = max(y - 1, 0), below = min(y + 1, scale.height - 1);
  const float *picture = scale.picture + blockIdx.y * pyramid.picture_apart,
              *row = picture + static_cast<std::size_t>(y) * scale.width,
              *row_above = picture + static_cast<std::size_t>(above) * scale.width,
              *row_below = picture + static_cast<std::size_t>(below) * scale.width;
  const float half_y = below - above == 2 ? 0.5f : 1.f; // at the border there is one neighbour
  const int middle = centre(scale.lattice[0], pyramid, cell), bin = pyramid.bin_size;
  const float share = 1.f / bin;
  float sums[orientations] = {};
  for (int t = 1 - bin; t < bin; t++) {
    const int x = min(max(middle + t, 0), last), left = max(x - 1, 0), right = min(x + 1, last);
    const float half_x = right - left == 2 ? 0.5f : 1.f;
    const Gradient g = gradient(half_x * (row[right] - row[left]), half_y * (row_below[x] - row_above[x]));
    const float weight = 1 - abs(t) * share;
    const int next = (g.orientation + 1) & (orientations - 1);
#pragma unroll
    for (int o = 0; o < orientations; o++)
      sums[o] += weight * (o == g.orientation ? g.first : o == next ? g.second : 0.f);
  }
  float4 *out =
      scale.rows_out + blockIdx.y * pyramid.rows_apart + (static_cast<std::size_t>(y) * cells + cell) * 2;
  out[0] = make_float4(sums[0], sums[1], sums[2], sums[3]);
  out[1] = make_float4(sums[4], sums[5], sums[6], sums[7]);
}

// A thread makes four orientations of a cell.
__global__ void __launch_bounds__(block_width *block_height)
    columns_kernel(const __grid_constant__ Pyramid pyramid) {
  const auto [s, x, cell] = place(pyramid.columns, pyramid.count);
  const Scale &scale = pyramid.scale[s];
  const int wide = 2 * scale.lattice[0].count, last = scale.height - 1;
  if (x >= wide || cell >= scale.lattice[1].count) return;
  const int middle = centre(scale.lattice[1], pyramid, cell), bin = pyramid.bin_size;
  const float share = 1.f / bin;
  const float4 *rows = scale.rows_out + blockIdx.y * pyramid.rows_apart;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int t = 1 - bin; t < bin; t++) {
    const int y = min(max(middle + t, 0), last);
    const float weight = 1 - abs(t) * share;
    const float4 v = rows[static_cast<std::size_t>(y) * wide + x];
    sum.x += weight * v.x;
    sum.y += weight * v.y;
    sum.z += weight * v.z;
    sum.w += weight * v.w;
  }
  scale.cells[blockIdx.y * pyramid.cells_apart + static_cast<std::size_t>(cell) * wide + x] = sum;
}

const dim3 threads(block_width, block_height);

} // namespace

void launch_resize(const Pyramid &p, const Pictures &pictures, cudaStream_t stream) {
  const PixelFormat format = pictures.first.format;
  const bool colour = format == PixelFormat::rgba || format == PixelFormat::bgra;
  const auto kernel = colour ? resize_kernel<true> : resize_kernel<false>;
  const dim3 blocks(p.resize.first[p.count], pictures.count);
  kernel<<<blocks, threads, 0, stream>>>(p, pictures.first, pictures.apart);
  cuda_check(cudaGetLastError(), "resizing a frame");
}
void launch_rows(const Pyramid &p, int pictures, cudaStream_t stream) {
  rows_kernel<<<dim3(p.rows.first[p.count], pictures), threads, 0, stream>>>(p);
  cuda_check(cudaGetLastError(), "dense SIFT");
}
void launch_columns(const Pyramid &p, int pictures, cudaStream_t stream) {
  columns_kernel<<<dim3(p.columns.first[p.count], pictures), threads, 0, stream>>>(p);
  cuda_check(cudaGetLastError(), "dense SIFT");
}

} // namespace vigil::fisher::cuda
