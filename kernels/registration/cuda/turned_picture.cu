// SPDX-License-Identifier: LGPL-2.1-or-later
// A turned picture on a GPU: as many threads as are there at once go through its pixels.
#include "common/cuda/bytes.h"
#include "common/cuda/launch.h"
#include "common/turned.h"
#include "kernels/registration/cuda/kernels.h"

namespace vigil::registration {
namespace {

constexpr int threads = 256, blocks = 528;

// One plane: sizes in its own pixels, of `bytes` bytes each.
struct TurnedPlane {
  const std::uint8_t *from;
  std::uint8_t *to;
  std::ptrdiff_t from_stride, to_stride;
  int width, height, bytes;
};
struct TurnedJob {
  const Shift *by;
  int width, height, planes;
  TurnedPlane plane[3];
};

__global__ void __launch_bounds__(threads) turned_kernel(const __grid_constant__ TurnedJob job) {
  wait_for_earlier();
  begin_next();
  const Shift by = *job.by;
  if (!by.is_turned()) return;
  const Turned places(by, job.width, job.height);
  for (int i = 0; i < job.planes; i++) {
    const TurnedPlane &p = job.plane[i];
    const int every = i == 0 ? 1 : 2;
    for (int at = blockIdx.x * threads + threadIdx.x; at < p.width * p.height; at += gridDim.x * threads) {
      const int x = at % p.width, y = at / p.width;
      const Position shown = places.back(x * every, y * every);
      const int from_x = max(0, min(in_plane(shown.x, i), p.width - 1));
      const int from_y = max(0, min(in_plane(shown.y, i), p.height - 1));
      store(p.to + y * p.to_stride + std::ptrdiff_t{p.bytes} * x,
            load<4>(p.from + from_y * p.from_stride + std::ptrdiff_t{p.bytes} * from_x, p.bytes), p.bytes);
    }
  }
}

} // namespace

void launch_turned(const ConstImage &picture, const Shift *by, const Image &out, CUstream_st *stream) {
  TurnedJob job{by, picture.width, picture.height, plane_count(picture.format), {}};
  for (int i = 0; i < job.planes; i++) {
    const int bytes = static_cast<int>(pixel_bytes(picture.format, i));
    job.plane[i] = {picture.data[i],
                    out.data[i],
                    picture.stride[i],
                    out.stride[i],
                    static_cast<int>(row_bytes(picture.format, i, picture.width)) / bytes,
                    plane_rows(i, picture.height),
                    bytes};
  }
  launch_early(turned_kernel, blocks, threads, 0, stream, job);
}

} // namespace vigil::registration
