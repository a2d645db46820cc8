// SPDX-License-Identifier: LGPL-2.1-or-later
// The device and its memory; queues and clocks are in queue.cpp.
#include "common/opencl/device.h"

#include "common/error.h"

#include <limits>

namespace vigil {
namespace {

constexpr std::uintptr_t first_address = std::uintptr_t{1} << (sizeof(std::uintptr_t) * 8 - 4);
constexpr std::size_t alignment = 256;

cl_context make_context(const ClCandidate &c) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(c.platform), 0};
  cl_int code = CL_SUCCESS;
  const cl_context context = clCreateContext(properties, 1, &c.id, nullptr, nullptr, &code);
  if (code != CL_SUCCESS)
    fail(Error::Kind::no_device, "the OpenCL device \"", c.name,
         "\" gives no context: ", cl_error_name(code));
  return context;
}

} // namespace

ClDevice::ClDevice(const ClCandidate &c)
    : candidate_(c), context_(make_context(c)), driver_version_(text_info(CL_DRIVER_VERSION)),
      next_address_(first_address) {}
ClDevice::ClDevice(const ClCandidate &c, cl_context context)
    : candidate_(c), driver_version_(text_info(CL_DRIVER_VERSION)), next_address_(first_address) {
  cl_check(clRetainContext(context), "sharing an OpenCL context");
  context_ = ClContextHandle(context);
}
ClDevice::~ClDevice() = default;

std::string ClDevice::name() const {
  return text(candidate_.name, ", ", candidate_.platform_name, ", driver ", driver_version_);
}
std::string ClDevice::text_info(cl_device_info what) const {
  std::size_t bytes = 0;
  cl_check(clGetDeviceInfo(candidate_.id, what, 0, nullptr, &bytes), "asking the OpenCL device");
  std::string s(bytes, '\0');
  cl_check(clGetDeviceInfo(candidate_.id, what, bytes, s.data(), nullptr), "asking the OpenCL device");
  return s.substr(0, s.find('\0'));
}
std::uint64_t ClDevice::number_info(cl_device_info what) const {
  std::uint64_t v = 0; // smaller types fill its low bytes: choose() takes little-endian devices only
  cl_check(clGetDeviceInfo(candidate_.id, what, sizeof v, &v, nullptr), "asking the OpenCL device");
  return v;
}
bool ClDevice::has_extension(const char *wanted) const {
  return text(" ", text_info(CL_DEVICE_EXTENSIONS), " ").find(text(" ", wanted, " ")) != std::string::npos;
}

void *ClDevice::allocate(std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  ClMemHandle memory(clCreateBuffer(context(), CL_MEM_READ_WRITE, bytes > 0 ? bytes : 1, nullptr, &code));
  if (code != CL_SUCCESS)
    fail(Error::Kind::no_memory, "the OpenCL device has no ", bytes, " bytes of memory left (",
         cl_error_name(code), ")");
  return add(std::move(memory), bytes);
}
void *ClDevice::add(ClMemHandle memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t address = next_address_;
  next_address_ += (bytes + 2 * alignment) / alignment * alignment;
  allocations_.insert_or_assign(address, Allocation{std::move(memory), bytes});
  return reinterpret_cast<void *>(address);
}
void ClDevice::release(void *p) noexcept {
  const std::lock_guard lock(mutex_);
  allocations_.erase(
      reinterpret_cast<std::uintptr_t>(p)); // OpenCL keeps it until the queues are done with it
}
ClRange ClDevice::range_of(const void *p) const {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const std::lock_guard lock(mutex_);
  auto found = allocations_.upper_bound(address);
  if (found != allocations_.begin()) {
    --found;
    const std::size_t offset = address - found->first;
    if (offset < found->second.bytes)
      return {found->second.memory.get(), offset, found->second.bytes - offset};
  }
  fail(Error::Kind::bad_setting, "the address is not of this OpenCL device's memory");
}

ClPlane ClDevice::view(const void *address, std::ptrdiff_t stride, std::size_t row_bytes, int width,
                       int height) const {
  const ClRange r = range_of(address);
  if (width < 1 || height < 1 || stride < 0 || (height > 1 && std::size_t(stride) < row_bytes) ||
      std::size_t(height - 1) * std::size_t(stride) + row_bytes > r.bytes)
    fail(Error::Kind::bad_setting, "a plane of ", width, "x", height, " with ", stride,
         " bytes a row does not lie within its ", r.bytes, " bytes of memory");
  if (r.offset + r.bytes > std::size_t(std::numeric_limits<cl_int>::max()))
    fail(Error::Kind::bad_setting, "pictures in buffers of 2 GiB or more are not supported");
  return {r.memory, cl_int(r.offset), cl_int(stride), width, height};
}
ClImage ClDevice::view(const ConstImage &image) const {
  ClImage v{image.format, image.width, image.height, {}};
  for (int i = 0; i < plane_count(image.format); i++) {
    const auto plane = image.plane(i);
    v.plane[i] = view(plane.data, plane.stride, std::size_t(row_bytes(image.format, i, image.width)),
                      plane.width, plane.height);
  }
  return v;
}

void *ClDevice::allocate_host(std::size_t bytes) {
  const std::size_t size = bytes > 0 ? bytes : 1;
  cl_int code = CL_SUCCESS;
  ClMemHandle memory(
      clCreateBuffer(context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code));
  const std::lock_guard lock(mutex_);
  if (code == CL_SUCCESS && !map_queue_)
    map_queue_ = ClQueueHandle(clCreateCommandQueue(context(), id(), 0, &code));
  void *p = nullptr;
  if (code == CL_SUCCESS)
    p = clEnqueueMapBuffer(map_queue_.get(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                           nullptr, nullptr, &code);
  if (code != CL_SUCCESS)
    fail(Error::Kind::no_memory, "OpenCL has no ", bytes, " bytes of page-locked memory left (",
         cl_error_name(code), ")");
  pinned_.insert_or_assign(p, std::move(memory));
  return p;
}
void ClDevice::release_host(void *p) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = pinned_.find(p);
  if (found == pinned_.end()) return;
  clEnqueueUnmapMemObject(map_queue_.get(), found->second.get(), p, 0, nullptr, nullptr);
  clFinish(map_queue_.get());
  pinned_.erase(found);
}

ClHostMemory::ClHostMemory(ClDevice &device, void *data, std::size_t bytes)
    : device_(&device), bytes_(bytes) {
  if (!data || bytes == 0) fail(Error::Kind::bad_setting, "no host memory was given");
  cl_int code = CL_SUCCESS;
  ClMemHandle memory(
      clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data, &code));
  cl_check(code, "sharing host memory with the OpenCL device");
  address_ = device.add(std::move(memory), bytes);
}
ClHostMemory::~ClHostMemory() {
  if (address_) device_->release(address_);
}
void ClHostMemory::swap(ClHostMemory &o) noexcept {
  std::swap(device_, o.device_);
  std::swap(address_, o.address_);
  std::swap(bytes_, o.bytes_);
}
void ClHostMemory::to_host(ClQueue &q) const {
  const cl_mem memory = device_->range_of(address_).memory;
  cl_int code = CL_SUCCESS;
  void *p = clEnqueueMapBuffer(q.get(), memory, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes_, 0, nullptr,
                               nullptr, &code);
  cl_check(code, "giving memory back to the host");
  cl_check(clEnqueueUnmapMemObject(q.get(), memory, p, 0, nullptr, nullptr),
           "giving memory back to the host");
}

std::unique_ptr<ClDevice> open_cl(const std::string &selector) {
  const std::vector<ClCandidate> all = cl_candidates();
  return std::make_unique<ClDevice>(all[choose(all, selector)]);
}
std::unique_ptr<Device> open_opencl(const std::string &selector) {
  return open_cl(selector);
}

} // namespace vigil
