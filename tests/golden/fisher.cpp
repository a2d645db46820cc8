// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the CPU backend of fisher against fisher.bin, which VLFeat made (make_fisher.cpp
// describes it), and the reference's resized pictures against fisher_resize.bin, which Pillow made
// (make_fisher_resize.py). Usage: golden-fisher fisher.bin fisher_resize.bin
#include "kernels/fisher/fisher.h"
#include "tests/golden/golden_main.h"

#include "common/error.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace vigil::fisher {
namespace {

using Floats = std::vector<float>;
constexpr double tolerance = 1e-3; // relative, Euclidean norm

std::vector<std::string> read_head(std::ifstream &file, const char *path) {
  if (!file) fail(Error::Kind::io, "cannot open ", path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && line != "end";) lines.push_back(line);
  if (lines.size() < 2) fail(Error::Kind::bad_data, path, " holds no case");
  return lines;
}
template <class T>
std::vector<T> take(std::istream &file, std::size_t count) {
  std::vector<T> v(count);
  if (!file.read(reinterpret_cast<char *>(v.data()), std::streamsize(count * sizeof(T))))
    fail(Error::Kind::bad_data, "the file ends before its last case");
  return v;
}

template <class T>
double relative_error(const Floats &want, const std::vector<T> &got) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    error += (double(want[i]) - got[i]) * (double(want[i]) - got[i]);
    norm += double(want[i]) * want[i];
  }
  return want.size() != got.size() || !(norm > 0) ? INFINITY : std::sqrt(error / norm);
}

struct Judge {
  int failures = 0;
  void operator()(const std::string &what, double error, double limit) {
    const bool good = error <= limit;
    failures += !good;
    std::printf("%s %s: relative error %.2g\n", good ? "ok  " : "FAIL", what.c_str(), error);
  }
};

ConstImage grey(const std::vector<std::uint8_t> &bytes, int width, int height) {
  return {PixelFormat::gray8, width, height, {bytes.data()}, {width}};
}

void replay_vlfeat(const char *path, Judge &judge) {
  std::ifstream file(path, std::ios::binary);
  const auto device = open_cpu();
  const auto queue = device->make_queue();
  Floats descriptors; // that the codebook's line encodes
  for (const std::string &text : read_head(file, path)) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "sift") {
      int width = 0, height = 0, count = 0;
      SiftParams p{.scales = 1, .largest_scale = 1};
      line >> width >> height >> p.bin_size >> p.step >> count;
      const auto picture = take<std::uint8_t>(file, std::size_t(width) * height);
      const Floats want = take<float>(file, std::size_t(descriptor_length) * count);
      if (p.bin_size == 4 && p.step == 4) descriptors.insert(descriptors.end(), want.begin(), want.end());
      const auto replay = [&](const char *name, Extractor &e) {
        Floats got(std::size_t(descriptor_length) * e.layout().descriptors);
        e.extract(grey(picture, width, height), got.data(), *queue);
        judge(vigil::text(name, " ", text), relative_error(want, got), tolerance);
      };
      replay("reference", *make_reference(width, height, p));
      replay("cpu", *make_cpu(*device, width, height, p));
    } else {
      Codebook c;
      int count = 0;
      line >> c.projected >> c.components >> count;
      c.mean = take<float>(file, descriptor_length);
      c.projection = take<float>(file, std::size_t(c.projected) * descriptor_length);
      c.priors = take<float>(file, c.components);
      c.means = take<float>(file, std::size_t(c.components) * c.dimension());
      c.variances = take<float>(file, std::size_t(c.components) * c.dimension());
      const Floats positions = take<float>(file, std::size_t(2) * count);
      const Floats want = take<float>(file, c.vector_length());
      if (descriptors.size() != std::size_t(descriptor_length) * count)
        fail(Error::Kind::bad_data, "the file's numbers of descriptors disagree");
      const auto replay = [&](const char *name, Encoder &e) {
        Floats got(e.vector_length());
        e.encode(descriptors.data(), positions.data(), count, got.data(), nullptr, *queue);
        judge(vigil::text(name, " ", text), relative_error(want, got), tolerance);
      };
      replay("reference", *make_reference(c, {}, count));
      replay("cpu", *make_cpu(*device, c, {}, count));
    }
  }
}

void replay_pillow(const char *path, Judge &judge) {
  std::ifstream file(path, std::ios::binary);
  int width = 0, height = 0;
  std::vector<std::pair<int, int>> sizes;
  for (const std::string &text : read_head(file, path)) {
    std::istringstream line(text);
    std::string what;
    int w = 0, h = 0;
    line >> what >> w >> h;
    if (what == "size")
      sizes.emplace_back(w, h);
    else
      width = w, height = h;
  }
  const auto picture = take<std::uint8_t>(file, std::size_t(width) * height);
  for (const auto &[w, h] : sizes) {
    Floats want = take<float>(file, std::size_t(w) * h);
    for (float &v : want) v /= 255;
    judge(text("reference, ", width, "x", height, " resized to ", w, "x", h),
          relative_error(want, reference_resized(grey(picture, width, height), w, h)), 1e-5);
  }
}

int run(const char *vlfeat, const char *pillow) {
  Judge judge;
  replay_vlfeat(vlfeat, judge);
  replay_pillow(pillow, judge);
  return judge.failures ? 1 : 0;
}

} // namespace
} // namespace vigil::fisher

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::fisher::run);
}
