// SPDX-License-Identifier: LGPL-2.1-or-later
// Room around a picture on a GPU: a thread for each pixel of it.
#include "common/cuda/bytes.h"
#include "common/shifted.h"
#include "kernels/registration/cuda/kernels.h"

namespace vigil::registration {
namespace {

constexpr int threads = 256; // a block

// Of one plane: its width, height and the room around it in its own pixels, of `bytes` bytes each.
struct Frame {
  std::uint8_t *data;
  std::ptrdiff_t stride;
  int width, height, room, bytes;
};

__global__ void __launch_bounds__(threads) border_kernel(Frame f) {
  const int across = f.width + 2 * f.room, band = f.room * across; // above, and below
  int i = blockIdx.x * threads + threadIdx.x, x, y;
  if (i < 2 * band) {
    x = i % across - f.room;
    y = i / across;
    y = y < f.room ? y - f.room : y - f.room + f.height;
  } else {
    i -= 2 * band;
    if (i >= 2 * f.room * f.height) return;
    x = i % (2 * f.room);
    x = x < f.room ? x - f.room : x - f.room + f.width;
    y = i / (2 * f.room);
  }
  const auto at = [&](int column, int row) {
    return f.data + row * f.stride + std::ptrdiff_t{f.bytes} * column;
  };
  const int from_x = max(0, min(x, f.width - 1)), from_y = max(0, min(y, f.height - 1));
  store(at(x, y), load<4>(at(from_x, from_y), f.bytes), f.bytes);
}

} // namespace

void launch_border(const Image &image, int i, int pixels, CUstream_st *stream) {
  const int bytes = static_cast<int>(pixel_bytes(image.format, i));
  const Frame f{image.data[i],
                image.stride[i],
                static_cast<int>(row_bytes(image.format, i, image.width)) / bytes,
                plane_rows(i, image.height),
                in_plane(pixels, i),
                bytes};
  const int around = 2 * f.room * (f.width + 2 * f.room + f.height);
  if (around > 0) border_kernel<<<(around + threads - 1) / threads, threads, 0, stream>>>(f);
}

} // namespace vigil::registration
