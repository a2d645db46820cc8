// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCL's objects with an owner, and its error codes as vigil::Error. OpenCL 1.2 is the least that is
// needed.
#pragma once

#include <string>
#include <utility>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue: its successor is not in OpenCL 1.2
#include <CL/cl.h>

namespace vigil {

// "CL_OUT_OF_RESOURCES", or the number of a code that is not known.
std::string cl_error_name(cl_int code);
// Throws Error::device (no_memory for that cause), naming `what`, unless the code is CL_SUCCESS.
void cl_check(cl_int code, const char *what);

// Owns one reference to an OpenCL object.
template <class T, cl_int(CL_API_CALL *free)(T)>
class ClHandle {
 public:
  ClHandle() = default;
  explicit ClHandle(T object) : object_(object) {}
  ClHandle(ClHandle &&o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  ClHandle &operator=(ClHandle &&o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~ClHandle() {
    if (object_) free(object_);
  }
  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};
using ClContextHandle = ClHandle<cl_context, clReleaseContext>;
using ClQueueHandle = ClHandle<cl_command_queue, clReleaseCommandQueue>;
using ClMemHandle = ClHandle<cl_mem, clReleaseMemObject>;
using ClEventHandle = ClHandle<cl_event, clReleaseEvent>;
using ClProgramHandle = ClHandle<cl_program, clReleaseProgram>;
using ClKernelHandle = ClHandle<cl_kernel, clReleaseKernel>;

} // namespace vigil
