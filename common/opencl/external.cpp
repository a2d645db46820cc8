// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory of other APIs: cl_khr_external_memory_opaque_fd, cl_khr_device_uuid.
#include "common/opencl/device.h"

#include "common/error.h"

#include <CL/cl_ext.h>
#include <cstdio>
#include <unistd.h>

namespace vigil {
namespace {

using ChangeOwner = cl_int(CL_API_CALL *)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
                                          const cl_event *, cl_event *);

} // namespace

std::optional<std::array<std::uint8_t, 16>> ClDevice::uuid() const {
  std::array<std::uint8_t, CL_UUID_SIZE_KHR> bytes{};
  if (!has_extension("cl_khr_device_uuid") ||
      clGetDeviceInfo(id(), CL_DEVICE_UUID_KHR, bytes.size(), bytes.data(), nullptr) != CL_SUCCESS)
    return {};
  return bytes;
}

std::string ClDevice::why_no_import() const {
  // The function is OpenCL 3.0's: a driver before that may have no such entry for the loader to call.
  int major = 0;
  if (std::sscanf(text_info(CL_DEVICE_VERSION).c_str(), "OpenCL %d", &major) != 1 || major < 3)
    return "it has no OpenCL 3.0";
  for (const char *extension : {"cl_khr_external_memory", "cl_khr_external_memory_opaque_fd"})
    if (!has_extension(extension)) return text("it has no ", extension);
  return {};
}

void *ClDevice::import(int descriptor, std::size_t bytes) {
  const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                          cl_mem_properties(descriptor), 0};
  cl_int code = CL_SUCCESS;
  ClMemHandle memory(
      clCreateBufferWithProperties(context(), properties, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  if (code != CL_SUCCESS) {
    close(descriptor);
    fail(Error::Kind::device, "OpenCL does not take memory of another API: ", cl_error_name(code));
  }
  return add(std::move(memory), bytes);
}

void ClDevice::change_owner(const char *function, void *address, Queue &q) {
  auto &queue = static_cast<ClQueue &>(q);
  const auto call =
      reinterpret_cast<ChangeOwner>(clGetExtensionFunctionAddressForPlatform(candidate_.platform, function));
  if (!call) fail(Error::Kind::device, "the OpenCL driver has no ", function);
  const cl_mem memory = range_of(address).memory;
  cl_check(call(queue.get(), 1, &memory, 0, nullptr, nullptr), function);
}
void ClDevice::acquire(void *address, Queue &q) {
  change_owner("clEnqueueAcquireExternalMemObjectsKHR", address, q);
}
void ClDevice::give_back(void *address, Queue &q) {
  change_owner("clEnqueueReleaseExternalMemObjectsKHR", address, q);
}

} // namespace vigil
