// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures gpufisher's kernels on a GPU: the paper's steps (tests/bench/fisher/ladder.h), the backend's
// encoding and its steps, and whole frames, on drawn scenes. Times are the device's own, medians of 15
// measurements of `calls` calls each.
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/fisher/cuda/encoder.h"
#include "tests/bench/fisher/ladder.h"
#include "tests/bench/fisher_data.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>

namespace {

using namespace vigil;
using namespace vigil::fisher;

constexpr const char *usage = "fisher_ladder [--counts N,N,...] [--no-steps] [--no-frames]\n"
                              "  --counts     numbers of descriptors to encode; 10000,250000\n"
                              "  --no-steps   leaves the paper's steps out\n"
                              "  --no-frames  leaves whole frames out\n";

class Bench {
 public:
  Bench() : device_(open_cuda()), queue_(device_->make_queue()), timer_(device_->make_timer()) {}
  Device &device() { return *device_; }
  Queue &queue() { return *queue_; }

  DeviceBuffer send(const Floats &values) {
    DeviceBuffer b(*device_, values.size() * sizeof(float));
    device_->upload(b.as(), values.data(), b.bytes(), *queue_);
    queue_->wait();
    return b;
  }
  Floats fetch(const DeviceBuffer &b) {
    Floats v(b.bytes() / sizeof(float));
    device_->download(v.data(), b.as(), b.bytes(), *queue_);
    queue_->wait();
    return v;
  }
  double milliseconds(const std::function<void()> &call, int calls = 20) {
    std::vector<double> all;
    for (int i = -2; i < 15; i++) {
      timer_->start(*queue_);
      for (int k = 0; k < calls; k++) call();
      timer_->stop(*queue_);
      queue_->wait();
      if (i >= 0) all.push_back(timer_->milliseconds() / calls);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Timer> timer_;
};

double apart(const Floats &want, const Floats &got) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    difference += (double(want[i]) - got[i]) * (double(want[i]) - got[i]);
    norm += double(want[i]) * want[i];
  }
  return std::sqrt(difference / norm);
}

struct Data {
  Floats descriptors, positions;
};
Data some_of(const Data &all, int count, unsigned seed) {
  std::mt19937 rng(seed);
  Data d;
  for (int k = 0; k < count; k++) {
    const std::size_t i = rng() % (all.positions.size() / 2);
    d.descriptors.insert(d.descriptors.end(), &all.descriptors[i * descriptor_length],
                         &all.descriptors[i * descriptor_length] + descriptor_length);
    d.positions.insert(d.positions.end(), &all.positions[2 * i], &all.positions[2 * i] + 2);
  }
  return d;
}

Data draw(Bench &bench) {
  CpuDevice cpu(0);
  const scene::Scene scene({.width = 640, .height = 480}, cpu);
  const auto extractor = make(bench.device(), 640, 480, {});
  const std::size_t count = extractor->layout().descriptors;
  DeviceBuffer frame(bench.device(), std::size_t{640} * 720),
      out(bench.device(), count * descriptor_length * sizeof(float));
  Data d;
  for (int f = 0; f < 6; f++) {
    const HostFrame host(scene, f);
    bench.device().upload(frame.as(), host.bytes.data(), frame.bytes(), bench.queue());
    ConstImage image = host.image;
    image.data[0] = frame.as<std::uint8_t>();
    image.data[1] = image.data[0] + std::size_t{640} * 480;
    extractor->extract(image, out.as<float>(), bench.queue());
    const Floats values = bench.fetch(out), at = positions_for(extractor->layout(), {});
    d.descriptors.insert(d.descriptors.end(), values.begin(), values.end());
    d.positions.insert(d.positions.end(), at.begin(), at.end());
  }
  return d;
}

void measure_encoding(Bench &bench, const Codebook &codebook, const Data &data, int count, bool steps) {
  const auto encoder = make_cuda(bench.device(), codebook, {}, count);
  auto &cuda_encoder = dynamic_cast<cuda::CudaEncoder &>(*encoder);
  const DeviceBuffer descriptors = bench.send(data.descriptors), positions = bench.send(data.positions);
  const DeviceBuffer vector(bench.device(), encoder->vector_length() * sizeof(float));
  const auto encode = [&] {
    encoder->encode(descriptors.as<float>(), positions.as<float>(), count, vector.as<float>(), nullptr,
                    bench.queue());
  };
  encode();
  const Floats ours = bench.fetch(vector);
  encode();
  const Floats again = bench.fetch(vector);
  const bool same = std::memcmp(ours.data(), again.data(), vector.bytes()) == 0;
  std::printf("\n%d descriptors, M %d, N %d\n", count, codebook.dimension(), codebook.components);
  std::printf("%-34s %9.4f ms; second time %s\n", "encoding with projection", bench.milliseconds(encode),
              same ? "the same bits" : "OTHER BITS");

  // The steps on what fits one chunk.
  cuda::Chunk chunk = cuda_encoder.chunk();
  chunk.count = std::min(count, cuda_encoder.chunk_tiles() * cuda::tile);
  const cudaStream_t stream = stream_of(bench.queue());
  const cuda::Mixture &mixture = cuda_encoder.mixture();
  const auto &cuda_device = device_cast<CudaDevice>(bench.device());
  const CudaScope scope = cuda_device.enter();
  const auto step = [&](const char *name, const std::function<void()> &call) {
    std::printf("  %-32s %9.4f ms for %d\n", name, bench.milliseconds(call), chunk.count);
  };
  step("projection", [&] {
    launch_project(cuda_encoder.projection(), descriptors.as<float>(), positions.as<float>(), chunk, stream);
  });
  step("posteriors, multiply-adds", [&] { launch_posteriors(mixture, chunk, stream); });
  if (mixture.fragments)
    step("posteriors, tensor cores", [&] { launch_posteriors_mma(mixture, chunk, stream); });
  const cuda::Parts parts = cuda_encoder.parts();
  step("sums", [&] { launch_sums(mixture, chunk, parts, false, stream); });
  step("vector", [&] {
    launch_vector(mixture, parts, chunk.count, cuda_encoder.norms(), vector.as<float>(), {}, stream);
  });
  std::vector<std::uint64_t> masks(static_cast<std::size_t>(chunk.tiles()) * mixture.padded);
  bench.device().download(masks.data(), chunk.masks, masks.size() * sizeof(masks[0]), bench.queue());
  bench.queue().wait();
  double kept = 0;
  for (const std::uint64_t m : masks) kept += std::popcount(m);
  std::printf("  posteriors kept for a descriptor: %.1f of %d\n", kept / chunk.count, codebook.components);

  if (!steps) return;
  const DeviceBuffer x = bench.send(project(codebook, data.descriptors, data.positions));
  constexpr struct {
    Rung rung;
    const char *name;
  } rungs[] = {{Rung::none, "the paper's, none"},
               {Rung::tiled, "  loop tiling"},
               {Rung::early, "  and early termination"},
               {Rung::vector, "  and vectorisation"}};
  std::printf("%-34s %9s %9s %9s %9s\n", "", "phase 1", "phase 2", "together", "apart");
  for (const auto &[rung, name] : rungs) {
    const auto ladder = make_ladder(bench.device(), codebook, rung, count);
    const auto first = [&] { ladder->posteriors(x.as<float>(), count, bench.queue()); };
    const auto second = [&] { ladder->sums(x.as<float>(), count, bench.queue()); };
    const auto last = [&] { ladder->vector(count, vector.as<float>(), bench.queue()); };
    first();
    second();
    last();
    const Floats theirs = bench.fetch(vector);
    const double one = bench.milliseconds(first, 1), two = bench.milliseconds(second, 1),
                 three = bench.milliseconds(last, 1);
    std::printf("%-34s %9.4f %9.4f %9.4f %9.1e\n", name, one, two, one + two + three, apart(ours, theirs));
  }
}

void measure_frame(Bench &bench, const Codebook &codebook, int width, int height, const SiftParams &params) {
  CpuDevice cpu(0);
  const scene::Scene scene({.width = width, .height = height}, cpu);
  const HostFrame host(scene, 1);
  DeviceBuffer frame(bench.device(), host.bytes.size());
  bench.device().upload(frame.as(), host.bytes.data(), frame.bytes(), bench.queue());
  bench.queue().wait();
  ConstImage image = host.image;
  image.data[0] = frame.as<std::uint8_t>();
  image.data[1] = image.data[0] + static_cast<std::size_t>(width) * height;
  const auto extractor = make(bench.device(), width, height, params);
  const int count = extractor->layout().descriptors;
  Classifier classifier{{"one"}, Floats(codebook.vector_length(), 0.5F), {0}, {0}, {0}};
  const auto encoder = make(bench.device(), codebook, classifier, count);
  const DeviceBuffer descriptors(bench.device(), sizeof(float) * descriptor_length * count),
      vector(bench.device(), sizeof(float) * encoder->vector_length()), scores(bench.device(), sizeof(float));
  const double sift =
      bench.milliseconds([&] { extractor->extract(image, descriptors.as<float>(), bench.queue()); });
  const double all = bench.milliseconds([&] {
    encoder->encode_frame(*extractor, image, vector.as<float>(), scores.as<float>(), bench.queue());
  });
  const double alone = bench.milliseconds(
      [&] {
        encoder->encode_frame(*extractor, image, vector.as<float>(), scores.as<float>(), bench.queue());
      },
      1);
  std::printf("%4dx%-4d %2d scales from %.2f: %7d descriptors, dense SIFT %8.4f ms, whole frame %8.4f ms "
              "(alone %.4f)\n",
              width, height, params.scales, params.largest_scale, count, sift, all, alone);
}

int run(int argc, char **argv) {
  std::vector<int> counts = {10000, 250000};
  bool steps = true, frames = true;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    if (a == "--no-steps")
      steps = false;
    else if (a == "--no-frames")
      frames = false;
    else if (a == "--counts" && i + 1 < argc) {
      counts.clear();
      for (const char *p = argv[++i]; p; p = std::strchr(p, ',') ? std::strchr(p, ',') + 1 : nullptr)
        counts.push_back(std::atoi(p));
    } else {
      std::fputs(usage, stdout);
      return a == "--help" || a == "-h" ? 0 : 2;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Bench bench;
  std::printf("%s\n", bench.device().name().c_str());
  const Data all = draw(bench), sample = some_of(all, 8192, 1);
  const Codebook codebook = fit(sample.descriptors, sample.positions, 80, 256);
  for (const int count : counts) measure_encoding(bench, codebook, some_of(all, count, 2), count, steps);
  if (!frames) return 0;
  std::printf("\nnv12 frames in the device's memory, one class\n");
  for (const auto &[w, h] : {std::pair{320, 240}, {640, 480}, {1920, 1080}})
    measure_frame(bench, codebook, w, h, {});
  measure_frame(bench, codebook, 320, 240, {.scales = 9, .largest_scale = 2});
  measure_frame(bench, codebook, 320, 240, {.scales = 7, .largest_scale = 1});
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fisher_ladder: %s\n", e.what());
    return 2;
  }
}
