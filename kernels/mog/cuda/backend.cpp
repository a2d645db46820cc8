// SPDX-License-Identifier: LGPL-2.1-or-later
// The model on a GPU: memory, checks, and the choice of an engine. Kernels are in the folder cuda/.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/mog/cuda/engine.h"

namespace vigil::mog {
namespace {

using namespace cuda;

const Engine &engine_of(const Config &c) {
  const bool luma = c.channels == 1;
  if (c.method == Method::mog)
    return c.precision == Precision::single    ? mog_single
           : c.precision == Precision::double_ ? mog_double
                                               : mog_compact;
  switch (c.precision) {
  case Precision::double_:
    return luma ? zivkovic_double_luma : zivkovic_double_colour;
  case Precision::compact:
    return luma ? zivkovic_compact_luma : zivkovic_compact_colour;
  default:
    return luma ? zivkovic_single_luma : zivkovic_single_colour;
  }
}

void check_picture(const ConstImage &p, const char *what, const Config &c) {
  using enum Error::Kind;
  if (p.width != c.width || p.height != c.height)
    fail(bad_setting, what, " is of ", p.width, "x", p.height, " pixels, but the model of ", c.width, "x",
         c.height);
  if (c.channels == 3 && p.format == PixelFormat::gray8)
    fail(bad_setting, what, " is gray8, but the model has 3 channels");
}

class CudaModel final : public Model {
 public:
  CudaModel(CudaDevice &device, const Config &config)
      : device_(device), config_(config), engine_(engine_of(config)) {
    store_.tiles_a_row = (config.width - 1) / tile + 1;
    const std::size_t pixels = std::size_t(store_.tiles_a_row) * config.height * tile;
    const std::size_t values = pixels * config.components;
    active_ = DeviceBuffer(device, config.method == Method::zivkovic ? pixels : 0);
    weights_ = DeviceBuffer(device, values * engine_.weight_bytes);
    gaussians_ = DeviceBuffer(device, values * engine_.gaussian_bytes);
    if (config.method == Method::zivkovic) store_.active = active_.as<std::uint8_t>();
    store_.weights = weights_.as();
    store_.gaussians = gaussians_.as();
    const auto queue = device.make_queue();
    for (const DeviceBuffer *b : {&active_, &weights_, &gaussians_})
      if (b->bytes() > 0) device.fill(b->as(), 0, b->bytes(), *queue);
    queue->wait();
  }
  const Config &config() const override { return config_; }

  void apply(std::span<const Step> group, const Params &params, const RateMap &rates, Queue &queue) override {
    if (group.empty() || group.size() > max_group)
      fail(Error::Kind::bad_setting, "a group has 1 to ", max_group, " frames, not ", group.size());
    for (const Step &s : group) check_picture(s.frame, "the frame", config_);
    const CudaScope scope = device_.enter();
    for (std::size_t first = 0; first < group.size();) { // runs of one format
      const PixelFormat format = group[first].frame.format;
      std::size_t count = 1;
      while (first + count < group.size() && group[first + count].frame.format == format) count++;
      engine_.apply({config_, store_, group.subspan(first, count),
                     resolve(params, config_.method, format, config_.channels, config_.range), rates,
                     static_cast<std::uint32_t>(frames), backwards_},
                    stream_of(queue));
      backwards_ = !backwards_;
      frames += count;
      first += count;
    }
  }

  void background(const Image &out, Queue &queue) override {
    check_picture(out, "the background picture", config_);
    const CudaScope scope = device_.enter();
    engine_.background(config_, store_, out, stream_of(queue));
  }

  State save(Queue &queue) override {
    State s = empty_state(config_);
    s.frames = frames;
    const Staging staging(device_, s);
    {
      const CudaScope scope = device_.enter();
      engine_.save(config_, store_, staging.arrays(), stream_of(queue));
    }
    staging.each(s, [&](void *on_device, void *on_host, std::size_t bytes) {
      device_.download(on_host, on_device, bytes, queue);
    });
    queue.wait();
    return s;
  }

  void load(const State &s, Queue &queue) override {
    check_fits(s, config_);
    const Staging staging(device_, s);
    staging.each(s, [&](void *on_device, const void *on_host, std::size_t bytes) {
      device_.upload(on_device, on_host, bytes, queue);
    });
    {
      const CudaScope scope = device_.enter();
      engine_.load(config_, store_, staging.arrays(), stream_of(queue));
    }
    queue.wait();
    frames = s.frames;
  }

 private:
  // Device memory for the arrays of a State.
  class Staging {
   public:
    Staging(CudaDevice &device, const State &s)
        : active_(device, s.active.size()), weight_(device, s.weight.size() * sizeof(float)),
          variance_(device, s.variance.size() * sizeof(float)), mean_(device, s.mean.size() * sizeof(float)) {
    }
    Canonical arrays() const {
      return {active_.as<std::uint8_t>(), weight_.as<float>(), variance_.as<float>(), mean_.as<float>()};
    }
    template <class S, class Fn>
    void each(S &s, Fn copy) const {
      copy(active_.as(), s.active.data(), active_.bytes());
      copy(weight_.as(), s.weight.data(), weight_.bytes());
      copy(variance_.as(), s.variance.data(), variance_.bytes());
      copy(mean_.as(), s.mean.data(), mean_.bytes());
    }

   private:
    DeviceBuffer active_, weight_, variance_, mean_;
  };

  CudaDevice &device_;
  const Config config_;
  const Engine &engine_;
  Store store_;
  DeviceBuffer active_, weights_, gaussians_;
  bool backwards_ = false;
};

} // namespace

std::unique_ptr<Model> make_cuda(Device &device, const Config &config) {
  check_config(config);
  return std::make_unique<CudaModel>(device_cast<CudaDevice>(device), config);
}

} // namespace vigil::mog
