// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: memory, arguments and launches. The formulas are in cuda/zivkovic.cuh and cuda/mog.cuh.
#include "common/cuda/device.h"
#include "common/error.h"
#include "kernels/mog/cuda/args.h"

#include <algorithm>

namespace vigil::mog {
namespace {

using namespace cuda;

class CudaModel final : public Model {
 public:
  CudaModel(CudaDevice &device, const Config &config)
      : device_(device), config_(config),
        kernels_(config.method == Method::mog ? mog_kernels(config.precision)
                                              : zivkovic_kernels(config.precision, config.channels)) {
    store_.pitch = (config.width + 15) / 16 * 16;
    store_.plane = std::size_t(store_.pitch) * config.height;
    const std::size_t cells = store_.plane * config.components;
    gaussian_ = DeviceBuffer(device, cells * kernels_.gaussian_bytes);
    weight_ = DeviceBuffer(device, cells * kernels_.weight_bytes);
    active_ = DeviceBuffer(device, store_.plane);
    store_.gaussian = gaussian_.as();
    store_.weight = weight_.as();
    store_.active = active_.as<std::uint8_t>();
    const auto queue = device.make_queue();
    for (const DeviceBuffer *b : {&gaussian_, &weight_, &active_})
      device.fill(b->as(), 0, b->bytes(), *queue);
    queue->wait();
  }

  const Config &config() const override { return config_; }

  void apply(std::span<const Step> group, const Params &params, const RateMap &rates, Queue &queue) override {
    const CudaScope scope = device_.enter();
    while (!group.empty()) {
      std::size_t n = 1; // as many as one launch takes: of one format
      while (n < std::min<std::size_t>(group.size(), max_group) &&
             group[n].frame.format == group[0].frame.format)
        n++;
      const auto part = group.first(n);
      kernels_.apply(arguments(part, params, rates), stream_of(queue));
      cuda_check(cudaGetLastError(), "mog");
      frames += part.size();
      group = group.subspan(part.size());
    }
  }

  void background(const Image &out, Queue &queue) override {
    const CudaScope scope = device_.enter();
    kernels_.background(store_, config_, out, stream_of(queue));
    cuda_check(cudaGetLastError(), "mog background");
  }

  State save(Queue &queue) override {
    State s = empty_state(config_);
    Transfer t(device_, s);
    const CudaScope scope = device_.enter();
    kernels_.save(store_, config_, t.canonical, stream_of(queue));
    cuda_check(cudaGetLastError(), "saving mog");
    t.each(
        [&](void *device, void *host, std::size_t bytes) { device_.download(host, device, bytes, queue); });
    queue.wait();
    s.frames = frames;
    return s;
  }

  void load(const State &s, Queue &queue) override {
    check_fits(s, config_);
    State copy = s;
    Transfer t(device_, copy);
    const CudaScope scope = device_.enter();
    t.each([&](void *device, void *host, std::size_t bytes) { device_.upload(device, host, bytes, queue); });
    kernels_.load(store_, config_, t.canonical, stream_of(queue));
    cuda_check(cudaGetLastError(), "loading mog");
    queue.wait();
    frames = s.frames;
  }

 private:
  // A state's arrays in host memory and their counterparts on the device.
  struct Transfer {
    Transfer(Device &d, State &s)
        : state(s), active(d, s.active.size()), weight(d, s.weight.size() * sizeof(float)),
          variance(d, s.variance.size() * sizeof(float)),
          mean(d, s.mean.size() * sizeof(float)), canonical{active.as<std::uint8_t>(), weight.as<float>(),
                                                            variance.as<float>(), mean.as<float>()} {}
    template <class Fn>
    void each(Fn copy) {
      copy(active.as(), state.active.data(), active.bytes());
      copy(weight.as(), state.weight.data(), weight.bytes());
      copy(variance.as(), state.variance.data(), variance.bytes());
      copy(mean.as(), state.mean.data(), mean.bytes());
    }
    State &state;
    DeviceBuffer active, weight, variance, mean;
    Canonical canonical;
  };

  Args<double, max_group> arguments(std::span<const Step> group, const Params &params,
                                    const RateMap &rates) const {
    Args<double, max_group> a{};
    const Constants c = resolve(params, config_.method, group[0].frame.format, config_.channels);
    a.c = {c.match2,
           c.background2,
           c.background_ratio,
           c.weight_threshold,
           c.complexity_prior,
           c.initial_variance,
           c.initial_weight,
           c.min_variance,
           c.max_variance,
           c.shadow_threshold,
           {c.zero[0], c.zero[1], c.zero[2]},
           c.detect_shadows,
           c.shadow_value};
    a.store = store_;
    a.rates = rates;
    a.format = group[0].frame.format;
    a.width = config_.width;
    a.height = config_.height;
    a.components = config_.components;
    a.count = int(group.size());
    for (std::size_t i = 0; i < group.size(); i++) {
      const Step &s = group[i];
      Frame &f = a.frame[i];
      for (int p = 0; p < 3; p++) {
        f.plane[p] = s.frame.data[p];
        f.stride[p] = int(s.frame.stride[p]);
      }
      f.mask = s.mask.data;
      f.mask_stride = int(s.mask.stride);
      f.rate = float(s.learning_rate);
      f.number = std::uint32_t(frames + i);
    }
    return a;
  }

  CudaDevice &device_;
  Config config_;
  Kernels kernels_;
  Store store_{};
  DeviceBuffer gaussian_, weight_, active_;
};

} // namespace

std::unique_ptr<Model> make_cuda(Device &device, const Config &config) {
  check_config(config);
  return std::make_unique<CudaModel>(static_cast<CudaDevice &>(device), config);
}

} // namespace vigil::mog
