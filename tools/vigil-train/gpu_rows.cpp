// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_rows.h"

#include "common/error.h"
#include "staging.h"

#include <algorithm>
#include <exception>
#include <thread>

namespace vigil::train {

namespace {

constexpr std::size_t device_rows = fisher::block_rows;
constexpr std::size_t blocks_worth_a_gpu = 16; // opening one takes as long as some iterations over these

std::size_t blocks_of(std::size_t rows) {
  return (rows + device_rows - 1) / device_rows;
}

} // namespace

struct GpuRows::Shard {
  Shard(Device &d, const Data &rows, std::size_t components)
      : data(rows), device(d), queue(d.make_queue()),
        expectation(fisher::make_expectation_cuda(d, static_cast<int>(components),
                                                  static_cast<int>(rows.dimension))) {}

  void upload() {
    Staging staging[2] = {{device, data.dimension}, {device, data.dimension}};
    stride = staging[0].stride();
    memory = DeviceBuffer(device, fisher::padded_rows(data.rows) * stride * sizeof(float));
    for (std::size_t first = 0; first < data.rows; first += device_rows)
      staging[first / device_rows % 2].send(data.values.data() + first * data.dimension,
                                            std::min(device_rows, data.rows - first),
                                            memory.as<float>() + first * stride, *queue);
    queue->wait();
  }
  void compute(const Mixture &m) {
    expectation->start(m, *queue);
    for (std::size_t first = 0; first < data.rows; first += device_rows)
      expectation->add(memory.as<float>() + first * stride,
                       static_cast<int>(std::min(device_rows, data.rows - first)), *queue);
    sums = expectation->finish(*queue);
  }

  Data data; // of this device
  Device &device;
  std::unique_ptr<Queue> queue;
  std::size_t stride = 0; // floats
  DeviceBuffer memory;
  std::unique_ptr<fisher::Expectation> expectation;
  fisher::ExactStatistics sums;
};

std::vector<std::unique_ptr<Device>> gpus_for(std::size_t rows, const OpenDevice &open) {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(open(0));
  const std::size_t most = std::max<std::size_t>(1, blocks_of(rows) / blocks_worth_a_gpu);
  try {
    while (devices.size() < most) devices.push_back(open(static_cast<int>(devices.size())));
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::no_device) throw;
  }
  return devices;
}

RowRange rows_of_device(std::size_t i, std::size_t n, std::size_t rows) {
  const std::size_t blocks = blocks_of(rows);
  return {std::min(rows, blocks * i / n * device_rows), std::min(rows, blocks * (i + 1) / n * device_rows)};
}

GpuRows::GpuRows(const std::vector<std::unique_ptr<Device>> &devices, const Data &d, std::size_t components) {
  for (std::size_t i = 0; i < devices.size(); i++) {
    const auto [first, last] = rows_of_device(i, devices.size(), d.rows);
    if (first == last) continue;
    const Data part{d.values.subspan(first * d.dimension, (last - first) * d.dimension), last - first,
                    d.dimension};
    shards_.push_back(std::make_unique<Shard>(*devices[i], part, components));
  }
  on_each([](Shard &s) { s.upload(); });
}
GpuRows::~GpuRows() = default;

void GpuRows::on_each(const std::function<void(Shard &)> &work) {
  std::vector<std::exception_ptr> errors(shards_.size());
  const auto guarded = [&](std::size_t i) {
    try {
      work(*shards_[i]);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < shards_.size(); i++) threads.emplace_back(guarded, i);
  if (!shards_.empty()) guarded(0);
  for (std::thread &t : threads) t.join();
  for (const std::exception_ptr &e : errors)
    if (e) std::rethrow_exception(e);
}

Statistics GpuRows::expectation(const Mixture &m) {
  on_each([&](Shard &s) { s.compute(m); });
  fisher::ExactStatistics all = shards_.front()->sums;
  for (std::size_t i = 1; i < shards_.size(); i++) {
    all.sums.add(shards_[i]->sums.sums);
    all.mass.add(shards_[i]->sums.mass);
    all.likelihood.add(shards_[i]->sums.likelihood);
  }
  return {all.sums.values(), all.mass.values(), all.likelihood.values().front()};
}

} // namespace vigil::train
