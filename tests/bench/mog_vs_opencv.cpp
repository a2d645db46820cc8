// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend of mog compared with OpenCV's BackgroundSubtractorMOG2 on the same frames. The models take
// turns, 16 frames each, so that whatever else the machine does hits all of them alike; the first 8 frames of
// a turn bring the model's state back into the cache and are not counted.
//   mog_vs_opencv [TURNS]
#include "common/error.h"
#include "kernels/mog/mog.h"
#include "tests/check/mog/moving_scene.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/video/background_segm.hpp>
#include <string>

namespace {

using namespace vigil;
using mog::Method;
using mog::Precision;

// OpenCV's parameters, no shadows; what is not set here is the same by default.
const mog::Params params{.background_sigma = 4.f, .detect_shadows = false};

struct Options {
  int width = 1920, height = 1080, turns = 5;
};
constexpr int turn = 16, group = 8, warm_turns = 7; // the models have learnt 112 frames when the clock starts

// One thread is timed by the processor's clock, which stands while others have the processor; several by the
// wall's.
double milliseconds(int threads, const std::function<void()> &work) {
  if (threads == 1) {
    const std::clock_t start = std::clock();
    work();
    return 1e3 * double(std::clock() - start) / CLOCKS_PER_SEC;
  }
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

struct Contestant {
  std::string name;
  int group;                           // frames a call
  std::function<void(int first)> call; // takes frames first..first+group-1
  std::vector<double> ms;              // a frame
};

Contestant ours(Device &device, Queue &queue, const mog::Config &config, int frames,
                const std::vector<ConstImage> &ring, std::uint8_t *mask) {
  const std::shared_ptr model = mog::make(device, config);
  const char *names[] = {"single", "double", "compact"};
  return {text(mog::name_of(config.method), " ", names[int(config.precision)],
               frames > 1 ? text(", groups of ", frames) : ""),
          frames,
          [=, &ring, &queue](int first) {
            std::vector<mog::Step> steps;
            for (int i = first; i < first + frames; i++)
              steps.push_back({ring[i % turn],
                               {mask, config.width, config.height, config.width},
                               mog::learning_rate(params, std::uint64_t(i) + 1)});
            model->apply(steps, params, {}, queue);
          },
          {}};
}

void compare(const Options &o, int channels, int threads) {
  const int pixel = channels == 3 ? 4 : 1;
  const std::size_t n = std::size_t(o.width) * o.height;
  std::vector<std::vector<std::uint8_t>> memory(turn, std::vector<std::uint8_t>(n * pixel, 255));
  std::vector<ConstImage> ring;
  std::vector<cv::Mat> cv_ring;
  for (auto &m : memory) {
    ring.push_back({channels == 3 ? PixelFormat::rgba : PixelFormat::gray8,
                    o.width,
                    o.height,
                    {m.data()},
                    {std::ptrdiff_t(o.width) * pixel}});
    cv_ring.emplace_back(o.height, o.width, channels == 3 ? CV_8UC3 : CV_8UC1);
  }
  std::vector<std::uint8_t> mask(n);
  cv::Mat cv_mask;

  cv::setNumThreads(threads);
  const auto device = open_cpu(threads);
  const auto queue = device->make_queue();
  const auto opencv = cv::createBackgroundSubtractorMOG2(500, 16, false);
  std::vector<Contestant> all;
  all.push_back({"OpenCV MOG2", 1, [&](int t) { opencv->apply(cv_ring[t % turn], cv_mask); }, {}});
  for (const Method method : {Method::zivkovic, Method::mog})
    for (const Precision precision : {Precision::single, Precision::double_, Precision::compact})
      for (const int frames : {1, group})
        if (channels == 1 || method == Method::zivkovic)
          all.push_back(ours(*device, *queue,
                             {o.width, o.height, channels, method, precision, mog::max_components}, frames,
                             ring, mask.data()));

  const mog::MovingScene scene(1);
  for (int round = 0; round < warm_turns + o.turns; round++) {
    for (int i = 0; i < turn; i++) {
      const ConstImage &f = ring[i];
      scene.paint({f.format, f.width, f.height, {memory[i].data()}, {f.stride[0]}}, round * turn + i);
      for (std::size_t p = 0; p < n; p++)
        for (int c = 0; c < channels; c++) cv_ring[i].data[p * channels + c] = memory[i][p * pixel + c];
    }
    for (Contestant &c : all)
      for (int i = 0; i < turn; i += c.group) {
        const double ms = milliseconds(threads, [&] { c.call(round * turn + i); }) / c.group;
        if (round >= warm_turns && i >= turn / 2) c.ms.push_back(ms);
      }
  }
  std::printf("%dx%d %s, %d thread%s time, %.1f %% of the mask is foreground\n", o.width, o.height,
              channels == 3 ? "RGB" : "GRAY8", threads, threads > 1 ? "s, wall" : ", processor",
              100. * cv::countNonZero(cv_mask) / double(n));
  const double base = median(all[0].ms);
  for (const Contestant &c : all)
    std::printf("  %-32s %8.2f ms %7.2f times OpenCV's speed\n", c.name.c_str(), median(c.ms),
                base / median(c.ms));
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  Options o;
  if (argc > 1) o.turns = std::max(std::atoi(argv[1]), 1);
  for (const int channels : {1, 3})
    for (const int threads : {1, 2}) compare(o, channels, threads);
}
