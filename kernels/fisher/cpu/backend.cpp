// SPDX-License-Identifier: LGPL-2.1-or-later
// Fisher vectors on the CPU: which thread does what, and the memory. Nothing that is computed depends on who
// computes it: sums are made in parts that the number of descriptors alone decides, and added in their order.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/fisher/cpu/encode.h"
#include "kernels/fisher/cpu/sift.h"
#include "kernels/fisher/fisher.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace vigil::fisher {
namespace {

using namespace cpu;

// Calls work(task, worker) for each task, on all threads; workers have numbers below device.threads(), and
// one worker does one task at a time.
template <class Work>
void share_out(CpuDevice &device, int tasks, Work work) {
  std::atomic<int> next{0};
  device.parallel(std::min(tasks, device.threads()), 1, [&](int first, int last) {
    for (int worker = first; worker < last; worker++)
      for (int task = next++; task < tasks; task = next++) work(task, worker);
  });
}

class CpuExtractor final : public Extractor {
 public:
  CpuExtractor(CpuDevice &device, int width, int height, const SiftParams &p)
      : Extractor(width, height, p), device_(device), luma_{nullptr, width, height} {
    const auto positions = positions_for(layout(), p);
    positions_ = DeviceBuffer(device, positions.size() * sizeof(float));
    std::memcpy(positions_.as(), positions.data(), positions.size() * sizeof(float));
    for (int l = 0, i = 0; l < bins; l++)
      for (int k = 0; k < bins; k++)
        for (int o = 0; o < orientations; o++)
          window_.weight[i++] = float(window_weight(k, p.bin_size) * window_weight(l, p.bin_size));
    const double side = (bins - 1) * p.bin_size + 1;
    window_.least_sum = float(p.contrast_threshold * side * side);

    std::size_t floats = luma_.size(), most = Rows::stride_for(width);
    for (const ScaleLayout &s : layout().scales) {
      Scale scale{{nullptr, s.width, s.height}, {}, {}, {p.bin_size, std::gcd(p.step, p.bin_size)}, s};
      const auto cells = [&](int places) {
        return ((places - 1) * p.step + (bins - 1) * p.bin_size) / scale.grid.spacing + 1;
      };
      scale.grid.columns = cells(s.columns);
      scale.grid.rows = cells(s.rows);
      scale.own = s.width != width || s.height != height;
      if (scale.own) {
        scale.x = resize_for(width, s.width);
        scale.y = resize_for(height, s.height);
        floats += scale.picture.size();
        resizes_ += bands(s.height);
      }
      grids_ += bands(scale.grid.rows);
      floats += scale.grid.size();
      most = std::max(most, grid_scratch(s.width, band));
      scales_.push_back(std::move(scale));
    }
    scratch_size_ = (most + 63) / 64 * 64;
    const std::size_t scratch = scratch_size_ * device.threads();
    memory_ = DeviceBuffer(device, (floats + scratch) * sizeof(float));
    float *at = memory_.as<float>();
    std::memset(at, 0, (floats + scratch) * sizeof(float)); // margins stay finite
    const auto take = [&](std::size_t count) { return std::exchange(at, at + count); };
    scratch_ = take(scratch);
    luma_.data = take(luma_.size());
    for (Scale &s : scales_) {
      s.picture.data = s.own ? take(s.picture.size()) : luma_.data;
      s.grid.cells = take(s.grid.size());
    }
  }

  const float *positions() const override { return positions_.as<float>(); }

  void extract(const ConstImage &frame, float *descriptors, Queue &) override {
    prepare(frame);
    const int n = layout().descriptors, unit = 256;
    share_out(device_, (n + unit - 1) / unit, [&](int task, int) {
      const int first = task * unit;
      describe(first, std::min(unit, n - first), descriptors + std::size_t(descriptor_length) * first);
    });
  }

  // All bin values of a frame.
  void prepare(const ConstImage &frame) {
    check_frame(frame);
    share_out(device_, bands(luma_.height), [&](int task, int) {
      luma_rows(frame, luma_, task * band, std::min((task + 1) * band, luma_.height));
    });
    share_out(device_, resizes_, [&](int task, int worker) {
      for (const Scale &s : scales_) {
        const int own = s.own ? bands(s.picture.height) : 0;
        if (task < own)
          return resize_rows(luma_, s.x, s.y, s.picture, task * band,
                             std::min((task + 1) * band, s.picture.height), scratch(worker));
        task -= own;
      }
    });
    share_out(device_, grids_, [&](int task, int worker) {
      for (const Scale &s : scales_) {
        const int own = bands(s.grid.rows);
        if (task < own)
          return grid_rows(s.picture, s.grid, task * band, std::min((task + 1) * band, s.grid.rows),
                           scratch(worker));
        task -= own;
      }
    });
  }
  // Descriptors first .. first+count-1 of the prepared frame.
  void describe(int first, int count, float *out) const {
    for (const Scale &s : scales_) {
      const std::int64_t skip = first - s.layout.first;
      if (skip >= s.layout.count()) continue;
      for (int row = int(skip / s.layout.columns), column = int(skip % s.layout.columns);
           row < s.layout.rows && count > 0; row++, column = 0) {
        const int n = std::min(count, s.layout.columns - column);
        describe_row(s.grid, params(), window_, row, column, n, out);
        out += std::ptrdiff_t{descriptor_length} * n;
        first += n;
        count -= n;
      }
      if (count == 0) return;
    }
  }

 private:
  static constexpr int band = 8; // rows of one task
  static int bands(int rows) { return (rows + band - 1) / band; }
  struct Scale {
    Rows picture;
    Resize x, y;
    Grid grid;
    ScaleLayout layout;
    bool own = false; // a picture other than the luma
  };
  float *scratch(int worker) const { return scratch_ + scratch_size_ * worker; }

  CpuDevice &device_;
  Rows luma_;
  Window window_;
  std::vector<Scale> scales_;
  int resizes_ = 0, grids_ = 0; // tasks
  DeviceBuffer positions_, memory_;
  float *scratch_ = nullptr;
  std::size_t scratch_size_ = 0;
};

class CpuEncoder final : public Encoder {
 public:
  CpuEncoder(CpuDevice &device, const Codebook &c, const Classifier &k, int capacity)
      : Encoder(c, k, capacity), device_(device), tables_(c), weights_(k.weights), bias_(k.bias) {
    const std::size_t scratch = Scratch::size(tables_), sums = Sums::size(tables_);
    const int parts = parts_for(capacity), workers = device.threads();
    memory_ = DeviceBuffer(device, (scratch * workers + sums * parts) * sizeof(float));
    touched_.resize(std::size_t(components()) * parts);
    squares_.resize(components());
    float *at = memory_.as<float>();
    for (int i = 0; i < workers; i++, at += scratch) scratch_.emplace_back(at, tables_);
    for (int i = 0; i < parts; i++, at += sums)
      sums_.push_back({at, &touched_[std::size_t(components()) * i]});
  }

  void encode(const float *descriptors, const float *positions, int count, float *vector, float *scores,
              Queue &) override {
    check_count(count);
    run(count, positions, nullptr, vector, scores,
        [&](int first, int, float *) { return descriptors + std::size_t(descriptor_length) * first; });
  }

  void encode_frame(Extractor &extractor, const ConstImage &frame, float *vector, float *scores,
                    Queue &) override {
    check_count(extractor.layout().descriptors);
    encode_picture(static_cast<CpuExtractor &>(extractor), frame, nullptr, vector, scores);
  }

  void encode_pictures(Extractor &extractor, const Pictures &pictures, float *vectors, Queue &) override {
    check_pictures(extractor, pictures);
    const auto count = static_cast<std::size_t>(extractor.layout().descriptors);
    for (int i = 0; i < pictures.count; i++)
      encode_picture(static_cast<CpuExtractor &>(extractor), pictures.picture(i),
                     pictures.weights ? pictures.weights + count * std::size_t(i) : nullptr,
                     vectors + std::size_t(vector_length()) * std::size_t(i), nullptr);
  }

 private:
  void encode_picture(CpuExtractor &own, const ConstImage &frame, const float *weights, float *vector,
                      float *scores) {
    own.prepare(frame);
    run(own.layout().descriptors, own.positions(), weights, vector, scores,
        [&](int first, int n, float *scratch) {
          own.describe(first, n, scratch);
          return scratch;
        });
  }

  // Parts that are summed apart: few enough that adding them up costs nothing, enough for many threads.
  static int parts_for(int count) { return std::clamp(count / (16 * block), 1, 64); }

  // descriptors_of(first, count, scratch) returns where these descriptors are.
  template <class Source>
  void run(int count, const float *positions, const float *weights, float *vector, float *scores,
           Source descriptors_of) {
    std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
    const int blocks = (count + block - 1) / block, parts = parts_for(count);
    share_out(device_, parts, [&](int part, int worker) {
      const int end = int(std::int64_t{blocks} * (part + 1) / parts);
      for (int b = int(std::int64_t{blocks} * part / parts); b < end; b++) {
        const int first = b * block, n = std::min(block, count - first);
        const float *d = descriptors_of(first, n, scratch_[worker].descriptors);
        add_block(tables_, d, positions + std::size_t(2) * first, weights ? weights + first : nullptr, n,
                  scratch_[worker], sums_[part]);
      }
    });
    constexpr int unit = 16; // components of one task
    const auto units = (components() + unit - 1) / unit;
    share_out(device_, units, [&](int task, int) {
      for (int j = task * unit; j < std::min((task + 1) * unit, components()); j++)
        squares_[j] = finish_component(tables_, sums_.data(), parts, j, std::max(count, 1), vector);
    });
    const double norm = std::sqrt(std::accumulate(squares_.begin(), squares_.end(), 0.));
    const auto factor = float(1 / std::max(norm, smallest_norm));
    for (int i = 0; i < vector_length(); i++) vector[i] *= factor;
    if (!scores) return;
    for (int c = 0; c < classes(); c++)
      scores[c] = float(bias_[c] + dot(&weights_[std::size_t(c) * vector_length()], vector, vector_length()));
  }

  CpuDevice &device_;
  Tables tables_;
  std::vector<float> weights_, bias_;
  DeviceBuffer memory_;
  std::vector<Scratch> scratch_; // by worker
  std::vector<Sums> sums_;       // by part
  std::vector<std::uint8_t> touched_;
  std::vector<double> squares_;
};

} // namespace

std::unique_ptr<Extractor> make_cpu(Device &device, int width, int height, const SiftParams &p) {
  return std::make_unique<CpuExtractor>(device_cast<CpuDevice>(device), width, height, p);
}
std::unique_ptr<Encoder> make_cpu(Device &device, const Codebook &c, const Classifier &k, int capacity) {
  return std::make_unique<CpuEncoder>(device_cast<CpuDevice>(device), c, k, capacity);
}

} // namespace vigil::fisher
