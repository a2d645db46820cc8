// SPDX-License-Identifier: LGPL-2.1-or-later
// Work as a kernel's parameter, and how threads find their pixels, samples and rates in it.
#pragma once

#include "common/cuda/bytes.h"
#include "common/cuda/device.h"
#include "kernels/mog/cuda/engine.h"
#include "kernels/mog/cuda/real.cuh"

#include <algorithm>
#include <bit>

namespace vigil::mog::cuda {

inline constexpr int threads = 128; // a block of threads; they share a row

template <class T>
struct Frame {
  const std::uint8_t *data[3];
  std::ptrdiff_t stride[3];
  std::uint8_t *mask;
  std::ptrdiff_t mask_stride;
  T rate, mapped_rate;
};

template <class T>
struct Job {
  Store store;
  Rules<T> rules;
  int width, height, count;
  // A block's place: its own index, or counted from the last one.
  int first_column, first_row, step;
  PixelFormat format;
  std::uint32_t first_frame;
  const std::uint8_t *map;
  int map_shift, map_columns;
  Frame<T> frames[max_group];

  Job(const Work &w, dim3 grid)
      : store(w.store), rules(w.constants), width(w.config.width), height(w.config.height),
        count(static_cast<int>(w.group.size())), first_column(w.backwards ? static_cast<int>(grid.x) - 1 : 0),
        first_row(w.backwards ? static_cast<int>(grid.y * grid.z) - 1 : 0), step(w.backwards ? -1 : 1),
        format(w.group[0].frame.format), first_frame(w.first_frame), map(w.rates.map),
        map_shift(std::countr_zero(static_cast<unsigned>(w.rates.size))), map_columns(w.rates.columns) {
    for (int i = 0; i < count; i++) {
      const Step &s = w.group[i];
      Frame<T> &f = frames[i];
      for (int p = 0; p < 3; p++) {
        f.data[p] = s.frame.data[p];
        f.stride[p] = s.frame.stride[p];
      }
      f.mask = s.mask.data;
      f.mask_stride = s.mask.stride;
      f.rate = T(s.learning_rate);
      f.mapped_rate = T(std::min(s.learning_rate * w.rates.factor, 1.));
    }
  }

  // The frame's rate at pixel (x, y).
  __device__ __forceinline__ T rate(const Frame<T> &f, int x, int y) const {
    if (map && map[static_cast<std::size_t>(y >> map_shift) * map_columns + (x >> map_shift)])
      return f.mapped_rate;
    return f.rate;
  }
};

// Where a pixel's values are in the state.
struct Spot {
  std::size_t tile;
  unsigned lane;
  __device__ Spot(const Store &s, int x, int y)
      : tile(static_cast<std::size_t>(y) * s.tiles_a_row + static_cast<unsigned>(x) / cuda::tile),
        lane(x % static_cast<unsigned>(cuda::tile)) {}
  // The pixel's value in segment k of the tile's `count` segments of Ts; a Vector of them where it is no T.
  template <class Vector, class T = Vector>
  __device__ __forceinline__ Vector &at(void *values, int count, int k) const {
    T *p =
        static_cast<T *>(values) + tile * static_cast<unsigned>(count * cuda::tile) + lane + k * cuda::tile;
    return *reinterpret_cast<Vector *>(p);
  }
};

// The place of a thread that works on `vector` pixels side by side.
struct Place {
  int x, y;
};
template <int vector, class T>
__device__ __forceinline__ Place place(const Job<T> &job) {
  // Rows in y and, for pictures of more than 65,535, z.
  const int column = job.first_column + job.step * static_cast<int>(blockIdx.x),
            row = job.first_row + job.step * static_cast<int>(blockIdx.y + blockIdx.z * gridDim.y);
  return {(column * threads + static_cast<int>(threadIdx.x)) * vector, row};
}
inline dim3 grid_of(int width, int height, int vector) {
  const unsigned rows = std::min(static_cast<unsigned>(height), 65535u);
  return dim3((static_cast<unsigned>(width) + threads * vector - 1) / (threads * vector), rows,
              (static_cast<unsigned>(height) + rows - 1) / rows);
}

template <class... Formal, class... Actual>
void launch(void (*kernel)(Formal...), dim3 grid, cudaStream_t stream, const Actual &...actual) {
  void *arguments[] = {const_cast<void *>(static_cast<const void *>(&actual))...};
  static_assert((std::is_same_v<std::remove_const_t<Formal>, Actual> && ...));
  cuda_check(
      cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, dim3(threads), arguments, 0, stream),
      "mog");
}

// Byte i of the word, plus `offset`, a whole number. 2^23 has the bits of 0x4b000000, and its unit is 1.
__device__ __forceinline__ float value_of(std::uint32_t word, int i, float offset) {
  return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440u + i)) + (offset - 0x1p23f);
}
__device__ __forceinline__ double value_of(std::uint32_t word, int i, double offset) {
  return static_cast<double>(static_cast<int>(word >> (8 * i) & 255u)) + offset;
}
__device__ __forceinline__ int byte_of(std::uint32_t word, int i) {
  return static_cast<int>(word >> (8 * i) & 255u);
}

// The luma of `vector` pixels side by side, one a byte; the first `count` of them exist.
template <int vector, class T>
__device__ __forceinline__ std::uint32_t lumas(const Frame<T> &f, PixelFormat format, int x, int y,
                                               int count) {
  const std::uint8_t *row = f.data[0] + y * f.stride[0];
  if (format != PixelFormat::rgba && format != PixelFormat::bgra) {
    if constexpr (vector == 4) return load<4>(row + x, count).word[0];
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < vector; i++)
      if (i < count) word |= std::uint32_t{row[x + i]} << (8 * i);
    return word;
  }
  const Bytes<4 *vector> v = load<4 * vector>(row + 4 * static_cast<std::ptrdiff_t>(x), 4 * count);
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < vector; i++) {
    const int p[3] = {byte_of(v.word[i], 0), byte_of(v.word[i], 1), byte_of(v.word[i], 2)};
    const int y8 = format == PixelFormat::rgba ? luma(p[0], p[1], p[2]) : luma(p[2], p[1], p[0]);
    word |= static_cast<std::uint32_t>(y8) << (8 * i);
  }
  return word;
}

// One pixel's samples.
template <int channels, class T>
__device__ __forceinline__ void sample(const Frame<T> &f, PixelFormat format, int x, int y,
                                       T (&out)[channels]) {
  if constexpr (channels == 1) {
    out[0] = value_of(lumas<1>(f, format, x, y, 1), 0, T(0));
  } else {
    const std::uint8_t *row = f.data[0] + y * f.stride[0];
    std::uint32_t v;
    if (format == PixelFormat::rgba || format == PixelFormat::bgra) {
      v = load<4>(row + 4 * static_cast<std::ptrdiff_t>(x), 4).word[0];
    } else {
      const std::uint8_t *second = f.data[1] + (y >> 1) * f.stride[1];
      v = row[x];
      if (format == PixelFormat::nv12)
        v |= std::uint32_t{second[x & ~1]} << 8 | std::uint32_t{second[x | 1]} << 16;
      else
        v |= std::uint32_t{second[x >> 1]} << 8 | std::uint32_t{(f.data[2] + (y >> 1) * f.stride[2])[x >> 1]}
                                                      << 16;
    }
#pragma unroll
    for (int c = 0; c < channels; c++) out[c] = value_of(v, c, T(0));
  }
}

} // namespace vigil::mog::cuda
