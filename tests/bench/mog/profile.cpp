// SPDX-License-Identifier: LGPL-2.1-or-later
// What NVIDIA's profiler looks at for mog_counters.py: one launch of each kernel, 1080p, nothing timed. Only
// between cudaProfilerStart and cudaProfilerStop is there anything to see (ncu --profile-from-start off).
//
// Usage: mog_profile double-3|double-5|single-3|single-5|groups
// A precision and K: the papers' steps (ladder.h) in the order of the enum Rung without those that share a
// kernel with the one before (C and B4), after 104 frames each; with single-5 paper B's too. groups:
// cudamog's own kernels of method mog on groups of 1, 2, 4, 8, 16 and 32 frames, for K = 3 and 5, in double,
// single and compact precision.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "tests/bench/mog/ladder.h"
#include "tests/check/mog/moving_scene.h"

#include <algorithm>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <string_view>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::mog;

constexpr int width = 1920, height = 1080, pixels = width * height, pictures = 8, frames = 104;

// Page-locked pictures of the moving scene, tightly packed: luma, R G B or R G B A.
class Pictures {
 public:
  Pictures(Device &device, int bytes_a_pixel) : device_(device) {
    const MovingScene scene(1);
    std::vector<std::uint8_t> rgba(std::size_t(pixels) * 4);
    for (int t = 0; t < pictures; t++) {
      all_.push_back(static_cast<std::uint8_t *>(device.allocate_host(std::size_t(pixels) * bytes_a_pixel)));
      std::uint8_t *to = bytes_a_pixel == 3 ? rgba.data() : all_.back();
      Image image{bytes_a_pixel == 1 ? PixelFormat::gray8 : PixelFormat::rgba, width, height, {to}, {}};
      image.stride[0] = row_bytes(image.format, 0, width);
      scene.paint(image, t);
      if (bytes_a_pixel == 3)
        for (std::size_t i = 0; i < pixels; i++) std::copy_n(&rgba[4 * i], 3, all_.back() + 3 * i);
    }
  }
  ~Pictures() {
    for (std::uint8_t *p : all_) device_.release_host(p);
  }
  Pictures(const Pictures &) = delete;
  std::uint8_t *operator[](int t) const { return all_[std::size_t(t % pictures)]; }

 private:
  Device &device_;
  std::vector<std::uint8_t *> all_;
};

// What the profiler sees.
template <class FrameProcessor>
void seen(Device &device, FrameProcessor work) {
  const CudaScope scope = device_cast<CudaDevice>(device).enter();
  cuda_check(cudaProfilerStart(), "cudaProfilerStart");
  work();
  cuda_check(cudaProfilerStop(), "cudaProfilerStop");
}

constexpr Params params() {
  Params p;
  p.learning_rate = 1.f / 200;
  p.detect_shadows = false;
  p.background_sigma = 4.f;
  return p;
}

void run_steps(Device &device, bool in_double, int components) {
  constexpr Rung rungs[] = {Rung::a, Rung::b,  Rung::d,  Rung::e, Rung::f,
                            Rung::w, Rung::b1, Rung::b2, Rung::b3};
  const Pictures out(device, 1);
  std::vector<std::uint8_t *> masks;
  for (int t = 0; t < frames; t++) masks.push_back(out[t]);
  for (const int bytes : {1, 3, 4}) {
    const Pictures in(device, bytes);
    std::vector<const std::uint8_t *> shown;
    for (int t = 0; t < frames; t++) shown.push_back(in[t]);
    for (const Rung r : rungs) {
      if (bytes_a_pixel(r) != bytes || (!is_paper_a(r) && (in_double || components != 5))) continue;
      const auto ladder = make_ladder(device, {r, in_double, components, width, height});
      ladder->run(shown, masks, params());
      const std::size_t once = r == Rung::w ? window : 1;
      seen(device,
           [&] { ladder->run(std::span(shown).first(once), std::span(masks).first(once), params()); });
    }
  }
}

void run_groups(Device &device) {
  const Pictures in(device, 1);
  const auto queue = device.make_queue();
  DeviceBuffer uploaded(device, std::size_t(pixels) * pictures),
      masks(device, std::size_t(pixels) * pictures);
  const auto plane = [](const DeviceBuffer &b, std::uint64_t t) {
    return b.as<std::uint8_t>() + std::size_t(pixels) * (t % pictures);
  };
  for (int t = 0; t < pictures; t++) device.upload(plane(uploaded, t), in[t], pixels, *queue);
  for (const int components : {3, 5})
    for (const Precision p : {Precision::double_, Precision::single, Precision::compact}) {
      const auto model = make(device, {width, height, 1, Method::mog, p, components});
      const auto show = [&](int count) {
        std::vector<Step> group;
        for (int i = 0; i < count; i++) {
          const std::uint64_t t = model->frames + std::uint64_t(i);
          ConstImage frame{PixelFormat::gray8, width, height};
          frame.data[0] = plane(uploaded, t);
          frame.stride[0] = width;
          group.push_back({frame, {plane(masks, t), width, height, width}, learning_rate(params(), t + 1)});
        }
        model->apply(group, params(), {}, *queue);
        queue->wait();
      };
      for (int i = 0; i < 3; i++) show(32); // to learn
      for (const int count : {1, 2, 4, 8, 16, 32}) seen(device, [&] { show(count); });
    }
}

int run(std::string_view what) {
  const auto device = open_cuda();
  if (what == "groups")
    run_groups(*device);
  else if (what == "double-3" || what == "double-5" || what == "single-3" || what == "single-5")
    run_steps(*device, what.starts_with("double"), what.back() - '0');
  else
    fail(Error::Kind::bad_setting, what, " is none of double-3, double-5, single-3, single-5 and groups");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc == 2 ? argv[1] : "what is not given");
  } catch (const std::exception &e) {
    std::fprintf(stderr, "mog_profile: %s\n", e.what());
    return 2;
  }
}
