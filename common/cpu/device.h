// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU as a device: host memory, work done at once by a pool of threads.
#pragma once

#include "common/device.h"

#include <functional>
#include <memory>

namespace vigil {

class TaskArena;

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int threads);
  ~CpuDevice() override;
  Backend backend() const override { return Backend::cpu; }
  std::string name() const override;
  void *allocate(std::size_t bytes) override;
  void release(void *) noexcept override;
  void *allocate_host(std::size_t bytes) override { return allocate(bytes); }
  void release_host(void *p) noexcept override { release(p); }
  void upload(void *, const void *, std::size_t, Queue &) override;
  void download(void *, const void *, std::size_t, Queue &) override;
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void fill(void *, int, std::size_t, Queue &) override;
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Timer> make_timer() override;
  std::unique_ptr<Event> make_event() override;

  int threads() const;
  // Calls work(first, last) for parts of [0, count) of at least `grain` each, on all threads, and returns
  // when all are done. Parts depend on count and grain only where the result may depend on them.
  void parallel(int count, int grain, const std::function<void(int first, int last)> &work);

 private:
  std::unique_ptr<TaskArena> arena_;
};

} // namespace vigil
