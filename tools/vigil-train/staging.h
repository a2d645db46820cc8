// SPDX-License-Identifier: LGPL-2.1-or-later
// One block of rows on its way to a GPU: page-locked memory, from which it travels while the host goes on.
#pragma once

#include "common/device.h"
#include "kernels/fisher/expectation.h"

#include <cstring>
#include <memory>

namespace vigil::train {

class Staging {
 public:
  Staging(Device &d, std::size_t dimension)
      : device_(d), dimension_(dimension), sent_(d.make_event()),
        values_(static_cast<float *>(d.allocate_host(fisher::block_rows * stride() * sizeof(float)))) {}
  ~Staging() { device_.release_host(values_); }
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  std::size_t stride() const {
    return static_cast<std::size_t>(fisher::row_stride(static_cast<int>(dimension_)));
  }
  // `rows` are count x dimension without gaps, and are free again on return; `to` has room for
  // fisher::padded_rows(count) x stride(). Waits for the send before. The queue must be done when this goes.
  void send(const float *rows, std::size_t count, float *to, Queue &queue) {
    sent_->wait();
    for (std::size_t i = 0; i < count; i++)
      std::memcpy(values_ + i * stride(), rows + i * dimension_, dimension_ * sizeof(float));
    device_.upload(to, values_, count * stride() * sizeof(float), queue);
    sent_->record(queue);
  }

 private:
  Device &device_;
  std::size_t dimension_;
  std::unique_ptr<vigil::Event> sent_;
  float *values_;
};

} // namespace vigil::train
