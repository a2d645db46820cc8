// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory of a CUDA device that other APIs may import: a virtual memory allocation, handed out as a file
// descriptor. Making one takes some 0.1 ms and whole units of 2 MiB: keep it, and use it again.
#pragma once

#include <cstddef>

namespace vigil {

class CudaDevice;

class CudaShareable {
 public:
  // The device must outlive it. Throws Error::no_memory, or Error::device where the driver or the device
  // cannot do this.
  CudaShareable(CudaDevice &, std::size_t bytes);
  ~CudaShareable();
  CudaShareable(const CudaShareable &) = delete;
  CudaShareable &operator=(const CudaShareable &) = delete;

  void *address() const { return reinterpret_cast<void *>(address_); }
  std::size_t bytes() const { return bytes_; } // as many as importers see: not fewer than were asked for
  // A new descriptor of the allocation, whose owner is the caller. An importer may keep the memory beyond
  // this object's end.
  int export_descriptor() const;

 private:
  void undo() noexcept;
  CudaDevice &device_;
  std::size_t bytes_ = 0;
  unsigned long long handle_ = 0, address_ = 0;
  bool mapped_ = false;
};

} // namespace vigil
