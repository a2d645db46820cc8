// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows in the memory of one or more GPUs, for the expectation steps of a fit. The statistics have the same
// bits for any number of GPUs of one kind (kernels/fisher/expectation.h).
#pragma once

#include "mixture.h"

#include <functional>
#include <memory>

namespace vigil::train {

// As many of the CUDA devices that can be seen (CUDA_VISIBLE_DEVICES) as so many rows are worth; at least
// one. Throws Error::no_device where there is none.
// `open` opens the device of a number, from 0 on, and throws Error::no_device behind the last.
using OpenDevice = std::function<std::unique_ptr<Device>(int)>;
std::vector<std::unique_ptr<Device>> gpus_for(std::size_t rows, const OpenDevice &open = open_cuda);

// The rows [first, last) of the i-th of n devices: whole blocks, as even as they go.
struct RowRange {
  std::size_t first = 0, last = 0;
};
RowRange rows_of_device(std::size_t i, std::size_t n, std::size_t rows);

class GpuRows {
 public:
  // The devices must outlive it; the rows are copied. Throws Error::no_memory.
  GpuRows(const std::vector<std::unique_ptr<Device>> &, const Data &, std::size_t components);
  ~GpuRows();
  Statistics expectation(const Mixture &);

 private:
  struct Shard;
  void on_each(const std::function<void(Shard &)> &); // at the same time; throws what any of them throws
  std::vector<std::unique_ptr<Shard>> shards_;
};

} // namespace vigil::train
