// SPDX-License-Identifier: LGPL-2.1-or-later
// The mapping: 16 bytes a thread, or two rows of 8 pixels with their chroma. The frame is read while the
// estimate still works.
#include "common/cuda/bytes.h"
#include "common/cuda/launch.h"
#include "kernels/exposure/cuda/kernels.h"
#include "kernels/exposure/samples.h"

namespace vigil::exposure {
namespace {

constexpr int columns = 32, rows_at_once = 8; // threads of a block
constexpr int piece = 16;

// A row of a plane that is not known when this is compiled: an index into a kernel's parameter would move all
// of it to slow memory.
template <class Picture>
__device__ auto *row_of(const Picture &p, int plane, int y) {
  auto *const data = plane == 0 ? p.data[0] : plane == 1 ? p.data[1] : p.data[2];
  return data + (plane == 0 ? p.stride[0] : plane == 1 ? p.stride[1] : p.stride[2]) * y;
}

// As load(), an access a word where p is at a word: a background that is seen through a shift.
template <int n>
__device__ Bytes<n> load_words(const std::uint8_t *p, int count) {
  if (count < n || reinterpret_cast<std::uintptr_t>(p) % n == 0 ||
      reinterpret_cast<std::uintptr_t>(p) % 4 != 0)
    return load<n>(p, count);
  Bytes<n> b;
#pragma unroll
  for (int w = 0; w < n / 4; w++) b.word[w] = load_aligned<4>(p + 4 * w).word[0];
  return b;
}

// By the threads of a block's second row, in one block.
__device__ void set_host_copy(const DeviceState *state, Lines *host_copy) {
  constexpr int words = sizeof(Lines) / 4;
  static_assert(words <= columns);
  if (!host_copy || threadIdx.y != 1 || threadIdx.x >= words || blockIdx.x || blockIdx.y) return;
  reinterpret_cast<std::uint32_t *>(host_copy)[threadIdx.x] =
      reinterpret_cast<const std::uint32_t *>(&state->lines)[threadIdx.x];
}

// One plane.
__global__ void __launch_bounds__(columns *rows_at_once)
    map_kernel(ConstImage frame, Shifted shifted, int channels, const DeviceState *state, Lines *host_copy,
               Image out) {
  __shared__ Table table[4]; // of the bytes of a word
  __shared__ bool clips[4];
  const int y = blockIdx.y * rows_at_once + threadIdx.y;
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const int at = (static_cast<int>(blockIdx.x) * columns + static_cast<int>(threadIdx.x)) * piece;
  const int count = y < frame.height ? min(piece, bytes - at) : 0;
  Bytes<piece> from{};
  if (count > 0) from = load<piece>(row_of(frame, 0, y) + at, count); // nothing of this stream writes it
  wait_for_earlier();
  begin_next();
  if (threadIdx.y == 0 && threadIdx.x < 4) {
    const int k = threadIdx.x, c = channel_of(frame.format, channels, 0, k);
    table[k] = c >= 0 ? state->table[c] : Table{};
    clips[k] = c >= 0 && !table[k].is_identity() && may_clip(frame.format, channels);
  }
  set_host_copy(state, host_copy);
  __syncthreads();
  if (count <= 0) return;
  Bytes<piece> to = from;
  if (!(table[0].is_identity() && table[1].is_identity() && table[2].is_identity() &&
        table[3].is_identity())) {
    const Bytes<piece> back = load_words<piece>(row_of(shifted.seen(), 0, y) + at, count);
#pragma unroll
    for (int w = 0; w < piece / 4; w++) {
      std::uint32_t word = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const int v = byte_of(from.word[w], k), b = byte_of(back.word[w], k);
        word |= static_cast<std::uint32_t>(clips[k] ? corrected(table[k], v, b) : table[k](v)) << (8 * k);
      }
      to.word[w] = word;
    }
  }
  store(row_of(out, 0, y) + at, to, count);
}

// Frames of Y, U and V: 8 pixels of two rows, and their chroma.
constexpr int across = 8;
struct Block {
  Bytes<across> y[2];
  Bytes<across> c[2]; // NV12: pairs in the first; I420: 4 bytes of each
};
// Where a thread's block lies, and how much of it is in the picture.
struct At {
  int x, y; // of luma
  int columns, rows;
  __device__ At(int width, int height)
      : x((static_cast<int>(blockIdx.x) * vigil::exposure::columns + static_cast<int>(threadIdx.x)) * across),
        y(2 * (static_cast<int>(blockIdx.y) * rows_at_once + static_cast<int>(threadIdx.y))),
        columns(min(across, width - x)), rows(min(2, height - y)) {}
  __device__ bool inside() const { return columns > 0 && rows > 0; }
  __device__ int pairs() const { return (columns + 1) / 2; }
};
template <class Picture>
__device__ auto *chroma_of(const Picture &p, const At &at, int plane) {
  return row_of(p, plane, at.y / 2) + (p.format == PixelFormat::nv12 ? at.x : at.x / 2);
}
__device__ Block load_block(const ConstImage &p, const At &at, bool chroma) {
  Block b{};
#pragma unroll
  for (int k = 0; k < 2; k++)
    if (k < at.rows) b.y[k] = load_words<across>(row_of(p, 0, at.y + k) + at.x, at.columns);
  if (!chroma) return b;
  if (p.format == PixelFormat::nv12) {
    b.c[0] = load_words<across>(chroma_of(p, at, 1), 2 * at.pairs());
    return b;
  }
#pragma unroll
  for (int k = 0; k < 2; k++) b.c[k].word[0] = load<4>(chroma_of(p, at, 1 + k), at.pairs()).word[0];
  return b;
}
__device__ void store_block(const Image &p, const At &at, const Block &b) {
#pragma unroll
  for (int k = 0; k < 2; k++)
    if (k < at.rows) store(row_of(p, 0, at.y + k) + at.x, b.y[k], at.columns);
  if (p.format == PixelFormat::nv12) {
    store(chroma_of(p, at, 1), b.c[0], 2 * at.pairs());
    return;
  }
#pragma unroll
  for (int k = 0; k < 2; k++) store<4>(chroma_of(p, at, 1 + k), {{b.c[k].word[0]}}, at.pairs());
}
// The chroma of pair i.
__device__ int chroma_at(const Block &b, bool nv12, int i, int which) {
  const std::uint32_t pairs = b.c[0].word[i / 2], plane = b.c[which].word[0];
  return nv12 ? byte_of(pairs, 2 * (i % 2) + which) : byte_of(plane, i);
}
__device__ void put_chroma(Block &b, bool nv12, int i, int which, int v) {
  const auto bits = static_cast<std::uint32_t>(v);
  if (nv12)
    b.c[0].word[i / 2] |= bits << (8 * (2 * (i % 2) + which));
  else
    b.c[which].word[0] |= bits << (8 * i);
}

__global__ void __launch_bounds__(columns *rows_at_once)
    map_yuv_kernel(ConstImage frame, Shifted shifted, int channels, const __grid_constant__ Colours colours,
                   const DeviceState *state, Lines *host_copy, Image out) {
  const At at(frame.width, frame.height);
  const bool nv12 = frame.format == PixelFormat::nv12, whole = channels == 3;
  Block from{};
  if (at.inside()) from = load_block(frame, at, true); // nothing of this stream writes it
  wait_for_earlier();
  begin_next();
  set_host_copy(state, host_copy);
  if (!at.inside()) return;
  const Table luma = state->table[0], first = whole ? state->table[1] : Table{},
              second = whole ? state->table[2] : Table{};
  if (luma.is_identity() && first.is_identity() && second.is_identity()) {
    store_block(out, at, from);
    return;
  }
  const Block back = load_block(shifted.seen(), at, whole);
  Block to{};
#pragma unroll
  for (int i = 0; i < across / 2; i++) {
    const int f1 = chroma_at(from, nv12, i, 0), f2 = chroma_at(from, nv12, i, 1);
    const int m1 = first(f1), m2 = second(f2);
    const int b1 = whole ? chroma_at(back, nv12, i, 0) : 128, b2 = whole ? chroma_at(back, nv12, i, 1) : 128;
    Yuv at_left{};
#pragma unroll
    for (int k = 0; k < 4; k++) { // the upper left pixel last
      const int row = 1 - k / 2, byte = 2 * i + 1 - k % 2;
      const int y = byte_of(from.y[row].word[byte / 4], byte % 4),
                b = byte_of(back.y[row].word[byte / 4], byte % 4);
      const Yuv frame_pixel{y, whole ? f1 : 128, whole ? f2 : 128},
          mapped{luma(y), whole ? m1 : 128, whole ? m2 : 128};
      at_left = perhaps_clipped(frame_pixel, colours) ? restored(frame_pixel, mapped, {b, b1, b2}, colours)
                                                      : mapped;
      to.y[row].word[byte / 4] |= static_cast<std::uint32_t>(at_left.y) << (8 * (byte % 4));
    }
    put_chroma(to, nv12, i, 0, whole ? at_left.c1 : f1);
    put_chroma(to, nv12, i, 1, whole ? at_left.c2 : f2);
  }
  store_block(out, at, to);
}

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

} // namespace

void launch_map(const ConstImage &frame, const Shifted &background, int channels, const Colours &colours,
                const DeviceState *state, Lines *host_copy, const Image &out, CUstream_st *stream) {
  const dim3 threads(columns, rows_at_once);
  if (is_yuv(frame.format)) {
    const dim3 blocks(parts(frame.width, columns * across), parts(frame.height, 2 * rows_at_once));
    launch_early(map_yuv_kernel, blocks, threads, 0, stream, frame, background, channels, colours, state,
                 host_copy, out);
    return;
  }
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const dim3 blocks(parts(bytes, columns * piece), parts(frame.height, rows_at_once));
  launch_early(map_kernel, blocks, threads, 0, stream, frame, background, channels, state, host_copy, out);
}

} // namespace vigil::exposure
