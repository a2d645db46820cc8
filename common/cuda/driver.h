// SPDX-License-Identifier: LGPL-2.1-or-later
// The few functions of the CUDA driver that the runtime does not offer, found at run time: nothing here makes
// a program depend on libcuda.
#pragma once

#include <array>
#include <cstdint>

struct CUctx_st;

namespace vigil {

// Makes a context current on this thread for as long as it lives. Hold one over creation, use AND destruction
// of anything that belongs to the context. The runtime's own way of choosing a device would switch to the
// primary context.
class CudaScope {
 public:
  explicit CudaScope(CUctx_st *);
  ~CudaScope();
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;
};

// The same for destructors and functions that may not throw. After a failure of the GPU the driver may refuse
// every context: then this one is not current, which is false here, and what belongs to it must be left alone
// (it goes with the context). The first refusal is reported on the program's standard error.
class CudaTeardown {
 public:
  explicit CudaTeardown(CUctx_st *) noexcept;
  ~CudaTeardown();
  CudaTeardown(const CudaTeardown &) = delete;
  CudaTeardown &operator=(const CudaTeardown &) = delete;
  explicit operator bool() const { return current_; }

 private:
  bool current_ = false;
};

// Throws Error::no_device, saying what is missing, unless the machine has a driver and CUDA device `id`.
void require_cuda_device(int id);
// A new context on device `id`; current on no thread afterwards. Throws Error::no_device, saying why.
CUctx_st *create_cuda_context(int id);
void destroy_cuda_context(CUctx_st *) noexcept;
// Which GPU device `id` is, whatever API or driver names it.
std::array<std::uint8_t, 16> cuda_uuid(int id);
// A function of the driver by its name, versions included. Throws Error::no_device when it has none.
void *cuda_driver_function(const char *name);
// Throws Error::device, with the driver's words for it, unless the driver's result is 0 (Error::no_memory for
// that cause).
void cuda_driver_check(int result, const char *what);
// Whether anything has made the primary context of device `id`; for the tests.
bool cuda_primary_context_active(int id);

} // namespace vigil
