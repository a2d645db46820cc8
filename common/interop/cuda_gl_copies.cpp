// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/interop/cuda_gl_copies.h"

#include "common/error.h"
#include "common/interop/cuda_gl.h"

#include <algorithm>
#include <cuda_gl_interop.h>

namespace vigil {
namespace {

void copy(const CudaGlCopies::Rows &r, cudaStream_t stream) {
  cudaArray_t array = nullptr;
  cuda_check(cudaGraphicsSubResourceGetMappedArray(&array, r.texture->resource(), 0, 0),
             "an OpenGL texture in CUDA");
  const auto stride = std::size_t(r.stride), rows = std::size_t(r.count);
  cuda_check(r.to ? cudaMemcpy2DFromArrayAsync(r.to, stride, array, 0, 0, r.bytes, rows,
                                               cudaMemcpyDeviceToDevice, stream)
                  : cudaMemcpy2DToArrayAsync(array, 0, 0, r.from, stride, r.bytes, rows,
                                             cudaMemcpyDeviceToDevice, stream),
             "a copy of an OpenGL texture");
}

} // namespace

void CudaGlCopies::wait() noexcept {
  if (const auto end = end_.lock()) end->wait();
}

// A mark is read when another queue is made to wait, so one mark serves all.
void CudaGlCopies::together(std::span<Picture *const> pictures) {
  const CudaGlTexture &first = *pictures[0]->planes[0].texture;
  const CudaScope scope(first.context());
  const cudaStream_t stream = stream_of(*pictures[0]->queue);
  const std::shared_ptr<CudaMark> mark = first.mark();
  resources_.clear();
  for (const Picture *p : pictures) {
    if (stream_of(*p->queue) != stream) {
      mark->put(stream_of(*p->queue));
      mark->hold(stream);
    }
    for (int i = 0; i < p->count; i++) resources_.push_back(p->planes[i].texture->resource());
  }
  // Several may read the same frame; none can be mapped twice.
  std::sort(resources_.begin(), resources_.end());
  resources_.erase(std::unique(resources_.begin(), resources_.end()), resources_.end());
  const int count = int(resources_.size());
  cuda_check(cudaGraphicsMapResources(count, resources_.data(), stream),
             "OpenGL textures cannot be mapped by CUDA");
  for (Picture *p : pictures) {
    try {
      for (int i = 0; i < p->count; i++) copy(p->planes[i], stream);
    } catch (...) {
      p->error = std::current_exception();
    }
  }
  cuda_check(cudaGraphicsUnmapResources(count, resources_.data(), stream),
             "OpenGL textures cannot be given back by CUDA");
  mark->put(stream);
  for (const Picture *p : pictures)
    if (stream_of(*p->queue) != stream) mark->hold(stream_of(*p->queue));
  end_ = mark;
}

// Where all together do not go, each goes by itself, so that the others do not suffer from one.
void CudaGlCopies::run(std::span<Picture *const> pictures) {
  if (pictures.empty()) return;
  try {
    together(pictures);
  } catch (...) {
    (void)cudaGetLastError(); // it is the next caller's otherwise
    if (pictures.size() == 1) pictures[0]->error = std::current_exception();
    for (std::size_t i = 0; pictures.size() > 1 && i < pictures.size(); i++) {
      pictures[i]->error = nullptr;
      run(pictures.subspan(i, 1));
    }
  }
}

} // namespace vigil
