// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral filter on photographs (kodak/*.png of the data folder):
//   denoising  noise of 20 levels is added; at the sigmas that gain most, the gain in PSNR is at least that
//              of OpenCV's bilateralFilter at the same sigmas (whose colour difference is the sum of the
//              channels': its own best is printed as well)
//   grid       PSNR of the approximation against the exact filter, at least 40 dB
//   quality-bilateral DATA_FOLDER [whole]    exit status: 0 passed, 1 failed, 77 skipped
// Parts of 352x288 are taken of the pictures, or all of them, which takes minutes.
#include "common/error.h"
#include "common/opencl/device.h"
#include "kernels/bilateral/opencl.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace {

using namespace vigil;

double psnr(const cv::Mat &a, const cv::Mat &b) {
  double squares = 0;
  for (int y = 0; y < a.rows; y++)
    for (int x = 0; x < a.cols * 3; x++) {
      const double d = double(a.ptr(y)[x]) - b.ptr(y)[x];
      squares += d * d;
    }
  return squares > 0 ? 10 * std::log10(255. * 255 * 3 * a.rows * a.cols / squares) : 99;
}

// For pictures of one size.
class Sized {
 public:
  Sized(ClDevice &d, int width, int height)
      : device_(d), queue_(d), filter_(bilateral::make(d, {PixelFormat::bgra, width, height})),
        in_(d, std::size_t(width) * height * 4), out_(d, in_.bytes()) {}
  cv::Mat operator()(const cv::Mat &bgr, const bilateral::Params &p) {
    cv::Mat four, result;
    cv::cvtColor(bgr, four, cv::COLOR_BGR2BGRA);
    const auto image = [&](const DeviceBuffer &b) {
      return Image{PixelFormat::bgra, four.cols, four.rows, {b.as<std::uint8_t>()}, {4 * four.cols}};
    };
    device_.upload(in_.as(), four.data, in_.bytes(), queue_);
    filter_->apply(image(in_), image(out_), p, queue_);
    device_.download(four.data, out_.as(), out_.bytes(), queue_);
    queue_.wait();
    cv::cvtColor(four, result, cv::COLOR_BGRA2BGR);
    return result;
  }

 private:
  ClDevice &device_;
  ClQueue queue_;
  std::unique_ptr<bilateral::Filter> filter_;
  DeviceBuffer in_, out_;
};

class Ours {
 public:
  explicit Ours(ClDevice &d) : device_(d) {}
  cv::Mat operator()(const cv::Mat &bgr, const bilateral::Params &p) {
    const auto [at, made] = sized_.try_emplace({bgr.cols, bgr.rows}, device_, bgr.cols, bgr.rows);
    return at->second(bgr, p);
  }

 private:
  ClDevice &device_;
  std::map<std::pair<int, int>, Sized> sized_; // some are upright
};

bilateral::Params with(float spatial, float range, bilateral::Algorithm a) {
  bilateral::Params p;
  p.spatial_sigma = spatial;
  p.range_sigma = range;
  p.algorithm = a;
  return p;
}

int run(const std::filesystem::path &folder, bool whole) {
  std::vector<cv::Mat> pictures;
  if (std::filesystem::is_directory(folder / "kodak"))
    for (const auto &f : std::filesystem::directory_iterator(folder / "kodak"))
      if (f.path().extension() == ".png") {
        const cv::Mat m = cv::imread(f.path().string(), cv::IMREAD_COLOR);
        if (m.cols < 512 || m.rows < 384) continue;
        pictures.push_back(whole ? m : m(cv::Rect(100, 60, 352, 288)).clone());
      }
  if (pictures.empty()) {
    std::printf("SKIPPED: no pictures in %s\n", (folder / "kodak").c_str());
    return 77;
  }
  std::unique_ptr<ClDevice> device;
  try {
    device = open_cl();
  } catch (const Error &e) {
    std::printf("SKIPPED: %s\n", e.what());
    return 77;
  }
  Ours ours(*device);
  int failures = 0;

  std::printf("%s; %zu pictures, %s\n", device->name().c_str(), pictures.size(),
              whole ? "all of them" : "parts of 352x288");
  cv::RNG rng(1);
  std::vector<cv::Mat> noisy;
  double before = 0;
  for (const cv::Mat &m : pictures) {
    cv::Mat wide, noise(m.size(), CV_16SC3), sum;
    m.convertTo(wide, CV_16SC3);
    rng.fill(noise, cv::RNG::NORMAL, 0, 20);
    sum = wide + noise;
    noisy.emplace_back();
    sum.convertTo(noisy.back(), CV_8UC3);
    before += psnr(m, noisy.back()) / double(pictures.size());
  }
  struct Best {
    double psnr = 0;
    float spatial = 0, range = 0;
  } best, best_opencv;
  double opencv_there = 0;
  for (const float spatial : {1.f, 1.5f, 2.f, 3.f})
    for (const float range : {0.1f, 0.15f, 0.2f, 0.3f, 0.4f}) {
      double mine = 0, theirs = 0;
      for (std::size_t i = 0; i < pictures.size(); i++) {
        mine += psnr(pictures[i], ours(noisy[i], with(spatial, range, bilateral::Algorithm::exact)));
        cv::Mat smooth;
        cv::bilateralFilter(noisy[i], smooth, 2 * int(std::ceil(2 * spatial)) + 1, double(range) * 255,
                            double(spatial), cv::BORDER_REPLICATE);
        theirs += psnr(pictures[i], smooth);
      }
      mine /= double(pictures.size());
      theirs /= double(pictures.size());
      if (mine > best.psnr) {
        best = {mine, spatial, range};
        opencv_there = theirs;
      }
      if (theirs > best_opencv.psnr) best_opencv = {theirs, spatial, range};
    }
  const bool gains = best.psnr >= opencv_there && best.psnr > before + 3;
  failures += !gains;
  std::printf(
      "%s denoising: %.2f dB before; best at sigmas %.1f and %.2f: %.2f dB, OpenCV there %.2f dB (its own "
      "best: %.2f dB at %.1f and %.2f)\n",
      gains ? "ok  " : "FAIL", before, double(best.spatial), double(best.range), best.psnr, opencv_there,
      best_opencv.psnr, double(best_opencv.spatial), double(best_opencv.range));

  for (const float spatial : {3.f, 5.f, 8.f, 12.f, 20.f})
    for (const float range : {0.05f, 0.1f, 0.25f, 0.5f}) {
      double lowest = 99;
      for (const cv::Mat &m : pictures)
        lowest = std::min(lowest, psnr(ours(m, with(spatial, range, bilateral::Algorithm::exact)),
                                       ours(m, with(spatial, range, bilateral::Algorithm::grid))));
      const bool good = lowest >= 40;
      failures += !good;
      std::printf("%s grid, sigmas %4.1f and %.2f: PSNR against exact at least %.1f dB\n",
                  good ? "ok  " : "FAIL", double(spatial), double(range), lowest);
    }
  return failures ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    const char *data = std::getenv("VIGIL_DATA");
    return run(data       ? data
               : argc > 1 ? argv[1]
                          : "../shared/data",
               argc > 2 && std::string(argv[2]) == "whole");
  } catch (const std::exception &e) {
    std::fprintf(stderr, "quality-bilateral: %s\n", e.what());
    return 1;
  }
}
