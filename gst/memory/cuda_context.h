// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element needs of libgstcuda. Builds without CUDA have the same class, which knows of no device.
#pragma once

#include "common/device.h"

#include <gst/video/video.h>
#include <memory>
#include <mutex>

typedef struct _GstCudaContext GstCudaContext;

namespace vigil::gst {

// The CUDA context that an element shares with its neighbours; never the device's primary context. All of it
// may be called from any thread.
class CudaContext {
 public:
  ~CudaContext() { close(); }

  // For GstElementClass.set_context and the CONTEXT query. `id` as in open().
  void offered(GstElement *, GstContext *, int id);
  bool answer(GstElement *, GstQuery *);

  // Takes the context that neighbours or the application have, otherwise that of the process
  // (cuda_process_context.h), and tells them. `id` -1: any device, the first when there is nobody to share
  // with. Throws Error::no_device, saying what is missing.
  std::unique_ptr<Device> open(GstElement *, int id);
  // Everything that was made on the device must be gone before.
  void close();

  // Whether a buffer is CUDA memory of this context, and of another context of a device that `id` allows.
  bool owns(GstBuffer *);
  bool could_adopt(GstBuffer *, int id);
  // Takes the buffer's context instead of the present one; what was made on the device must be gone.
  std::unique_ptr<Device> adopt(GstBuffer *);

  // A pool of CUDA memory for these caps, configured; size gets the bytes of its buffers. Null where that
  // fails.
  GstBufferPool *make_pool(GstCaps *, guint min_buffers, guint &size);
  bool owns(GstBufferPool *);

 private:
  std::unique_ptr<Device> device(); // the caller holds mutex_
  std::mutex mutex_;                // not held while neighbours are asked, who may be asking us
  GstCudaContext *context_ = nullptr;
};

// How to map CUDA memory without a copy.
GstMapFlags cuda_map_flag();
bool is_cuda_memory(GstBuffer *);
// What is submitted to the queue from now on starts after the work that is under way with a buffer of CUDA
// memory.
void after_work_with(GstBuffer *, Device &, Queue &, Event &scratch);

} // namespace vigil::gst
