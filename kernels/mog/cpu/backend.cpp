// SPDX-License-Identifier: LGPL-2.1-or-later
// The model on the CPU: vectors (folder cpu/) in threads. Rows are independent of each other, so that neither
// their distribution over threads nor the number of threads changes a bit.
#include "common/cpu/device.h"
#include "common/turned.h"
#include "kernels/mog/cpu/codec.h"
#include "kernels/mog/cpu/job.h"

#include "common/device_cast.h"
#include "common/error.h"

#include <algorithm>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace vigil::mog {
namespace {

// While it lives, this thread takes numbers too small for a normalised float as zero. A weight that no sample
// feeds shrinks permanently, and so does a mean in a black corner; once they get there (at 1/500 after 43,600
// frames), x86 helps itself with microcode at each operation on them, and a scene where nothing happens
// becomes the slowest of all.
class FlushDenormals {
#if defined(__SSE__)
 public:
  FlushDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | flush_results | flush_inputs);
  }
  ~FlushDenormals() {
    _mm_setcsr(before_);
  }
  FlushDenormals(const FlushDenormals &) = delete;

 private:
  static constexpr unsigned flush_results = 0x8000, flush_inputs = 0x0040;
  unsigned before_;
#else
 public:
  FlushDenormals() {} // other processors compute with them at full speed
#endif
};

class CpuModel final : public Model {
 public:
  CpuModel(CpuDevice &device, const Config &config)
      : device_(device), config_(config), layout_(config),
        active_(device, layout_.blocks * cpu::block_pixels),
        weights_(device, value_bytes() * layout_.weight_step * config.components),
        gaussians_(device, value_bytes() * layout_.gaussian_step * config.components) {
    std::fill_n(active_.as<std::uint8_t>(), active_.bytes(), std::uint8_t{0});
  }
  const Config &config() const override { return config_; }

  void apply(std::span<const Step> group, const Params &params, const RateMap &rates, Queue &) override {
    std::vector<cpu::Frame> steps;
    std::size_t turned = 0;
    for (const Step &step : group)
      steps.push_back({step, step.shift ? *step.shift : Shift{},
                       resolve(params, config_.method, step.frame.format, config_.channels, config_.range),
                       static_cast<std::uint32_t>(frames + steps.size())});
    for (cpu::Frame &frame : steps) {
      if (frame.shift.is_turned())
        frame.labels = labels_of(turned++);
      else
        clear_uncovered_rows(frame.step.mask, frame.shift);
    }
    const cpu::Job job{config_, memory(), steps, rates};
    for_rows([&](int first, int last) {
      (config_.method == Method::mog ? cpu::apply_mog : cpu::apply_zivkovic)(job, first, last);
    });
    for (const cpu::Frame &frame : steps)
      if (frame.shift.is_turned()) for_rows([&](int first, int last) { show_labels(frame, first, last); });
    frames += group.size();
  }

  void background(const Image &out, Queue &) override {
    for_rows([&](int first, int last) { cpu::draw_background(config_, memory(), out, first, last); });
  }

  State save(Queue &) override {
    State s = empty_state(config_);
    s.frames = frames;
    for_pixels([&](std::size_t i, std::uint8_t &active, std::size_t block, std::size_t lane) {
      int in_use = 0;
      for (int k = 0; k < active; k++) {
        const float w = read(weights_, layout_.weight(k, block) + lane, cpu::weight_unit);
        if (config_.method == Method::mog && !(w > 0)) continue;
        in_use++;
        const std::size_t at = layout_.gaussian(k, block) + lane, n = s.active.size();
        s.weight[k * n + i] = w;
        s.variance[k * n + i] = read(gaussians_, at, 0);
        for (int c = 0; c < config_.channels; c++)
          s.mean[(k * config_.channels + c) * n + i] =
              read(gaussians_, at + (1 + c) * cpu::block_pixels, cpu::mean_unit);
      }
      s.active[i] = static_cast<std::uint8_t>(in_use);
    });
    return s;
  }

  void load(const State &s, Queue &) override {
    check_fits(s, config_);
    frames = s.frames;
    for_pixels([&](std::size_t i, std::uint8_t &active, std::size_t block, std::size_t lane) {
      active = config_.method == Method::mog ? 0 : s.active[i];
      for (int k = 0; k < config_.components; k++) {
        const std::size_t at = layout_.gaussian(k, block) + lane, n = s.active.size();
        const float w = s.weight[k * n + i];
        if (config_.method == Method::mog && w > 0) active = static_cast<std::uint8_t>(k + 1);
        write(weights_, layout_.weight(k, block) + lane, w, cpu::weight_unit);
        write(gaussians_, at, s.variance[k * n + i], 0);
        for (int c = 0; c < config_.channels; c++)
          write(gaussians_, at + (1 + c) * cpu::block_pixels, s.mean[(k * config_.channels + c) * n + i],
                cpu::mean_unit);
      }
    });
  }

 private:
  std::size_t value_bytes() const {
    return config_.precision == Precision::double_  ? sizeof(double)
           : config_.precision == Precision::single ? sizeof(float)
                                                    : sizeof(std::uint16_t);
  }
  cpu::Memory memory() const { return {layout_, active_.as<std::uint8_t>(), weights_.as(), gaussians_.as()}; }

  // The labels of the frame's rows where the model has none.
  static void clear_uncovered_rows(const Plane<std::uint8_t> &mask, Shift shift) {
    const int height = mask.height, from = std::clamp(shift.y, 0, height);
    const int to = std::clamp(height + shift.y, from, height);
    for (int y = 0; y < height; y++)
      if (y < from || y >= to) std::fill_n(mask.row(y), mask.width, std::uint8_t{0});
  }

  // Room for the labels of the n-th turned frame of a group.
  Plane<std::uint8_t> labels_of(std::size_t n) {
    const std::size_t bytes = std::size_t(config_.width) * std::size_t(config_.height);
    if (labels_.size() <= n) labels_.emplace_back(bytes);
    return {labels_[n].data(), config_.width, config_.height, config_.width};
  }
  // Rows of the mask of a turned frame, from the labels of the model's pixels.
  void show_labels(const cpu::Frame &frame, int first, int last) const {
    const int width = config_.width, height = config_.height;
    const Turned places(frame.shift, width, height);
    for (int y = first; y < last; y++)
      for (int x = 0; x < width; x += Turned::tile) {
        const Position at = places.back(x, y);
        std::uint8_t *to = frame.step.mask.row(y) + x;
        const int count = std::min(Turned::tile, width - x);
        if (at.y >= 0 && at.y < height && at.x >= 0 && at.x + count <= width) {
          std::copy_n(frame.labels.row(at.y) + at.x, count, to);
          continue;
        }
        for (int i = 0; i < count; i++) {
          const bool there = at.y >= 0 && at.y < height && at.x + i >= 0 && at.x + i < width;
          to[i] = there ? frame.labels.row(at.y)[at.x + i] : std::uint8_t{0};
        }
      }
  }

  template <class Fn>
  void for_rows(const Fn &fn) {
    constexpr int worthwhile = 1 << 14; // pixels
    device_.parallel(config_.height, std::max(worthwhile / config_.width, 1), [&](int first, int last) {
      const FlushDenormals guard;
      fn(first, last);
    });
  }
  // Calls fn(index in a State, its count, its block, its place in the block) for every pixel.
  template <class Fn>
  void for_pixels(const Fn &fn) {
    for_rows([&](int first, int last) {
      for (int y = first; y < last; y++)
        for (int x = 0; x < config_.width; x++) {
          const std::size_t block = std::size_t(y) * layout_.blocks_a_row + x / cpu::block_pixels;
          const std::size_t lane = x % cpu::block_pixels;
          fn(std::size_t(y) * config_.width + x, active_.as<std::uint8_t>()[block * cpu::block_pixels + lane],
             block, lane);
        }
    });
  }

  // One value of the state; compact ones are multiples of `unit`, or variances where it is 0.
  float read(const DeviceBuffer &from, std::size_t at, float unit) const {
    if (config_.precision == Precision::single) return from.as<float>()[at];
    if (config_.precision == Precision::double_) return static_cast<float>(from.as<double>()[at]);
    const std::uint16_t stored = from.as<std::uint16_t>()[at];
    return unit > 0 ? static_cast<float>(stored) * unit : cpu::decode_variance(stored);
  }
  void write(const DeviceBuffer &to, std::size_t at, float value, float unit) const {
    if (config_.precision == Precision::single)
      to.as<float>()[at] = value;
    else if (config_.precision == Precision::double_)
      to.as<double>()[at] = value;
    else
      to.as<std::uint16_t>()[at] = unit > 0 ? cpu::encode_units(value, unit) : cpu::encode_variance(value);
  }

  CpuDevice &device_;
  const Config config_;
  const cpu::Layout layout_;
  DeviceBuffer active_, weights_, gaussians_;
  std::vector<std::vector<std::uint8_t>> labels_; // once a frame was turned
};

} // namespace

std::unique_ptr<Model> make_cpu(Device &device, const Config &config) {
  check_config(config);
  return std::make_unique<CpuModel>(device_cast<CpuDevice>(device), config);
}

} // namespace vigil::mog
