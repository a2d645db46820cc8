// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral filter compared with OpenCV's on the same processor, in turns, so that whatever else runs
// slows both alike.
//   bilateral_vs_opencv [ROUNDS]    OpenCV: 8UC3, 2 threads; Vigil: RGBA through OpenCL's CPU device (PoCL)
// By the wall's clock, and by the processor's, of all threads together: that is the one to trust on a busy
// machine.
#include "common/error.h"
#include "common/opencl/device.h"
#include "kernels/bilateral/opencl.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace {

using namespace vigil;

constexpr int width = 1280, height = 720;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Milliseconds of several calls.
struct Times {
  std::vector<double> wall, processor;
  void add(const std::function<void()> &call) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    call();
    processor.push_back(double(std::clock() - used) * 1e3 / CLOCKS_PER_SEC);
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
};

int run(int rounds) {
  cv::setNumThreads(2);
  const auto device = open_cl("portable");
  ClQueue queue(*device);
  std::vector<std::uint8_t> picture(std::size_t(width) * height * 4), result(picture.size());
  cv::Mat theirs(height, width, CV_8UC3), smooth;
  unsigned state = 1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++) {
        state = state * 1664525 + 1013904223;
        const double v = 120 + 60 * std::sin(x * 0.02 + c) * std::cos(y * 0.03) + (x / 80 + y / 90) % 2 * 40 +
                         double(state >> 24) / 12;
        const auto level = std::uint8_t(std::clamp(v, 0., 255.));
        picture[(std::size_t(y) * width + x) * 4 + c] = level;
        theirs.at<cv::Vec3b>(y, x)[c] = level;
      }
  const ClHostMemory in(*device, picture.data(), picture.size()), out(*device, result.data(), result.size());
  const auto image = [](const ClHostMemory &m) {
    return Image{PixelFormat::rgba, width, height, {static_cast<std::uint8_t *>(m.address())}, {4 * width}};
  };
  const Image from = image(in), to = image(out);
  const auto filter = bilateral::make(*device, {PixelFormat::rgba, width, height});
  std::printf("%s; OpenCV %s; %dx%d; %d rounds, medians of milliseconds: wall, processor\n",
              device->name().c_str(), CV_VERSION, width, height, rounds);
  const struct {
    const char *name;
    float sigma;
    bilateral::Algorithm algorithm;
  } cases[] = {{"9x9 exact", 2.f, bilateral::Algorithm::exact},
               {"9x9 auto", 2.f, bilateral::Algorithm::automatic},
               {"21x21 exact", 5.f, bilateral::Algorithm::exact},
               {"21x21 auto", 5.f, bilateral::Algorithm::automatic}};
  for (const auto &c : cases) {
    bilateral::Params params;
    params.spatial_sigma = c.sigma;
    params.range_sigma = 0.25f;
    params.algorithm = c.algorithm;
    const int d = 2 * int(2 * c.sigma) + 1;
    const auto ours = [&] {
      filter->apply(from, to, params, queue);
      out.to_host(queue);
      queue.wait();
    };
    const auto opencv = [&] {
      cv::bilateralFilter(theirs, smooth, d, 0.25 * 255, c.sigma, cv::BORDER_REPLICATE);
    };
    ours();
    opencv();
    Times a, b;
    for (int i = 0; i < rounds; i++) {
      a.add(ours);
      b.add(opencv);
    }
    std::printf("%-12s Vigil %7.2f %7.2f   OpenCV %7.2f %7.2f   OpenCV / Vigil %.2f %.2f\n", c.name,
                median(a.wall), median(a.processor), median(b.wall), median(b.processor),
                median(b.wall) / median(a.wall), median(b.processor) / median(a.processor));
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 31);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "bilateral_vs_opencv: %s\n", e.what());
    return 2;
  }
}
