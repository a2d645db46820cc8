// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/handle.h"

#include "common/error.h"

#include <CL/cl_gl.h>

namespace vigil {

std::string cl_error_name(cl_int code) {
  switch (code) {
#define VIGIL_NAME(c)                                                                                        \
  case c:                                                                                                    \
    return #c
    VIGIL_NAME(CL_SUCCESS);
    VIGIL_NAME(CL_DEVICE_NOT_FOUND);
    VIGIL_NAME(CL_DEVICE_NOT_AVAILABLE);
    VIGIL_NAME(CL_COMPILER_NOT_AVAILABLE);
    VIGIL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    VIGIL_NAME(CL_OUT_OF_RESOURCES);
    VIGIL_NAME(CL_OUT_OF_HOST_MEMORY);
    VIGIL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    VIGIL_NAME(CL_MEM_COPY_OVERLAP);
    VIGIL_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    VIGIL_NAME(CL_BUILD_PROGRAM_FAILURE);
    VIGIL_NAME(CL_MAP_FAILURE);
    VIGIL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    VIGIL_NAME(CL_INVALID_VALUE);
    VIGIL_NAME(CL_INVALID_CONTEXT);
    VIGIL_NAME(CL_INVALID_COMMAND_QUEUE);
    VIGIL_NAME(CL_INVALID_HOST_PTR);
    VIGIL_NAME(CL_INVALID_MEM_OBJECT);
    VIGIL_NAME(CL_INVALID_IMAGE_SIZE);
    VIGIL_NAME(CL_INVALID_BINARY);
    VIGIL_NAME(CL_INVALID_BUILD_OPTIONS);
    VIGIL_NAME(CL_INVALID_PROGRAM);
    VIGIL_NAME(CL_INVALID_KERNEL_NAME);
    VIGIL_NAME(CL_INVALID_KERNEL);
    VIGIL_NAME(CL_INVALID_ARG_INDEX);
    VIGIL_NAME(CL_INVALID_ARG_VALUE);
    VIGIL_NAME(CL_INVALID_ARG_SIZE);
    VIGIL_NAME(CL_INVALID_KERNEL_ARGS);
    VIGIL_NAME(CL_INVALID_WORK_DIMENSION);
    VIGIL_NAME(CL_INVALID_WORK_GROUP_SIZE);
    VIGIL_NAME(CL_INVALID_WORK_ITEM_SIZE);
    VIGIL_NAME(CL_INVALID_EVENT_WAIT_LIST);
    VIGIL_NAME(CL_INVALID_EVENT);
    VIGIL_NAME(CL_INVALID_OPERATION);
    VIGIL_NAME(CL_INVALID_BUFFER_SIZE);
    VIGIL_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    VIGIL_NAME(CL_INVALID_GL_OBJECT);
    VIGIL_NAME(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
#undef VIGIL_NAME
  default:
    return text("OpenCL error ", code);
  }
}

void cl_check(cl_int code, const char *what) {
  if (code == CL_SUCCESS) return;
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    fail(Error::Kind::no_memory, what, ": no memory is left (", cl_error_name(code), ")");
  fail(Error::Kind::device, what, ": ", cl_error_name(code));
}

} // namespace vigil
