// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL device: a context of its own, memory, queues and clocks.
#pragma once

#include "common/device.h"
#include "common/opencl/choose.h"
#include "common/opencl/handle.h"
#include "common/plane.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace vigil {

class ClDevice;
class ClTimer;

// Part of a buffer: what an address in the device's memory stands for. `bytes` are left from `offset` on.
struct ClRange {
  cl_mem memory = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// A plane or a picture as kernels take it: the buffer, the byte where it begins, bytes from row to row.
struct ClPlane {
  cl_mem memory = nullptr;
  cl_int offset = 0;
  cl_int stride = 0;
  cl_int width = 0;
  cl_int height = 0;
};
struct ClImage {
  PixelFormat format = PixelFormat::gray8;
  cl_int width = 0;
  cl_int height = 0;
  ClPlane plane[3];
};

// Work runs in order; work of several queues (copies during kernels) overlaps where the device can.
class ClQueue final : public Queue {
 public:
  explicit ClQueue(const ClDevice &);
  void wait() override;
  void after(Event &) override;
  cl_command_queue get() const { return queue_.get(); }
  void flush() const;

  // Submits one command: enqueue(event) calls an OpenCL function with that event pointer, which is null
  // unless someone measures. `what` names it in errors. With `event` the caller gets the command's event
  // (profiling is on) and owns it.
  template <class Enqueue>
  void submit(const char *what, Enqueue enqueue, ClEventHandle *event = nullptr) {
    cl_event e = nullptr;
    cl_check(enqueue(event || timer_ ? &e : nullptr), what);
    if (timer_) note(e);
    if (event)
      *event = ClEventHandle(e);
    else if (e)
      clReleaseEvent(e);
  }

 private:
  friend class ClTimer;
  void note(cl_event); // the timer keeps it
  ClQueueHandle queue_;
  ClTimer *timer_ = nullptr; // the one that runs
};

// From the start of the first command after start() to the end of the last one before stop(), by the device's
// clock. One timer at a time may run on a queue; it must not be destroyed before it is stopped.
class ClTimer final : public Timer {
 public:
  void start(Queue &) override;
  void stop(Queue &) override;
  bool ready() override;
  double milliseconds() override; // 0 when nothing was submitted

 private:
  friend class ClQueue;
  ClEventHandle first_, last_;
};

// Host memory that kernels use in place, on devices that share it (has_host_memory()). It has a device
// address of its own, as allocated memory has, so that the same bytes may be shared several times at once.
class ClHostMemory {
 public:
  ClHostMemory() = default;
  ClHostMemory(ClDevice &, void *, std::size_t bytes);
  ClHostMemory(ClHostMemory &&o) noexcept { swap(o); }
  ClHostMemory &operator=(ClHostMemory &&o) noexcept {
    swap(o);
    return *this;
  }
  ~ClHostMemory();
  void *address() const { return address_; }
  // The host sees what kernels wrote once the queue has got here.
  void to_host(ClQueue &) const;

 private:
  void swap(ClHostMemory &) noexcept;
  ClDevice *device_ = nullptr;
  void *address_ = nullptr;
  std::size_t bytes_ = 0;
};

class ClDevice final : public Device {
 public:
  explicit ClDevice(const ClCandidate &);
  // In this context, which was made for memory that is shared with another API; it gets a reference of its
  // own.
  ClDevice(const ClCandidate &, cl_context);
  ~ClDevice() override;

  Backend backend() const override { return Backend::opencl; }
  std::string name() const override; // "NVIDIA H200, NVIDIA CUDA, driver 580.95"

  // Device memory is buffers. Their addresses are numbers that no host memory has: arithmetic works, reading
  // through them does not. Any thread may allocate, release and ask.
  void *allocate(std::size_t bytes) override;
  void release(void *) noexcept override;
  // Memory of another API of the same GPU, `bytes` of it, by a descriptor that becomes the driver's own; to
  // be released like memory of our own. Between acquire() and give_back() it is OpenCL's: work that the other
  // API submitted must be done before, and it may submit more when the queue is done. Throws Error::device,
  // and then the descriptor is closed.
  void *import(int descriptor, std::size_t bytes);
  void acquire(void *, Queue &);
  void give_back(void *, Queue &);
  // Why import() would not work; empty when it should.
  std::string why_no_import() const;
  // Which GPU this is, whatever API or driver names it; none where the driver does not say.
  std::optional<std::array<std::uint8_t, 16>> uuid() const;
  void *allocate_host(std::size_t bytes) override; // page-locked: a mapped buffer of the driver
  void release_host(void *) noexcept override;
  void upload(void *, const void *, std::size_t, Queue &) override;
  void download(void *, const void *, std::size_t, Queue &) override;
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void fill(void *, int, std::size_t, Queue &) override;
  // From device memory to device memory.
  void copy(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
            std::size_t row_bytes, int rows, ClQueue &);
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Timer> make_timer() override;
  std::unique_ptr<Event> make_event() override;

  // Throws Error::bad_setting for an address that is not of this device.
  ClRange range_of(const void *address) const;
  // The picture as kernels take it. Throws Error::bad_setting when its rows would not lie inside its buffer.
  ClImage view(const ConstImage &) const;
  ClPlane view(const void *address, std::ptrdiff_t stride, std::size_t row_bytes, int width,
               int height) const;

  bool has_host_memory() const { return is_cpu(); } // ClHostMemory works without a copy
  bool is_cpu() const { return (candidate_.type & CL_DEVICE_TYPE_CPU) != 0; }
  cl_context context() const { return context_.get(); }
  cl_device_id id() const { return candidate_.id; }
  const ClCandidate &candidate() const { return candidate_; }
  const std::string &device_name() const { return candidate_.name; }
  const std::string &driver_version() const { return driver_version_; }
  std::string text_info(cl_device_info) const;
  std::uint64_t
      number_info(cl_device_info) const; // of a type of up to 8 bytes, e.g. CL_DEVICE_LOCAL_MEM_SIZE
  bool has_extension(const char *) const;

 private:
  friend class ClHostMemory;
  struct Allocation {
    ClMemHandle memory;
    std::size_t bytes;
  };
  void *add(ClMemHandle, std::size_t bytes); // gives it an address
  void change_owner(const char *function, void *, Queue &);

  ClCandidate candidate_;
  ClContextHandle context_;
  std::string driver_version_;
  mutable std::mutex mutex_; // guards what follows
  std::uintptr_t next_address_;
  std::map<std::uintptr_t, Allocation> allocations_;
  std::map<void *, ClMemHandle> pinned_;
  ClQueueHandle map_queue_; // maps and unmaps page-locked memory
};

// The one that `selector` means, see choose(). What open_opencl() gives, by its own type.
std::unique_ptr<ClDevice> open_cl(const std::string &selector = {});

} // namespace vigil
