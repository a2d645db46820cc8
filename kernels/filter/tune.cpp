// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/tune.h"

#include "common/opencl/cache.h"
#include "kernels/filter/filter-cl.h"

#include <algorithm>

namespace vigil::filter {
namespace {

// Waves with noise on them, the same each time.
std::uint8_t value_at(std::size_t i) {
  const auto noise = static_cast<std::uint32_t>(i) * 2654435761u;
  return static_cast<std::uint8_t>((i / 5) % 200 + (noise >> 27));
}

// One frame on the device, filtered into another.
struct Frames {
  ClDevice &device;
  PixelFormat format;
  int width, height;
  std::ptrdiff_t stride = row_bytes(format, 0, width);
  std::size_t bytes = std::size_t(stride) * height;
  DeviceBuffer in{device, bytes}, out{device, bytes};
  std::vector<std::uint8_t> host = std::vector<std::uint8_t>(bytes);

  void send(Queue &queue) {
    for (std::size_t i = 0; i < bytes; i++) host[i] = value_at(i);
    device.upload(in.as(), host.data(), bytes, queue);
    queue.wait();
  }
  Image at(std::uint8_t *p) const { return {format, width, height, {p}, {stride}}; }
  void apply(Filter &f, Queue &queue) {
    f.apply(at(in.as<std::uint8_t>()), at(out.as<std::uint8_t>()), queue);
  }
};

} // namespace

tuning::Key key_of(const ClDevice &d, const Chain &chain, PixelFormat format) {
  const bool colour = format != PixelFormat::gray8;
  const std::string source = text(
      cl::filter_cl.text, generate(split_all(operations_of(chain, format).all), shapes(d).front(), colour));
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_of(source)));
  std::string names;
  for (const Stage &s : chain) names += text(names.empty() ? "" : " ! ", s.type->name);
  return {d.device_name(), d.driver_version(), "filter", hash, colour ? "colour" : "grey", names};
}

Tuned tune(ClDevice &d, const Chain &chain, PixelFormat format, tuning::Mode mode,
           const tuning::Limits &limits) {
  const std::vector<Shape> all = shapes(d);
  const auto queue = d.make_queue();
  const auto timer = d.make_timer();
  // Made when the first candidate asks for them: a stored result needs none.
  std::unique_ptr<Frames> small, large;
  std::vector<std::uint8_t> want;
  std::vector<std::unique_ptr<ClFilter>> filters(all.size());
  std::vector<tuning::Candidate> candidates;
  for (std::size_t i = 0; i < all.size(); i++)
    candidates.push_back(
        {all[i].name(),
         [&, i] {
           if (!small) {
             small.reset(new Frames{d, format, 139, 71});
             small->send(*queue);
             large.reset(new Frames{d, format, d.is_cpu() ? 640 : 1280, d.is_cpu() ? 360 : 720});
             large->send(*queue);
           }
           filters[i] = std::make_unique<ClFilter>(d, chain, format, ClOptions{.shape = all[i]});
           small->apply(*filters[i], *queue);
           queue->wait();
         },
         [&, i]() -> std::string {
           std::vector<std::uint8_t> got(small->bytes);
           d.download(got.data(), small->out.as(), got.size(), *queue);
           queue->wait();
           if (want.empty()) {
             want.resize(small->bytes);
             make_reference(chain, format)
                 ->apply(small->at(small->host.data()), small->at(want.data()), *queue);
           }
           const auto at = std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin();
           return got == want ? std::string()
                              : text("byte ", at, " is ", int(got[at]), ", not ", int(want[at]));
         },
         [&, i] {
           // Several in a row, so that what it costs to submit one does not show.
           const int calls = d.is_cpu() ? 1 : 10;
           timer->start(*queue);
           for (int n = 0; n < calls; n++) large->apply(*filters[i], *queue);
           timer->stop(*queue);
           queue->wait();
           return timer->milliseconds() / calls;
         }});
  tuning::Result r = tuning::choose(key_of(d, chain, format), candidates, mode, limits);
  return {all[r.choice], std::move(r)};
}

} // namespace vigil::filter
