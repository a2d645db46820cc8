// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cuda/driver.h"

#include "common/error.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cuda.h>
#include <dlfcn.h>

namespace vigil {
namespace {

struct Driver {
  void *library;
  CUresult (*init)(unsigned);
  CUresult (*device_count)(int *);
  CUresult (*device_get)(CUdevice *, int);
  CUresult (*context_create)(CUcontext *, unsigned, CUdevice);
  CUresult (*context_destroy)(CUcontext);
  CUresult (*context_push)(CUcontext);
  CUresult (*context_pop)(CUcontext *);
  CUresult (*primary_state)(CUdevice, unsigned *, int *);
  CUresult (*device_uuid)(CUuuid *, CUdevice);
  CUresult (*error_string)(CUresult, const char **);

  std::string error(CUresult r) const {
    const char *s = nullptr;
    error_string(r, &s);
    return s ? s : text("CUDA error ", int(r));
  }
  void check(CUresult r, const char *what, Error::Kind kind = Error::Kind::device) const {
    if (r != CUDA_SUCCESS) fail(kind, what, ": ", error(r));
  }
};

void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function)
    fail(Error::Kind::no_device, "the NVIDIA driver has no ", name, "; a newer driver is needed");
  return function;
}

Driver load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(Error::Kind::no_device,
         "there is no NVIDIA driver (libcuda.so.1); install it, or choose another backend");
  Driver d{};
  d.library = library;
  const auto set = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(library, name));
  };
  set(d.init, "cuInit");
  set(d.device_count, "cuDeviceGetCount");
  set(d.device_get, "cuDeviceGet");
  set(d.context_create, "cuCtxCreate_v2");
  set(d.context_destroy, "cuCtxDestroy_v2");
  set(d.context_push, "cuCtxPushCurrent_v2");
  set(d.context_pop, "cuCtxPopCurrent_v2");
  set(d.primary_state, "cuDevicePrimaryCtxGetState");
  set(d.device_uuid, "cuDeviceGetUuid_v2");
  set(d.error_string, "cuGetErrorString");
  d.check(d.init(0), "the NVIDIA driver does not start", Error::Kind::no_device);
  return d;
}

const Driver &driver() {
  static const Driver d = load(); // after an exception the next call tries again
  return d;
}

CUdevice device(int id) {
  int count = 0;
  driver().check(driver().device_count(&count), "the NVIDIA driver cannot count its devices");
  if (id < 0 || id >= count)
    fail(Error::Kind::no_device, "there is no CUDA device ", id, "; this machine has ", count,
         count == 1 ? " (number 0)" : "");
  CUdevice d = 0;
  driver().check(driver().device_get(&d, id), "a CUDA device cannot be opened", Error::Kind::no_device);
  return d;
}

} // namespace

CudaScope::CudaScope(CUctx_st *context) {
  driver().check(driver().context_push(context), "a CUDA context cannot be made current");
}
CudaTeardown::CudaTeardown(CUctx_st *context) noexcept {
  try {
    const CUresult result = driver().context_push(context);
    current_ = result == CUDA_SUCCESS;
    static std::atomic<bool> reported = false;
    if (!current_ && !reported.exchange(true))
      std::fprintf(stderr,
                   "vigil: a CUDA context cannot be made current (%s), so its memory is not given back "
                   "before the context goes\n",
                   driver().error(result).c_str());
  } catch (const std::exception &) { // there is no driver any more
  }
}
CudaTeardown::~CudaTeardown() {
  CUcontext popped = nullptr;
  if (current_) driver().context_pop(&popped);
}

CudaScope::~CudaScope() {
  CUcontext popped = nullptr;
  driver().context_pop(&popped);
}

void require_cuda_device(int id) {
  device(id);
}

CUctx_st *create_cuda_context(int id) {
  CUcontext context = nullptr, popped = nullptr;
  driver().check(driver().context_create(&context, CU_CTX_SCHED_AUTO, device(id)),
                 "a CUDA context cannot be made", Error::Kind::no_device);
  driver().context_pop(&popped);
  return context;
}
void destroy_cuda_context(CUctx_st *context) noexcept {
  driver().context_destroy(context);
}

std::array<std::uint8_t, 16> cuda_uuid(int id) {
  CUuuid uuid{};
  driver().check(driver().device_uuid(&uuid, device(id)), "a CUDA device does not say which GPU it is");
  std::array<std::uint8_t, 16> bytes{};
  std::copy(std::begin(uuid.bytes), std::end(uuid.bytes), bytes.begin());
  return bytes;
}
void *cuda_driver_function(const char *name) {
  return find(driver().library, name);
}
void cuda_driver_check(int result, const char *what) {
  driver().check(CUresult(result), what,
                 result == CUDA_ERROR_OUT_OF_MEMORY ? Error::Kind::no_memory : Error::Kind::device);
}

bool cuda_primary_context_active(int id) {
  unsigned flags = 0;
  int active = 0;
  driver().check(driver().primary_state(device(id), &flags, &active),
                 "the primary context's state is unknown");
  return active != 0;
}

} // namespace vigil
