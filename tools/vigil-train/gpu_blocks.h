// SPDX-License-Identifier: LGPL-2.1-or-later
// The expectation step on one GPU for rows that come a block at a time and are not kept.
#pragma once

#include "mixture.h"
#include "staging.h"

namespace vigil::train {

class GpuBlocks {
 public:
  GpuBlocks(Device &device, const Mixture &m) // for mixtures of this one's sizes
      : queue_(device.make_queue()), staging_(device, m.dimension),
        memory_(device, fisher::padded_rows(fisher::block_rows) * staging_.stride() * sizeof(float)),
        expectation_(fisher::make_expectation_cuda(device, static_cast<int>(m.components),
                                                   static_cast<int>(m.dimension))) {}
  ~GpuBlocks() { queue_->wait(); }
  GpuBlocks(const GpuBlocks &) = delete;
  GpuBlocks &operator=(const GpuBlocks &) = delete;
  // Empties the sums.
  void start(const Mixture &m) { expectation_->start(m, *queue_); }
  // `rows`: count x dimension, up to fisher::block_rows of them.
  void add(const float *rows, std::size_t count) {
    staging_.send(rows, count, memory_.as<float>(), *queue_);
    expectation_->add(memory_.as<float>(), static_cast<int>(count), *queue_);
  }
  fisher::ExactStatistics finish() { return expectation_->finish(*queue_); }

 private:
  std::unique_ptr<Queue> queue_;
  Staging staging_;
  DeviceBuffer memory_;
  std::unique_ptr<fisher::Expectation> expectation_;
};

} // namespace vigil::train
