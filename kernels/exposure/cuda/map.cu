// SPDX-License-Identifier: LGPL-2.1-or-later
// The mapping: 16 bytes a thread. The frame is read while the estimate still works.
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

// As load(), with four accesses where p is at a word: a background that is seen through a shift.
__device__ Bytes<piece> load_words(const std::uint8_t *p, int count) {
  if (count < piece || reinterpret_cast<std::uintptr_t>(p) % piece == 0 ||
      reinterpret_cast<std::uintptr_t>(p) % 4 != 0)
    return load<piece>(p, count);
  Bytes<piece> b;
#pragma unroll
  for (int w = 0; w < piece / 4; w++) b.word[w] = load_aligned<4>(p + 4 * w).word[0];
  return b;
}

__global__ void __launch_bounds__(columns *rows_at_once)
    map_kernel(ConstImage frame, Shifted shifted, int channels, const DeviceState *state, Lines *told,
               Image out) {
  __shared__ Table table[4]; // of the bytes of a word
  __shared__ bool clips[4];
  const int plane = blockIdx.z, y = blockIdx.y * rows_at_once + threadIdx.y;
  const int bytes = static_cast<int>(row_bytes(frame.format, plane, frame.width));
  const int at = (static_cast<int>(blockIdx.x) * columns + static_cast<int>(threadIdx.x)) * piece;
  const int count = y < plane_rows(plane, frame.height) ? min(piece, bytes - at) : 0;
  Bytes<piece> from{};
  if (count > 0) from = load<piece>(row_of(frame, plane, y) + at, count); // nothing of this stream writes it
  wait_for_earlier();
  begin_next();
  if (threadIdx.y == 0 && threadIdx.x < 4) {
    const int k = threadIdx.x, c = channel_of(frame.format, channels, plane, k);
    table[k] = c >= 0 ? state->table[c] : Table{};
    clips[k] = c >= 0 && !table[k].is_identity() && may_clip(frame.format, channels, c);
  }
  if (told && threadIdx.y == 1 && blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0) {
    constexpr int words = sizeof(Lines) / 4;
    static_assert(words <= columns);
    if (threadIdx.x < words)
      reinterpret_cast<std::uint32_t *>(told)[threadIdx.x] =
          reinterpret_cast<const std::uint32_t *>(&state->lines)[threadIdx.x];
  }
  __syncthreads();
  if (count <= 0) return;
  Bytes<piece> to = from;
  if (!(table[0].is_identity() && table[1].is_identity() && table[2].is_identity() &&
        table[3].is_identity())) {
    const Bytes<piece> back = load_words(row_of(shifted.seen(), plane, y) + at, count);
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
  store(row_of(out, plane, y) + at, to, count);
}

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

} // namespace

void launch_map(const ConstImage &frame, const Shifted &background, int channels, const DeviceState *state,
                Lines *told, const Image &out, CUstream_st *stream) {
  const int bytes = static_cast<int>(row_bytes(frame.format, 0, frame.width));
  const dim3 blocks(parts(bytes, columns * piece), parts(frame.height, rows_at_once),
                    plane_count(frame.format));
  launch_early(map_kernel, blocks, dim3(columns, rows_at_once), 0, stream, frame, background, channels, state,
               told, out);
}

} // namespace vigil::exposure
