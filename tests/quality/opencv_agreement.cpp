// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic on real video compared with OpenCV's BackgroundSubtractorMOG2 with the same parameters: at
// least
// 99.9 % of the mask's pixels are equal, shadows off and on. Both models see all frames; masks are compared
// from frame 200 on.
//   opencv_agreement SOURCE_ROOT    exit status: 0 passed, 1 failed, 77 skipped
#include "common/error.h"
#include "kernels/mog/mog.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/video/background_segm.hpp>

namespace {

using namespace vigil;

constexpr int frames = 1200, first_compared = 200;
constexpr double wanted = 0.999;

std::filesystem::path frame_file(const std::filesystem::path &folder, int number) {
  char name[32];
  std::snprintf(name, sizeof name, "in%06d.jpg", number);
  return folder / name;
}

// OpenCV's defaults.
mog::Params parameters(bool shadows) {
  mog::Params p;
  p.history = 500;
  p.match_sigma = 3.f;
  p.background_sigma = 4.f;
  p.background_ratio = 0.9f;
  p.complexity_prior = 0.05f;
  p.initial_variance = 15.f;
  p.min_variance = 4.f;
  p.max_variance = 75.f;
  p.detect_shadows = shadows;
  p.shadow_threshold = 0.5f;
  p.shadow_sigma = 0.f;
  p.deep_shadow_distance = 0.f;
  p.shadow_value = 127;
  return p;
}
cv::Ptr<cv::BackgroundSubtractorMOG2> opencv_model(const mog::Params &p) {
  const auto m = cv::createBackgroundSubtractorMOG2(
      p.history, double(p.background_sigma) * p.background_sigma, p.detect_shadows);
  m->setNMixtures(mog::max_components);
  m->setVarThresholdGen(double(p.match_sigma) * p.match_sigma);
  m->setBackgroundRatio(p.background_ratio);
  m->setComplexityReductionThreshold(p.complexity_prior);
  m->setVarInit(p.initial_variance);
  m->setVarMin(p.min_variance);
  m->setVarMax(p.max_variance);
  m->setShadowThreshold(p.shadow_threshold);
  m->setShadowValue(p.shadow_value);
  return m;
}

// The fraction of equal mask pixels.
double agreement(const std::filesystem::path &folder, bool shadows) {
  const mog::Params params = parameters(shadows);
  const auto theirs = opencv_model(params);
  const auto device = open_cpu();
  const auto queue = device->make_queue();
  std::unique_ptr<mog::Model> model;
  std::vector<std::uint8_t> rgba, mask;
  cv::Mat their_mask;
  std::int64_t equal = 0, compared = 0, worst = 0;
  std::int64_t marked[2] = {};
  for (int t = 1; t <= frames; t++) {
    const cv::Mat bgr = cv::imread(frame_file(folder, t).string(), cv::IMREAD_COLOR);
    if (bgr.empty() || (model && (bgr.cols != model->config().width || bgr.rows != model->config().height)))
      fail(Error::Kind::io, frame_file(folder, t).string(), " is not a picture of the video's size");
    const int width = bgr.cols, height = bgr.rows;
    const std::size_t n = std::size_t(width) * height;
    if (!model) {
      model = mog::make(
          *device, {width, height, 3, mog::Method::zivkovic, mog::Precision::single, mog::max_components});
      rgba.assign(4 * n, 255);
      mask.resize(n);
    }
    for (std::size_t i = 0; i < n; i++) // the order of channels matters to neither
      for (int c = 0; c < 3; c++) rgba[4 * i + c] = bgr.data[3 * i + c];
    const mog::Step step{{PixelFormat::rgba, width, height, {rgba.data()}, {std::ptrdiff_t(4) * width}},
                         {mask.data(), width, height, width},
                         mog::learning_rate(params, std::uint64_t(t))};
    model->apply({&step, 1}, params, {}, *queue);
    theirs->apply(bgr, their_mask);
    if (t < first_compared) continue;
    std::int64_t different = 0;
    for (std::size_t i = 0; i < n; i++) {
      different += mask[i] != their_mask.data[i];
      marked[0] += mask[i] == 255;
      marked[1] += mask[i] == params.shadow_value;
    }
    equal += std::int64_t(n) - different;
    compared += std::int64_t(n);
    worst = std::max(worst, different);
  }
  const double share = double(equal) / double(compared);
  std::printf(
      "shadows %s: %.5f %% of %lld pixels equal, at most %lld differ in a frame; %.2f %% foreground, %.2f %% "
      "shadow\n",
      shadows ? "on " : "off", 100 * share, static_cast<long long>(compared), static_cast<long long>(worst),
      100. * double(marked[0]) / double(compared), 100. * double(marked[1]) / double(compared));
  return share;
}

} // namespace

int main(int argc, char **argv) {
  const char *set = std::getenv("VIGIL_DATA");
  const std::filesystem::path data =
      set && *set ? set : std::filesystem::path(argc > 1 ? argv[1] : ".").parent_path() / "shared" / "data";
  const std::filesystem::path folder = data / "cdnet_highway" / "input";
  for (const int t : {1, frames})
    if (!std::filesystem::exists(frame_file(folder, t))) {
      std::printf("SKIPPED: no %s; set VIGIL_DATA to the folder of the labelled videos\n",
                  frame_file(folder, t).c_str());
      return 77;
    }
  bool passed = true;
  try {
    for (const bool shadows : {false, true}) passed = agreement(folder, shadows) >= wanted && passed;
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  if (!passed) std::printf("FAILED: at least %.1f %% must be equal\n", 100 * wanted);
  return passed ? 0 : 1;
}
