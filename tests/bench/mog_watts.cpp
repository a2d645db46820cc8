// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames a joule (frames a second and watt) of the mixture of Gaussians on a GPU, by precision and group
// size. The energy is that of the whole board, by the driver's counter (NVML), over a run of some seconds;
// next to it what the board takes when it does nothing.
//
// Usage: mog_watts [--seconds S] [--size WxH]
// On the first CUDA device that is visible; NVML, which sees all of them, finds it by its place on the bus.
#include "common/error.h"
#include "kernels/mog/mog.h"
#include "tests/check/mog/moving_scene.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::mog;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

// The driver's libraries, without their headers: functions whose form has not changed since version 2. After
// CUDA was opened.
class Meter {
 public:
  Meter() : library_(open("libnvidia-ml.so.1")), cuda_(open("libcuda.so.1")) {
    char place[32] = "";
    check("cuDeviceGetPCIBusId",
          function<int(char *, int, int)>(cuda_, "cuDeviceGetPCIBusId")(place, sizeof place, 0));
    check("nvmlInit_v2", function<int()>(library_, "nvmlInit_v2")());
    check(
        "nvmlDeviceGetHandleByPciBusId_v2",
        function<int(const char *, void **)>(library_, "nvmlDeviceGetHandleByPciBusId_v2")(place, &device_));
    energy_ = function<int(void *, unsigned long long *)>(library_, "nvmlDeviceGetTotalEnergyConsumption");
  }
  double joules() const {
    unsigned long long mj = 0;
    check("nvmlDeviceGetTotalEnergyConsumption", energy_(device_, &mj));
    return double(mj) / 1000;
  }

 private:
  static void *open(const char *name) {
    void *library = dlopen(name, RTLD_NOW);
    if (!library) fail(Error::Kind::no_device, name, " does not load: ", dlerror());
    return library;
  }
  template <class F>
  static F *function(void *library, const char *name) {
    auto *f = reinterpret_cast<F *>(dlsym(library, name));
    if (!f) fail(Error::Kind::no_device, "the driver has no ", name);
    return f;
  }
  static void check(const char *name, int code) {
    if (code != 0) fail(Error::Kind::device, name, " returns ", code);
  }
  void *library_, *cuda_, *device_ = nullptr;
  int (*energy_)(void *, unsigned long long *) = nullptr;
};

struct Options {
  double seconds = 2;
  int width = 1920, height = 1080;
};
Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string a = argv[i];
    if (a == "--seconds")
      o.seconds = std::atof(argv[i + 1]);
    else if (a != "--size" || std::sscanf(argv[i + 1], "%dx%d", &o.width, &o.height) != 2)
      fail(Error::Kind::bad_setting, "usage: mog_watts [--seconds S] [--size WxH]");
  }
  if (argc % 2 == 0 || o.seconds < 0.1 || o.width < 1 || o.height < 1)
    fail(Error::Kind::bad_setting, "usage: mog_watts [--seconds S] [--size WxH], at least 0.1 seconds");
  return o;
}

// One frame's device memory.
struct Frame {
  Frame(Device &d, int w, int h) : width(w), height(h), memory(d, std::size_t(w) * h) {}
  Image image() const { return {PixelFormat::gray8, width, height, {memory.as<std::uint8_t>()}, {width}}; }
  int width, height;
  DeviceBuffer memory;
};

void run(const Options &o) {
  const auto device = open_cuda(0);
  const Meter meter;
  const auto queue = device->make_queue();
  constexpr int count = 32;
  std::vector<Frame> frames, masks;
  const MovingScene scene(1);
  std::vector<std::uint8_t> host(std::size_t(o.width) * o.height);
  for (int i = 0; i < count; i++) {
    frames.emplace_back(*device, o.width, o.height);
    masks.emplace_back(*device, o.width, o.height);
    scene.paint({PixelFormat::gray8, o.width, o.height, {host.data()}, {o.width}}, i);
    device->upload(frames.back().memory.as(), host.data(), host.size(), *queue);
    queue->wait();
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  {
    const double before = meter.joules();
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(o.seconds));
    std::printf("%s, mog, GRAY8, %dx%d; idle with a context: %.1f W\n", device->name().c_str(), o.width,
                o.height, (meter.joules() - before) / seconds_since(start));
  }
  std::printf("K precision group  frames/s      W  frames/J\n");
  const Params params{.detect_shadows = false};
  for (const int components : {3, 5})
    for (const auto &[precision, name] : {std::pair{Precision::double_, "double"},
                                          {Precision::single, "single"},
                                          {Precision::compact, "compact"}})
      for (const int size : {1, 2, 4, 8, 16, 32}) {
        const auto model = make(*device, {o.width, o.height, 1, Method::mog, precision, components});
        const auto once = [&] {
          std::vector<Step> group;
          for (int i = 0; i < size; i++) {
            const auto at = (model->frames + std::uint64_t(i)) % count;
            group.push_back({frames[at].image(), masks[at].image().plane(0),
                             learning_rate(params, model->frames + std::uint64_t(i) + 1)});
          }
          model->apply(group, params, {}, *queue);
        };
        const auto some = [&] { // enough for the queue to stay full, and no more
          for (int i = 0; i < 512 / size; i++) once();
          queue->wait();
        };
        for (const auto start = Clock::now(); seconds_since(start) < 0.5;) some();
        const std::uint64_t first = model->frames;
        const double before = meter.joules();
        const auto start = Clock::now();
        while (seconds_since(start) < o.seconds) some();
        const double took = seconds_since(start), energy = meter.joules() - before;
        const double done = double(model->frames - first);
        std::printf("%d %-9s %5d %9.0f %6.0f %9.1f\n", components, name, size, done / took, energy / took,
                    done / energy);
        std::fflush(stdout);
      }
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "mog_watts: %s\n", e.what());
    return 1;
  }
}
