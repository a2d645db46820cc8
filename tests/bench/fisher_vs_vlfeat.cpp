// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend of fisher compared with VLFeat on the same 320x240 frame: dense SIFT, projection, encoding,
// on two threads. The two take turns, so that whatever else the machine does hits both alike. VLFeat gets its
// pictures resized before the clock starts, its scales shared out to two threads, and its projection done by
// OpenBLAS on two threads; its encoder has threads of its own (OpenMP). The codebook comes from vl_gmm on
// other frames.
//   fisher_vs_vlfeat [TURNS] [FRAMES.gray]     FRAMES.gray: 320x240 bytes of luma a frame; without it: a
//                                              drawn scene
// LD_LIBRARY_PATH chooses another build of VLFeat; OMP_WAIT_POLICY=passive keeps its waiting threads from
// being counted as work.
#include "common/error.h"
#include "common/scene/scene.h"
#include "kernels/fisher/fisher.h"

#include <algorithm>
#include <atomic>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

extern "C" {
#include <vl/dsift.h>
#include <vl/fisher.h>
#include <vl/gmm.h>
}

namespace {

using namespace vigil;
using namespace vigil::fisher;
using Floats = std::vector<float>;

constexpr int width = 320, height = 240, threads = 2, projected = 80, components = 256;

std::vector<Floats> scaled_pictures(const ConstImage &frame, const Layout &layout) {
  std::vector<Floats> pictures;
  for (const ScaleLayout &s : layout.scales) {
    const auto p = reference_resized(frame, s.width, s.height);
    pictures.emplace_back(p.begin(), p.end());
  }
  return pictures;
}

// What a program around VLFeat does for a frame.
class Vlfeat {
 public:
  Vlfeat(const Layout &layout, const SiftParams &p, const Codebook &c)
      : layout_(layout), params_(p), codebook_(c), positions_(positions_for(layout, p)),
        descriptors_(std::size_t(descriptor_length) * layout.descriptors),
        data_(std::size_t(c.dimension()) * layout.descriptors), vector_(c.vector_length()) {
    for (const ScaleLayout &s : layout.scales) {
      VlDsiftFilter *f = vl_dsift_new_basic(s.width, s.height, p.step, p.bin_size);
      vl_dsift_set_flat_window(f, 1);
      filters_.push_back(f);
    }
    openblas_set_num_threads(threads);
    vl_set_num_threads(threads);
  }
  ~Vlfeat() {
    for (VlDsiftFilter *f : filters_) vl_dsift_delete(f);
  }
  void sift(const std::vector<Floats> &pictures) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < filters_.size(); i = next++) {
        VlDsiftFilter *f = filters_[i];
        vl_dsift_process(f, pictures[i].data());
        float *out = &descriptors_[descriptor_length * layout_.scales[i].first];
        const int count = vl_dsift_get_keypoint_num(f);
        std::copy_n(vl_dsift_get_descriptors(f), std::size_t(descriptor_length) * count, out);
        for (int k = 0; k < count; k++)
          if (vl_dsift_get_keypoints(f)[k].norm < params_.contrast_threshold)
            std::fill_n(out + descriptor_length * k, descriptor_length, 0.F);
      }
    };
    std::thread other(work);
    work();
    other.join();
  }
  void encode() {
    const int n = layout_.descriptors, m = codebook_.dimension();
    Floats &d = descriptors_;
    for (std::size_t i = 0; i < d.size(); i++) d[i] -= codebook_.mean[i % descriptor_length];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, projected, descriptor_length, 1, d.data(),
                descriptor_length, codebook_.projection.data(), descriptor_length, 0, data_.data(), m);
    for (int i = 0; i < n; i++) std::copy_n(&positions_[2 * i], 2, &data_[std::size_t(m) * i + projected]);
    vl_fisher_encode(vector_.data(), VL_TYPE_FLOAT, codebook_.means.data(), m, components,
                     codebook_.variances.data(), codebook_.priors.data(), data_.data(), n,
                     VL_FISHER_FLAG_IMPROVED);
  }
  const Floats &descriptors() const { return descriptors_; }
  const Floats &vector() const { return vector_; }

 private:
  const Layout &layout_;
  const SiftParams &params_;
  const Codebook &codebook_;
  Floats positions_, descriptors_, data_, vector_;
  std::vector<VlDsiftFilter *> filters_;
};

// Orthogonal rows (a cosine transform) and a mixture fitted by vl_gmm.
Codebook codebook_from(const Floats &descriptors, const Floats &positions) {
  Codebook c;
  c.projected = projected;
  c.components = components;
  const std::size_t count = positions.size() / 2;
  c.mean.resize(descriptor_length);
  for (std::size_t i = 0; i < descriptors.size(); i++)
    c.mean[i % descriptor_length] += descriptors[i] / float(count);
  for (int k = 0; k < projected; k++)
    for (int e = 0; e < descriptor_length; e++)
      c.projection.push_back(
          float(0.125 * std::cos(std::numbers::pi * (e + 0.5) * (k + 1) / descriptor_length)));
  Floats data;
  for (std::size_t i = 0; i < count; i++) {
    for (int k = 0; k < projected; k++) {
      float sum = 0;
      for (int e = 0; e < descriptor_length; e++)
        sum += c.projection[k * descriptor_length + e] * (descriptors[descriptor_length * i + e] - c.mean[e]);
      data.push_back(sum);
    }
    data.insert(data.end(), {positions[2 * i], positions[2 * i + 1]});
  }
  VlGMM *gmm = vl_gmm_new(VL_TYPE_FLOAT, c.dimension(), components);
  vl_rand_seed(vl_get_rand(), 1);
  vl_gmm_set_initialization(gmm, VlGMMRand);
  vl_gmm_set_max_num_iterations(gmm, 12);
  vl_gmm_set_covariance_lower_bound(gmm, 1e-5);
  vl_gmm_cluster(gmm, data.data(), count);
  const auto floats = [](const void *from, int n) {
    const auto *p = static_cast<const float *>(from);
    return Floats(p, p + n);
  };
  c.priors = floats(vl_gmm_get_priors(gmm), components);
  c.means = floats(vl_gmm_get_means(gmm), components * c.dimension());
  c.variances = floats(vl_gmm_get_covariances(gmm), components * c.dimension());
  vl_gmm_delete(gmm);
  return c;
}

// Time on the wall, and of the processor in all threads, which hardly depends on what else the machine does.
struct Times {
  std::vector<double> wall, cpu;
  void take(const auto &work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t spent = std::clock();
    work();
    cpu.push_back(1e3 * double(std::clock() - spent) / CLOCKS_PER_SEC);
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  }
  void show(const char *name) const {
    std::printf("  %-14s %7.2f ms (least %.2f), processor time %7.2f ms\n", name, median(wall),
                *std::min_element(wall.begin(), wall.end()), median(cpu));
  }
};
double difference(const Floats &a, const Floats &b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    error += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    norm += double(a[i]) * a[i];
  }
  return std::sqrt(error / norm);
}

void compare(const char *title, const SiftParams &p, const std::vector<std::vector<std::uint8_t>> &frames,
             int turns) {
  const auto image = [](const std::vector<std::uint8_t> &f) {
    return ConstImage{PixelFormat::gray8, width, height, {f.data()}, {width}};
  };
  const auto device = open_cpu(threads);
  const auto queue = device->make_queue();
  const auto extractor = make_cpu(*device, width, height, p);
  const int count = extractor->layout().descriptors;
  Floats descriptors(std::size_t(descriptor_length) * count), samples, places;
  for (std::size_t f = 0; f + 1 < frames.size(); f++) {
    extractor->extract(image(frames[f]), descriptors.data(), *queue);
    for (int i = int(f); i < count; i += 4) {
      samples.insert(samples.end(), &descriptors[descriptor_length * i],
                     &descriptors[descriptor_length * i] + descriptor_length);
      places.insert(places.end(), extractor->positions() + 2 * i, extractor->positions() + 2 * i + 2);
    }
  }
  const Codebook codebook = codebook_from(samples, places);
  const auto encoder = make_cpu(*device, codebook, {}, count);
  Vlfeat other(extractor->layout(), p, codebook);
  const ConstImage frame = image(frames.back());
  const auto pictures = scaled_pictures(frame, extractor->layout());
  Floats vector(codebook.vector_length());
  extractor->extract(frame, descriptors.data(), *queue);
  other.sift(pictures);
  const double sift_differs = difference(other.descriptors(), descriptors);
  Times ours, our_sift, theirs, their_sift;
  for (int t = 0; t < turns; t++) {
    our_sift.take([&] { extractor->extract(frame, descriptors.data(), *queue); });
    ours.take([&] { encoder->encode_frame(*extractor, frame, vector.data(), nullptr, *queue); });
    their_sift.take([&] { other.sift(pictures); });
    theirs.take([&] {
      other.sift(pictures);
      other.encode();
    });
  }
  std::printf("%s: %d descriptors\n", title, count);
  their_sift.show("VLFeat, sift");
  theirs.show("VLFeat, whole");
  our_sift.show("Vigil, sift");
  ours.show("Vigil, whole");
  std::printf("  %.2f times as fast, %.2f by processor time\n",
              Times::median(theirs.wall) / Times::median(ours.wall),
              Times::median(theirs.cpu) / Times::median(ours.cpu));
  Floats exact(vector.size());
  make_reference(codebook, {}, count)
      ->encode(descriptors.data(), extractor->positions(), count, exact.data(), nullptr, *queue);
  std::printf("  relative L2: descriptors %.1g, vectors %.1g; from the reference: VLFeat %.1g, Vigil %.1g\n",
              sift_differs, difference(other.vector(), vector), difference(exact, other.vector()),
              difference(exact, vector));
  std::fflush(stdout);
}

std::vector<std::vector<std::uint8_t>> frames_from(const char *path) {
  std::vector<std::vector<std::uint8_t>> frames;
  if (path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(Error::Kind::io, "cannot open ", path);
    std::vector<std::uint8_t> f(std::size_t(width) * height);
    while (frames.size() < 12 && file.read(reinterpret_cast<char *>(f.data()), std::streamsize(f.size())))
      frames.push_back(f);
    if (frames.size() < 2) fail(Error::Kind::bad_data, path, " holds fewer than two frames of 320x240 bytes");
    return frames;
  }
  CpuDevice device(threads);
  const scene::Scene scene({.width = width, .height = height, .story = scene::Story::crowd}, device);
  for (int i = 0; i < 8; i++) {
    auto &f = frames.emplace_back(std::size_t(width) * height);
    scene.draw({std::uint64_t(300 + 40 * i), 10 + 1.3 * i},
               {PixelFormat::gray8, width, height, {f.data()}, {width}}, {});
  }
  return frames;
}

} // namespace

int main(int argc, char **argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 41;
  if (turns < 1) {
    std::fprintf(stderr, "usage: %s [TURNS] [FRAMES.gray]\n", argv[0]);
    return 2;
  }
  try {
    const auto frames = frames_from(argc > 2 ? argv[2] : nullptr);
    compare("scales 1..1/8", {.scales = 7, .largest_scale = 1}, frames, turns);
    compare("scales 1..2^-3.5", {.scales = 8, .largest_scale = 1}, frames, turns);
    compare("scales sqrt(2)..1/8", {}, frames, turns);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
