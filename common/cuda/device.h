// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA as a device. All work goes to named streams of one context; never to the default stream or the primary
// context.
#pragma once

#include "common/cuda/driver.h"
#include "common/device.h"

#include <cuda_runtime_api.h>

namespace vigil {

// Throws Error::device (no_memory for that cause) when `e` is not success.
void cuda_check(cudaError_t e, const char *what);

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(CUctx_st *context);            // a stream of its own
  CudaQueue(CUctx_st *context, cudaStream_t stream) // somebody else's stream
      : context_(context), stream_(stream), owned_(false) {}
  ~CudaQueue() override;
  void wait() override;
  void after(Event &) override;
  cudaStream_t stream() const { return stream_; }

 private:
  CUctx_st *context_;
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};
inline cudaStream_t stream_of(Queue &q) {
  return static_cast<CudaQueue &>(q).stream();
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int id); // with a context of its own
  // In somebody else's context, which goes on for as long as there is a copy of `context`.
  CudaDevice(std::shared_ptr<CUctx_st> context, int id);
  Backend backend() const override { return Backend::cuda; }
  std::string name() const override;
  void *allocate(std::size_t bytes) override;
  void release(void *) noexcept override;
  void *allocate_host(std::size_t bytes) override;
  void release_host(void *) noexcept override;
  void upload(void *, const void *, std::size_t, Queue &) override;
  void download(void *, const void *, std::size_t, Queue &) override;
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void fill(void *, int, std::size_t, Queue &) override;
  // From device memory to device memory.
  void copy(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
            std::size_t row_bytes, int rows, Queue &);
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Timer> make_timer() override;
  std::unique_ptr<Event> make_event() override;

  int id() const { return id_; }
  CUctx_st *context() const { return context_.get(); }
  // For what is made in the context and may outlive the device.
  const std::shared_ptr<CUctx_st> &shared_context() const { return context_; }
  CudaScope enter() const { return CudaScope(context_.get()); }

 private:
  std::shared_ptr<CUctx_st> context_;
  int id_;
};

} // namespace vigil
