// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory that CUDA and OpenCL both work on, where both mean the same GPU: one CUDA allocation that OpenCL
// imports. Neither knows of the other's queues: wait on the host for what one has submitted before the other
// begins.
#pragma once

#include "common/cuda/shareable.h"

#include <string>

namespace vigil {

class ClDevice;
class CudaDevice;

class CudaClMemory {
 public:
  // Both devices must outlive it. Throws Error::device or no_memory.
  CudaClMemory(CudaDevice &, ClDevice &, std::size_t bytes);
  ~CudaClMemory();
  CudaClMemory(const CudaClMemory &) = delete;
  CudaClMemory &operator=(const CudaClMemory &) = delete;

  void *cuda() const { return memory_.address(); }
  void *opencl() const {
    return address_;
  } // acquire() and give_back() of the OpenCL device are for this address

 private:
  CudaShareable memory_;
  ClDevice &cl_;
  void *address_;
};

// Why the two cannot share memory, as the end of a sentence; empty when they can, which was tried.
std::string why_not_shared(CudaDevice &, ClDevice &);

} // namespace vigil
