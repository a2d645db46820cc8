// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend of blobs compared with OpenCV's connectedComponentsWithStats on the same masks. The two
// take turns, so that whatever else the machine does hits both alike. OpenCV always makes a picture of
// labels; ours is timed without and with one.
//   blobs_vs_opencv [CALLS] [MASK.png...]
#include "common/error.h"
#include "kernels/blobs/blobs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace vigil;

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
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Input {
  std::string name;
  cv::Mat mask;
};

cv::Mat ellipses(int width, int height) {
  cv::Mat m(height, width, CV_8UC1, cv::Scalar(0));
  std::mt19937 random(1);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int i = 0; i < 40; i++)
    cv::ellipse(m, {below(width), below(height)}, {5 + below(width / 20), 5 + below(height / 8)}, below(180),
                0, 360, 255, -1);
  return m;
}
cv::Mat noise(int width, int height, unsigned percent) {
  cv::Mat m(height, width, CV_8UC1);
  std::mt19937 random(1);
  for (int i = 0; i < width * height; i++) m.data[i] = random() % 100 < percent ? 255 : 0;
  return m;
}
cv::Mat checkerboard(int width, int height) {
  cv::Mat m(height, width, CV_8UC1);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) m.at<std::uint8_t>(y, x) = (x + y) % 2 ? 0 : 255;
  return m;
}

void compare(const Input &in, int threads, int calls) {
  cv::setNumThreads(threads);
  const auto device = open_cpu(threads);
  const auto queue = device->make_queue();
  const int width = in.mask.cols, height = in.mask.rows;
  const blobs::Config config{width, height, 1 << 20};
  const auto finder = blobs::make_cpu(*device, config);
  blobs::Results results(*device, config);
  std::vector<std::int32_t> label_memory(std::size_t(width) * std::size_t(height));
  const Plane<const std::uint8_t> mask{in.mask.data, width, height, std::ptrdiff_t(in.mask.step)};
  blobs::Extras with;
  with.labels = {label_memory.data(), width, height, std::ptrdiff_t(width) * 4};
  cv::Mat labels, stats, centroids;
  int count = 0;
  std::vector<double> theirs, ours, ours_labels;
  for (int i = 0; i < calls + 3; i++) { // the first three touch memory
    const double t = milliseconds(threads, [&] {
      count = cv::connectedComponentsWithStats(in.mask, labels, stats, centroids, 8, CV_32S);
    });
    const double o = milliseconds(threads, [&] { finder->apply(mask, {}, {}, results, *queue); });
    const double l = milliseconds(threads, [&] { finder->apply(mask, {}, with, results, *queue); });
    if (i < 3) continue;
    theirs.push_back(t);
    ours.push_back(o);
    ours_labels.push_back(l);
  }
  const double base = median(theirs), own = median(ours), labelled = median(ours_labels);
  std::printf("  %-14s %4dx%-4d %d thread%s %7d components: OpenCV %7.3f ms, ours %7.3f ms (%.1f times its "
              "speed), with "
              "labels %7.3f ms (%.1f)%s\n",
              in.name.c_str(), width, height, threads, threads > 1 ? "s" : " ", count - 1, base, own,
              base / own, labelled, base / labelled,
              results.head().components == std::uint32_t(count - 1) ? "" : "  DIFFERENT COUNT");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 30;
  std::vector<Input> inputs;
  for (int i = 2; i < argc; i++) {
    const cv::Mat read = cv::imread(argv[i], cv::IMREAD_GRAYSCALE);
    if (read.empty()) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    inputs.push_back({argv[i], read == 255});
  }
  for (const auto &[w, h] : {std::pair{1920, 1080}, {3840, 2160}}) {
    inputs.push_back({"ellipses", ellipses(w, h)});
    inputs.push_back({"noise 3 %", noise(w, h, 3)});
    inputs.push_back({"noise 40 %", noise(w, h, 40)});
    inputs.push_back({"checkerboard", checkerboard(w, h)});
  }
  for (const int threads : {1, 2})
    for (const Input &in : inputs) compare(in, threads, calls);
}
