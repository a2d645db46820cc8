// SPDX-License-Identifier: LGPL-2.1-or-later
// The run time of colinearity segmentation in OpenGL, as the paper's table 2 has it, with the paper's times
// next to them:
//   pipelined  time a frame of many that are submitted without waiting, by the GPU's clock from the first to
//              the last (the paper's T_1000,int, which has no switch of contexts)
//   single     one frame from submission to its end, by the host's clock (the paper's T_1,ext)
//   upload     the same with the frame going from host memory into its texture before
//   download   the same with the mask coming back to host memory as RGBA pixels after
// The background stays as it is, as in the paper; with --adapt it follows the frames, as by default.
// Usage: bench-colinearseg [--path compute|fragment] [--es] [--frames N] [--adapt]
#include "common/error.h"
#include "kernels/colinearseg/gl_results.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

namespace vigil::colinearseg {
namespace {

struct Row {
  int iterations;
  double pipelined, single, upload, download; // the paper's, in ms, of 640x480
  double pipelined_512;                       // of 640x512, for which it gives no other
};
constexpr Row paper[] = {
    {0, 2.51, 3.01, 4.8, 6.2, 2.88}, {1, 2.75, 3.25, 5.1, 6.4, 3.10}, {2, 2.97, 3.50, 5.3, 6.6, 3.33},
    {3, 3.20, 3.73, 5.5, 6.8, 3.57}, {4, 3.44, 3.94, 5.7, 7.0, 3.76}, {5, 3.67, 4.2, 6.0, 7.2, 3.99},
    {6, 3.89, 4.4, 6.2, 7.4, 4.21},  {8, 4.38, 4.82, 6.6, 7.9, 4.66}, {10, 4.84, 5.33, 7.1, 8.3, 5.11}};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

class Bench {
 public:
  Bench(GlDevice &d, const Config &c, Path path, int frames, bool adapt)
      : device_(d), config_(c), frames_(frames), adapt_(adapt), queue_(d.make_queue()),
        segmenter_(d, c, 1, path), results_(d, c), mask_(d, GL_RGBA8, c.width, c.height) {
    // a background, then frames with some noise and a quarter of them foreground
    std::mt19937 rng(1);
    const std::size_t n = std::size_t(c.width) * c.height;
    for (int f = 0; f < 3; f++) {
      pixels_.emplace_back(4 * n);
      for (std::size_t i = 0; i < 4 * n; i++) {
        const std::size_t x = i / 4 % std::size_t(c.width), y = i / 4 / std::size_t(c.width);
        const bool object = f > 0 && (x + 40 * std::size_t(f)) % 256 < 128 && y % 200 < 100;
        pixels_[f][i] = std::uint8_t((object ? 40 * (i % 4) : 90 + (x * 7 + y * 3) % 60) + rng() % 6);
      }
      textures_.emplace_back(d, GL_RGBA8, c.width, c.height);
      textures_[f].write(pixels_[f].data());
    }
    for (int i = 0; i < 4; i++) segmenter_.segment(textures_[std::size_t(i > 0)].id(), {});
  }

  void run(const Row &row) {
    Params p;
    p.iterations = row.iterations;
    if (!adapt_) p.adapt_rate = 0;
    std::printf("%5d %s", row.iterations, "  ");
    const bool wide = config_.height == 512;
    cell(pipelined(p), wide ? row.pipelined_512 : row.pipelined);
    const auto one = [&](bool up, bool down) {
      return wall([&, this](int i) {
        const std::size_t f = 1 + std::size_t(i % 2);
        if (up) textures_[f].write(pixels_[f].data());
        segmenter_.segment(textures_[f].id(), p);
        if (down) {
          results_.draw(Show::mask, textures_[f].id(), segmenter_, {}, {}, mask_.id());
          mask_.read_bytes();
        }
      });
    };
    cell(one(false, false), wide ? 0 : row.single);
    cell(one(true, false), wide ? 0 : row.upload);
    cell(one(true, true), wide ? 0 : row.download);
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  void cell(double ms, double theirs) const {
    if (config_.width == 640 && theirs > 0)
      std::printf(" %9.4f /%5.2f", ms, theirs);
    else
      std::printf(" %9.4f       ", ms);
  }
  double pipelined(const Params &p) {
    std::vector<double> ms;
    for (int r = 0; r < 5; r++) {
      const auto timer = device_.make_timer();
      queue_->wait();
      timer->start(*queue_);
      for (int i = 0; i < frames_; i++) segmenter_.segment(textures_[1 + std::size_t(i % 2)].id(), p);
      timer->stop(*queue_);
      queue_->wait();
      ms.push_back(timer->milliseconds() / frames_);
    }
    return median(ms);
  }
  double wall(const std::function<void(int)> &frame) {
    std::vector<double> ms;
    for (int i = 0; i < std::max(frames_ / 4, 5); i++) {
      queue_->wait();
      const auto begin = std::chrono::steady_clock::now();
      frame(i);
      queue_->wait();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return median(ms);
  }

  GlDevice &device_;
  Config config_;
  int frames_;
  bool adapt_;
  std::unique_ptr<Queue> queue_;
  GlSegmenter segmenter_;
  GlResults results_;
  GlTexture mask_;
  std::vector<std::vector<std::uint8_t>> pixels_;
  std::vector<GlTexture> textures_;
};

int run(int argc, char **argv) {
  bool es = false, adapt = false;
  int frames = 1000;
  std::vector<Path> paths;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--es")
      es = true;
    else if (a == "--adapt")
      adapt = true;
    else if (a == "--frames" && std::atoi(value.c_str()) > 0)
      frames = std::atoi(argv[++i]);
    else if (a == "--path" && (value == "compute" || value == "fragment"))
      paths = {argv[++i] == std::string("compute") ? Path::compute : Path::fragment};
    else
      fail(Error::Kind::bad_setting,
           "usage: bench-colinearseg [--path compute|fragment] [--es] [--frames N] [--adapt]");
  }
  const auto device = open_egl(es);
  std::printf("%s; ms per frame; after 640x480 and 640x512 the paper's, on a GeForce 6800GT\n",
              device->name().c_str());
  const bool all = paths.empty();
  if (all && device->has_compute()) paths.push_back(Path::compute);
  if (all) paths.push_back(Path::fragment);
  for (const Config &c : {Config{640, 480}, Config{640, 512}, Config{1920, 1080}})
    for (const Path path : paths) {
      std::printf("\n%s, %dx%d, %d frames\niterations  %9s %15s %17s %15s\n", name_of(path), c.width,
                  c.height, frames, "pipelined", "single", "upload", "download");
      Bench bench(*device, c, path, frames, adapt);
      for (const Row &row : paper) bench.run(row);
    }
  return 0;
}

} // namespace
} // namespace vigil::colinearseg

int main(int argc, char **argv) {
  try {
    return vigil::colinearseg::run(argc, argv);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "bench-colinearseg: %s\n", e.what());
    return 1;
  }
}
