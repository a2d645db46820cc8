// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cuda/device.h"

#include "common/error.h"

namespace vigil {
namespace {

class CudaTimer final : public Timer {
 public:
  explicit CudaTimer(CUctx_st *context) : context_(context) {
    CudaScope scope(context_);
    cuda_check(cudaEventCreate(&start_), "cudaEventCreate");
    cuda_check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  ~CudaTimer() override {
    const CudaTeardown scope(context_);
    if (!scope) return;
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  void start(Queue &q) override { record(start_, q); }
  void stop(Queue &q) override { record(stop_, q); }
  bool ready() override {
    CudaScope scope(context_);
    return cudaEventQuery(stop_) == cudaSuccess;
  }
  double milliseconds() override {
    CudaScope scope(context_);
    float ms = 0;
    cuda_check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    cuda_check(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  void record(cudaEvent_t e, Queue &q) {
    CudaScope scope(context_);
    cuda_check(cudaEventRecord(e, stream_of(q)), "cudaEventRecord");
  }
  CUctx_st *context_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// The host sleeps while it waits: an element's thread has no use for the time, its neighbours may.
class CudaEvent final : public Event {
 public:
  explicit CudaEvent(CUctx_st *context) : context_(context) {
    CudaScope scope(context_);
    cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync),
               "cudaEventCreate");
  }
  ~CudaEvent() override {
    if (const CudaTeardown scope(context_); scope) cudaEventDestroy(event_);
  }
  void record(Queue &q) override {
    CudaScope scope(context_);
    cuda_check(cudaEventRecord(event_, stream_of(q)), "cudaEventRecord");
  }
  void wait() override {
    CudaScope scope(context_);
    cuda_check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  cudaEvent_t event() const { return event_; }

 private:
  CUctx_st *context_;
  cudaEvent_t event_ = nullptr;
};

} // namespace

void cuda_check(cudaError_t e, const char *what) {
  if (e == cudaSuccess) return;
  fail(e == cudaErrorMemoryAllocation ? Error::Kind::no_memory : Error::Kind::device, what, ": ",
       cudaGetErrorString(e));
}

CudaQueue::CudaQueue(CUctx_st *context) : context_(context) {
  CudaScope scope(context_);
  cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}
CudaQueue::~CudaQueue() {
  if (!owned_) return;
  if (const CudaTeardown scope(context_); scope) cudaStreamDestroy(stream_);
}
void CudaQueue::wait() {
  CudaScope scope(context_);
  cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}
void CudaQueue::after(Event &e) {
  CudaScope scope(context_);
  cuda_check(cudaStreamWaitEvent(stream_, static_cast<CudaEvent &>(e).event(), 0), "cudaStreamWaitEvent");
}

CudaDevice::CudaDevice(int id) : context_(create_cuda_context(id), destroy_cuda_context), id_(id) {}
CudaDevice::CudaDevice(std::shared_ptr<CUctx_st> context, int id) : context_(std::move(context)), id_(id) {}

std::string CudaDevice::name() const {
  const CudaScope scope = enter();
  cudaDeviceProp p{};
  cuda_check(cudaGetDeviceProperties(&p, id_), "cudaGetDeviceProperties");
  return p.name;
}

void *CudaDevice::allocate(std::size_t bytes) {
  const CudaScope scope = enter();
  void *p = nullptr;
  if (cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) {
    std::size_t left = 0, all = 0;
    (void)cudaGetLastError();
    (void)cudaMemGetInfo(&left, &all);
    fail(Error::Kind::no_memory, "the GPU has no ", bytes, " bytes left (", left, " of ", all, " are free)");
  }
  return p;
}
void CudaDevice::release(void *p) noexcept {
  if (const CudaTeardown scope(context()); scope) cudaFree(p);
}
void *CudaDevice::allocate_host(std::size_t bytes) {
  const CudaScope scope = enter();
  void *p = nullptr;
  cuda_check(cudaMallocHost(&p, bytes ? bytes : 1), "cudaMallocHost");
  return p;
}
void CudaDevice::release_host(void *p) noexcept {
  if (const CudaTeardown scope(context()); scope) cudaFreeHost(p);
}

void CudaDevice::upload(void *to, const void *from, std::size_t bytes, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(q)), "upload");
}
void CudaDevice::download(void *to, const void *from, std::size_t bytes, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(q)), "download");
}
void CudaDevice::upload(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                        std::size_t row_bytes, int rows, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, row_bytes, rows, cudaMemcpyHostToDevice,
                               stream_of(q)),
             "upload");
}
void CudaDevice::download(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                          std::size_t row_bytes, int rows, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, row_bytes, rows, cudaMemcpyDeviceToHost,
                               stream_of(q)),
             "download");
}
void CudaDevice::copy(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                      std::size_t row_bytes, int rows, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, row_bytes, rows, cudaMemcpyDeviceToDevice,
                               stream_of(q)),
             "a copy");
}
void CudaDevice::fill(void *to, int byte, std::size_t bytes, Queue &q) {
  const CudaScope scope = enter();
  cuda_check(cudaMemsetAsync(to, byte, bytes, stream_of(q)), "cudaMemset");
}

std::unique_ptr<Queue> CudaDevice::make_queue() {
  return std::make_unique<CudaQueue>(context());
}
std::unique_ptr<Timer> CudaDevice::make_timer() {
  return std::make_unique<CudaTimer>(context());
}
std::unique_ptr<Event> CudaDevice::make_event() {
  return std::make_unique<CudaEvent>(context());
}

std::unique_ptr<Device> open_cuda(int id) {
  return std::make_unique<CudaDevice>(id);
}

} // namespace vigil
