// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/tuning/trial.h"

#include "common/error.h"
#include "common/opencl/cache.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace vigil::tuning {
namespace {

// Waves with noise on them, the same each time.
std::uint8_t value_at(std::size_t i) {
  const auto noise = static_cast<std::uint32_t>(i) * 2654435761u;
  return static_cast<std::uint8_t>((i / 5) % 200 + (noise >> 27));
}

// A picture on the device, and one that is made of it.
struct Frames {
  Frames(ClDevice &d, PixelFormat f, int w, int h, Queue &queue) : format(f), width(w), height(h) {
    std::size_t bytes = 0;
    for (int i = 0; i < plane_count(f); i++) {
      offset[i] = bytes;
      bytes += std::size_t(row_bytes(f, i, w)) * plane_rows(i, h);
    }
    host.resize(bytes);
    for (std::size_t i = 0; i < bytes; i++) host[i] = value_at(i);
    in = DeviceBuffer(d, bytes);
    out = DeviceBuffer(d, bytes);
    d.upload(in.as(), host.data(), bytes, queue);
    queue.wait();
  }
  Image at(std::uint8_t *p) const {
    Image image{format, width, height, {}, {}};
    for (int i = 0; i < plane_count(format); i++) {
      image.data[i] = p + offset[i];
      image.stride[i] = row_bytes(format, i, width);
    }
    return image;
  }
  void run(const Apply &apply, Queue &queue) const {
    apply(at(in.as<std::uint8_t>()), at(out.as<std::uint8_t>()), queue);
  }
  PixelFormat format;
  int width, height;
  std::size_t offset[3] = {};
  std::vector<std::uint8_t> host;
  DeviceBuffer in, out;
};

} // namespace

Result choose(ClDevice &d, const Key &key, const Trial &trial, std::span<const Variant> variants, Mode mode,
              const Limits &limits) {
  const auto queue = d.make_queue();
  const auto timer = d.make_timer();
  const int large_width = trial.large_width > 0 ? trial.large_width : d.is_cpu() ? 640 : 1280;
  const int large_height = trial.large_height > 0 ? trial.large_height : d.is_cpu() ? 360 : 720;
  // Made when the first candidate asks for them: a stored result needs none.
  std::unique_ptr<Frames> small, large;
  std::vector<std::uint8_t> want;
  std::vector<Apply> timed(variants.size());
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < variants.size(); i++)
    candidates.push_back(
        {variants[i].name,
         [&, i] {
           if (!small) {
             small = std::make_unique<Frames>(d, trial.format, trial.width, trial.height, *queue);
             large = std::make_unique<Frames>(d, trial.format, large_width, large_height, *queue);
           }
           small->run(variants[i].make(small->width, small->height), *queue);
           queue->wait();
           timed[i] = variants[i].make(large->width, large->height);
           large->run(timed[i], *queue);
           queue->wait();
         },
         [&]() -> std::string {
           std::vector<std::uint8_t> got(small->host.size());
           d.download(got.data(), small->out.as(), got.size(), *queue);
           queue->wait();
           if (want.empty()) {
             want.resize(got.size());
             trial.reference(small->at(small->host.data()), small->at(want.data()), *queue);
           }
           for (std::size_t k = 0; k < got.size(); k++)
             if (std::abs(got[k] - want[k]) > trial.tolerance)
               return text("byte ", k, " is ", int(got[k]), ", not ", int(want[k]));
           return {};
         },
         [&, i] {
           // Several in a row, so that what it costs to submit one does not show.
           const int calls = d.is_cpu() ? 1 : 10;
           timer->start(*queue);
           for (int n = 0; n < calls; n++) large->run(timed[i], *queue);
           timer->stop(*queue);
           queue->wait();
           return timer->milliseconds() / calls;
         }});
  return choose(key, candidates, mode, limits);
}

Key key_for(const ClDevice &d, std::string kernel, const std::string &source, std::string format,
            std::string size) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_of(source)));
  return {d.device_name(), d.driver_version(), std::move(kernel), hash, std::move(format), std::move(size)};
}

} // namespace vigil::tuning
