// SPDX-License-Identifier: LGPL-2.1-or-later
// A place where kernels run: its memory, a queue of work, and a clock. Backends live in the folders cpu/,
// cuda/, gl/ and opencl/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace vigil {

enum class Backend { cpu, cuda, gl, opencl };
const char *name_of(Backend);

class Event;

// Work submitted to one queue runs in order. On the CPU work is done when the call that submits it returns.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void wait() = 0; // returns when all that was submitted is done; throws Error when any of it failed
  // What is submitted from now on starts after the event's point was reached. The caller does not wait.
  virtual void after(Event &) = 0;
};

// A point in a queue's work that other queues, or the host, can wait for. One never recorded counts as
// reached.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Queue &) = 0;
  virtual void wait() = 0; // returns when the point was reached; throws Error when work before it failed
};

// Measures the time between two points of a queue without making the caller wait.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void start(Queue &) = 0;
  virtual void stop(Queue &) = 0;
  virtual bool ready() = 0;          // the stop point has been reached
  virtual double milliseconds() = 0; // waits when not ready
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Backend backend() const = 0;
  virtual std::string name() const = 0; // as its driver or the operating system calls it

  // Memory of the device, aligned to at least 256 bytes, never null for bytes > 0. Throws Error::no_memory.
  virtual void *allocate(std::size_t bytes) = 0;
  virtual void release(void *) noexcept = 0;
  // Host memory from which and to which copies may run while the queue goes on (page-locked where that
  // matters).
  virtual void *allocate_host(std::size_t bytes) = 0;
  virtual void release_host(void *) noexcept = 0;

  // Copies between host and device, in order with the queue; the host memory must stay until the queue got
  // there.
  virtual void upload(void *device, const void *host, std::size_t bytes, Queue &) = 0;
  virtual void download(void *host, const void *device, std::size_t bytes, Queue &) = 0;
  virtual void upload(void *device, std::ptrdiff_t device_stride, const void *host,
                      std::ptrdiff_t host_stride, std::size_t row_bytes, int rows, Queue &) = 0;
  virtual void download(void *host, std::ptrdiff_t host_stride, const void *device,
                        std::ptrdiff_t device_stride, std::size_t row_bytes, int rows, Queue &) = 0;
  virtual void fill(void *device, int byte, std::size_t bytes, Queue &) = 0;

  virtual std::unique_ptr<Queue> make_queue() = 0;
  virtual std::unique_ptr<Timer> make_timer() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
};

// The CPU; always there. `threads` 0: as many as the machine runs at once.
std::unique_ptr<Device> open_cpu(int threads = 0);
// CUDA device `id`, in a context of its own (never the primary one). Throws Error::no_device, saying what is
// missing, when the build has no CUDA, the machine no driver, or the driver no such device.
std::unique_ptr<Device> open_cuda(int id = 0);
// OpenGL (or OpenGL ES) in a headless EGL context of its own, current on the calling thread until the device
// is closed there. Throws Error::no_device, saying what is missing, when the build has no OpenGL, the machine
// no EGL, or its driver neither OpenGL 3.3 nor OpenGL ES 3.0.
std::unique_ptr<Device> open_gl();
std::unique_ptr<Device> open_gl_es(); // OpenGL ES where open_gl() would give OpenGL
// An OpenCL device: `selector` is its number or a part of its or its platform's name; empty: the first GPU,
// else the first accelerator, else the first CPU. Throws Error::no_device, which lists what there is, or
// names the package to install.
std::unique_ptr<Device> open_opencl(const std::string &selector = {});
std::unique_ptr<Device> open_device(Backend);

// Device memory with an owner.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device &device, std::size_t bytes)
      : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}
  DeviceBuffer(DeviceBuffer &&o) noexcept { swap(o); }
  DeviceBuffer &operator=(DeviceBuffer &&o) noexcept {
    swap(o);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) device_->release(data_);
  }
  template <class T = void>
  T *as() const {
    return static_cast<T *>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  void swap(DeviceBuffer &o) noexcept {
    std::swap(device_, o.device_);
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
  }
  Device *device_ = nullptr;
  void *data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace vigil
