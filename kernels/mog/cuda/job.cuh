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

// A block of threads covers a piece of the picture as wide as a tile of the state; with `vector` pixels side
// by side for a thread, it is `vector` rows high.
inline constexpr int threads = tile;

// Threads that a multiprocessor of the GPU that is compiled for keeps at once (CUDA C++ Programming Guide,
// technical specifications by compute capability).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
inline constexpr int resident_threads = 2048;
#elif __CUDA_ARCH__ == 750
inline constexpr int resident_threads = 1024;
#else
inline constexpr int resident_threads = 1536;
#endif
// As many of the blocks that a kernel would like to have at once as there is room for.
constexpr int resident_blocks(int wanted) {
  return std::min(wanted, resident_threads / threads);
}

template <class T>
struct Frame {
  const std::uint8_t *data[3];
  std::uint8_t *mask;
  int stride[3], mask_stride;
  const Shift *shift;     // null: none
  T rate[RateMap::kinds]; // by the kind of block
};

template <class T>
struct Job {
  Store store;
  Rules<T> rules;
  int width, height, count;
  // A block's place: its own index, or counted from the last one.
  int first_column, first_row, step;
  PixelFormat format;
  bool aligned = true; // threads find their pixels and masks, `vector` of them, at addresses for one access
  std::uint32_t first_frame;
  const std::uint8_t *map;
  int map_shift, map_columns;
  Frame<T> frames[max_group];

  Job(const Work &w, const dim3 &grid, int vector)
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
        f.stride[p] = static_cast<int>(s.frame.stride[p]);
      }
      f.mask = s.mask.data;
      f.mask_stride = static_cast<int>(s.mask.stride);
      f.shift = s.shift;
      const bool packed = format == PixelFormat::rgba || format == PixelFormat::bgra;
      for (const auto address :
           {reinterpret_cast<std::uintptr_t>(f.data[0]), static_cast<std::uintptr_t>(s.frame.stride[0])})
        aligned &= address % (packed ? 4 * vector : vector) == 0;
      for (const auto address :
           {reinterpret_cast<std::uintptr_t>(f.mask), static_cast<std::uintptr_t>(s.mask.stride)})
        aligned &= address % vector == 0;
      for (int k = 0; k < RateMap::kinds; k++) f.rate[k] = T(w.rates.rate(s.learning_rate, k));
    }
  }

  // Which of a frame's rates pixel (x, y) learns at.
  __device__ __forceinline__ int kind(int x, int y) const {
    if (!map) [[likely]]
      return 0;
    return map[static_cast<std::size_t>(y >> map_shift) * map_columns + (x >> map_shift)] &
           (RateMap::kinds - 1);
  }
};

// Where pixels of the model lie in a frame. The frame wraps around: a pixel that lies outside of it has the
// place of one of its pixels that no other lies on, and says so. So each pixel of the mask has one thread
// that writes it, and no place is outside of the frame.
struct Place {
  int x, y;
  bool inside;
};
class Places {
 public:
  template <class T>
  __device__ __forceinline__ Places(const Job<T> &job, const Frame<T> &f)
      : width_(job.width), height_(job.height) {
    if (!f.shift) return;
    x_ = max(-width_, min(f.shift->x, width_)); // further away nothing changes
    y_ = max(-height_, min(f.shift->y, height_));
  }
  __device__ __forceinline__ Place operator()(int x, int y) const {
    const int u = x + x_, v = y + y_, around = wrapped(u, width_), over = wrapped(v, height_);
    return {around, over, around == u && over == v};
  }

 private:
  static __device__ __forceinline__ int wrapped(int at, int size) {
    return at < 0 ? at + size : at >= size ? at - size : at;
  }
  int width_, height_, x_ = 0, y_ = 0;
};

// The pointer, in registers from here on: left to itself, the compiler computes addresses again for each use.
template <class T>
__device__ __forceinline__ T *kept(T *p) {
  asm volatile("" : "+l"(p));
  __builtin_assume(__isGlobal(p));
  return p;
}

// The pixels of a thread that works on `vector` of them side by side: the first one's place in the picture,
// and in the state. Where a block has one row, the compiler knows that all its threads share y and the tile.
struct Spot {
  int x, y;
  unsigned tile, lane;

  // The pixel's value in segment k of the tile's `count` segments of Ts; a Vector of them where it is no T.
  template <class Vector, class T = Vector>
  __device__ __forceinline__ Vector &at(void *values, int count, int k) const {
    T *p =
        static_cast<T *>(values) + static_cast<std::size_t>(tile) * static_cast<unsigned>(count * cuda::tile);
    return *reinterpret_cast<Vector *>(p + lane + k * cuda::tile);
  }
};
template <int vector>
__device__ __forceinline__ Spot spot_of(const Store &store, int column, int row) {
  const unsigned lane = threadIdx.x * vector;
  const int y = vector == 1 ? row : row * vector + static_cast<int>(threadIdx.y);
  return {column * tile + static_cast<int>(lane), y, static_cast<unsigned>(y * store.tiles_a_row + column),
          lane};
}
// Rows of blocks are in y and, for pictures of more than 65,535 of them, z.
template <int vector>
__device__ __forceinline__ Spot spot_of(const Store &store) {
  return spot_of<vector>(store, static_cast<int>(blockIdx.x),
                         static_cast<int>(blockIdx.y + blockIdx.z * gridDim.y));
}
template <int vector, class T>
__device__ __forceinline__ Spot spot_of(const Job<T> &job) {
  return spot_of<vector>(job.store, job.first_column + job.step * static_cast<int>(blockIdx.x),
                         job.first_row + job.step * static_cast<int>(blockIdx.y + blockIdx.z * gridDim.y));
}

struct Launch {
  dim3 grid, block;
  Launch(int width, int height, int vector) : block(tile / vector, vector) {
    const unsigned rows = (static_cast<unsigned>(height) + vector - 1) / vector, y = std::min(rows, 65535u);
    grid = dim3((static_cast<unsigned>(width) + tile - 1) / tile, y, (rows + y - 1) / y);
  }
};

template <class... Formal, class... Actual>
void launch(void (*kernel)(Formal...), const Launch &size, cudaStream_t stream, const Actual &...actual) {
  void *arguments[] = {const_cast<void *>(static_cast<const void *>(&actual))...};
  static_assert((std::is_same_v<std::remove_const_t<Formal>, Actual> && ...));
  cuda_check(
      cudaLaunchKernel(reinterpret_cast<const void *>(kernel), size.grid, size.block, arguments, 0, stream),
      "mog");
}

// Byte i of the word, plus `offset`, a whole number. 2^23 has the bits of 0x4b000000, and its unit is 1.
__device__ __forceinline__ float value_of(std::uint32_t word, int i, float offset) {
  return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440u + i)) + (offset - 0x1p23f);
}
__device__ __forceinline__ double value_of(std::uint32_t word, int i, double offset) {
  return static_cast<double>(static_cast<int>(word >> (8 * i) & 255u)) + offset;
}

template <class Byte>
__device__ __forceinline__ Byte *row_of(Byte *data, int stride, int y) {
  return data + static_cast<std::ptrdiff_t>(y) * stride;
}

// n bytes at p, of which the first `count` exist; `whole`: all of them, at an address for one access.
template <int n>
__device__ __forceinline__ Bytes<n> load(const std::uint8_t *p, int count, bool whole) {
  return whole ? load_aligned<n>(p) : vigil::load<n>(p, count);
}

// The luma of `vector` pixels side by side, one a byte; the first `count` of them exist, `whole` as above.
template <int vector, class T>
__device__ __forceinline__ std::uint32_t lumas(const Frame<T> &f, PixelFormat format, int x, int y, int count,
                                               bool whole) {
  const std::uint8_t *row = row_of(f.data[0], f.stride[0], y);
  if (format != PixelFormat::rgba && format != PixelFormat::bgra) {
    if constexpr (vector == 4) return load<4>(row + x, count, whole).word[0];
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < vector; i++)
      if (i < count) word |= std::uint32_t{row[x + i]} << (8 * i);
    return word;
  }
  const Bytes<4 *vector> v = load<4 * vector>(row + 4 * static_cast<std::ptrdiff_t>(x), 4 * count, whole);
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < vector; i++) {
    const int p[3] = {byte_of(v.word[i], 0), byte_of(v.word[i], 1), byte_of(v.word[i], 2)};
    const int y8 = format == PixelFormat::rgba ? luma(p[0], p[1], p[2]) : luma(p[2], p[1], p[0]);
    word |= static_cast<std::uint32_t>(y8) << (8 * i);
  }
  return word;
}

// A pixel's samples, one a byte.
template <int channels, class T>
__device__ __forceinline__ std::uint32_t samples(const Job<T> &job, const Frame<T> &f, int x, int y) {
  if constexpr (channels == 1) return lumas<1>(f, job.format, x, y, 1, job.aligned);
  const std::uint8_t *row = row_of(f.data[0], f.stride[0], y);
  if (job.format == PixelFormat::rgba || job.format == PixelFormat::bgra) {
    const std::uint8_t *pixel = row + 4 * static_cast<std::ptrdiff_t>(x);
    return load<4>(pixel, 3, job.aligned).word[0];
  }
  const std::uint8_t *second = row_of(f.data[1], f.stride[1], y >> 1);
  if (job.format == PixelFormat::nv12)
    return row[x] | std::uint32_t{second[x & ~1]} << 8 | std::uint32_t{second[x | 1]} << 16;
  const std::uint8_t *third = row_of(f.data[2], f.stride[2], y >> 1);
  return row[x] | std::uint32_t{second[x >> 1]} << 8 | std::uint32_t{third[x >> 1]} << 16;
}

} // namespace vigil::mog::cuda
