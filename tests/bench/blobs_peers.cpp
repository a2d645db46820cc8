// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend of blobs compared with NVIDIA's NPP (nppiLabelMarkersUF, nppiCompressMarkerLabelsUF,
// nppiCompressedMarkerLabelsUFInfo) on the same masks, eight neighbours, 1080p and 4K. The two take turns, so
// that whatever else the machine does hits both alike.
//   blobs_peers [CALLS] [MASK.pgm...]      masks of any size, which are scaled (nearest pixel); 128 and more
//   is foreground
//
// NPP finds regions of equal value, so the background's as well, which nobody asked for here; its call for
// all of them counts all the same, since there is none for the foreground alone. What it reports about a
// component (pixels, box) is less than ours, which has sums for centroid and moments too. Both must find the
// same components: the labels that NPP gives to pixels of the foreground are counted on the host, and the
// pixels of each. Ends with 1 when they differ, and with 77 without a GPU or without NPP's libraries, which
// are loaded at run time (LD_LIBRARY_PATH).
#include "common/cuda/device.h"
#include "common/error.h"
#include "kernels/blobs/blobs.h"
#include "tests/check/blobs/patterns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <map>
#include <npp.h>
#include <string>
#include <vector>

namespace {

using namespace vigil;

constexpr int skipped = 77;
constexpr std::uint32_t min_area = 100; // of what is reported, as in gpucheck's times

// NPP's functions, from the library of the major version whose header this was built with.
class Npp {
 public:
  Npp() {
    const std::string name = "libnppif.so." + std::to_string(NPP_VER_MAJOR);
    library_ = dlopen(name.c_str(), RTLD_NOW);
    if (!library_) fail(Error::Kind::no_device, "no NPP: ", dlerror());
    get(buffer_size, "nppiLabelMarkersUFGetBufferSize_32u_C1R");
    get(label, "nppiLabelMarkersUF_8u32u_C1R_Ctx");
    get(compress_size, "nppiCompressMarkerLabelsGetBufferSize_32u_C1R");
    get(compress, "nppiCompressMarkerLabelsUF_32u_C1IR_Ctx");
    get(info_size, "nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R");
    get(info, "nppiCompressedMarkerLabelsUFInfo_32u_C1R_Ctx");
  }
  decltype(&nppiLabelMarkersUFGetBufferSize_32u_C1R) buffer_size = nullptr;
  decltype(&nppiLabelMarkersUF_8u32u_C1R_Ctx) label = nullptr;
  decltype(&nppiCompressMarkerLabelsGetBufferSize_32u_C1R) compress_size = nullptr;
  decltype(&nppiCompressMarkerLabelsUF_32u_C1IR_Ctx) compress = nullptr;
  decltype(&nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R) info_size = nullptr;
  decltype(&nppiCompressedMarkerLabelsUFInfo_32u_C1R_Ctx) info = nullptr;

 private:
  template <class Function>
  void get(Function &f, const char *name) {
    f = reinterpret_cast<Function>(dlsym(library_, name));
    if (!f) fail(Error::Kind::no_device, "NPP has no ", name);
  }
  void *library_ = nullptr; // stays open until the end
};

void check(NppStatus s, const char *what) {
  if (s < 0) fail(Error::Kind::device, what, " failed with status ", int(s));
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Input {
  std::string name;
  std::function<void(blobs::Mask)> paint;
};

struct Pgm {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};
Pgm read_pgm(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Pgm p;
  int most = 0;
  file >> magic >> p.width >> p.height >> most;
  file.get();
  if (!file || magic != "P5" || most != 255 || p.width < 1 || p.height < 1 || p.width > 32767 ||
      p.height > 32767)
    fail(Error::Kind::bad_setting, path, " is no PGM picture of 8 bits (P5)");
  p.pixels.resize(std::size_t(p.width) * std::size_t(p.height));
  if (!file.read(reinterpret_cast<char *>(p.pixels.data()), std::streamsize(p.pixels.size())))
    fail(Error::Kind::bad_setting, path, " ends too soon");
  return p;
}
void scale(const Pgm &p, blobs::Mask m) {
  for (int y = 0; y < m.height; y++)
    for (int x = 0; x < m.width; x++)
      m.row(y)[x] = p.pixels[std::size_t(y * p.height / m.height) * std::size_t(p.width) +
                             std::size_t(x * p.width / m.width)] < 128
                        ? 0
                        : 255;
}

// Pixels of each component of the foreground, largest first, of those with `min_area` and more.
std::vector<std::uint32_t> areas_of(std::map<std::uint32_t, std::uint32_t> counts) {
  std::vector<std::uint32_t> areas;
  for (const auto &[label, pixels] : counts)
    if (pixels >= min_area) areas.push_back(pixels);
  std::sort(areas.rbegin(), areas.rend());
  return areas;
}

class Peers {
 public:
  Peers(CudaDevice &device, const Npp &npp)
      : device_(device), npp_(npp), queue_(device.make_queue()), timer_(device.make_timer()) {
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      cuda_check(cudaDeviceGetAttribute(&value, which, device.id()), "cudaDeviceGetAttribute");
      return value;
    };
    context_.hStream = stream_of(*queue_);
    context_.nCudaDeviceId = device.id();
    context_.nMultiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
    context_.nMaxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    context_.nMaxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
    context_.nSharedMemPerBlock = std::size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    context_.nCudaDevAttrComputeCapabilityMajor = attribute(cudaDevAttrComputeCapabilityMajor);
    context_.nCudaDevAttrComputeCapabilityMinor = attribute(cudaDevAttrComputeCapabilityMinor);
    cuda_check(cudaStreamGetFlags(context_.hStream, &context_.nStreamFlags), "cudaStreamGetFlags");
  }

  // False when the two differ.
  bool compare(const Input &in, int width, int height, int calls) {
    const auto pixels = std::size_t(width) * std::size_t(height);
    std::vector<std::uint8_t> host(pixels);
    in.paint({host.data(), width, height, width});
    for (std::uint8_t &p : host) p = p == 255 ? 255 : 0; // what is not foreground has one value for NPP
    const DeviceBuffer mask(device_, pixels), labels(device_, pixels * 4), own_labels(device_, pixels * 4);
    device_.upload(mask.as(), host.data(), pixels, *queue_);

    const NppiSize size{width, height};
    int bytes = 0, more_bytes = 0;
    check(npp_.buffer_size(size, &bytes), "nppiLabelMarkersUFGetBufferSize");
    check(npp_.compress_size(width * height, &more_bytes), "nppiCompressMarkerLabelsGetBufferSize");
    const DeviceBuffer scratch(device_, std::size_t(bytes)), compressing(device_, std::size_t(more_bytes));
    int count = 0;
    const auto label = [&] {
      check(npp_.label(mask.as<Npp8u>(), width, labels.as<Npp32u>(), 4 * width, size, nppiNormInf,
                       scratch.as<Npp8u>(), context_),
            "nppiLabelMarkersUF");
    };
    const auto compress = [&] {
      check(npp_.compress(labels.as<Npp32u>(), 4 * width, size, width * height, &count,
                          compressing.as<Npp8u>(), context_),
            "nppiCompressMarkerLabelsUF");
    };
    label();
    compress();
    queue_->wait();
    unsigned list_bytes = 0;
    check(npp_.info_size(unsigned(count), &list_bytes), "nppiCompressedMarkerLabelsUFGetInfoListSize");
    const DeviceBuffer list(device_, list_bytes);
    const auto info = [&] {
      return npp_.info(labels.as<Npp32u>(), 4 * width, size, unsigned(count),
                       list.as<NppiCompressedMarkerLabelsInfo>(), nullptr, 0, nullptr, 0, nullptr, nullptr,
                       nullptr, nullptr, nullptr, context_);
    };
    const NppStatus boxes = info(); // where it fails, the two calls before it are still compared

    const blobs::Config config{width, height};
    const auto finder = blobs::make_cuda(device_, config);
    blobs::Results results(device_, config);
    const Plane<const std::uint8_t> plane{mask.as<const std::uint8_t>(), width, height, width};
    blobs::Extras with;
    with.labels = {own_labels.as<std::int32_t>(), width, height, 4 * std::ptrdiff_t(width)};

    std::vector<double> npp_labels, npp_compressed, npp_all, own, own_labelled;
    const auto timed = [&](std::vector<double> &times, const std::function<void()> &work) {
      timer_->start(*queue_);
      work();
      timer_->stop(*queue_);
      times.push_back(timer_->milliseconds());
    };
    for (int i = 0; i < calls; i++) {
      timed(npp_labels, label);
      timed(own, [&] { finder->apply(plane, {min_area}, {}, results, *queue_); });
      timed(npp_compressed, [&] {
        label();
        compress();
      });
      timed(own_labelled, [&] { finder->apply(plane, {min_area}, with, results, *queue_); });
      if (boxes < 0) continue;
      timed(npp_all, [&] {
        label();
        compress();
        check(info(), "nppiCompressedMarkerLabelsUFInfo");
      });
    }
    queue_->wait();

    std::vector<std::uint32_t> theirs(pixels);
    device_.download(theirs.data(), labels.as(), pixels * 4, *queue_);
    queue_->wait();
    std::map<std::uint32_t, std::uint32_t> counts;
    for (std::size_t i = 0; i < pixels; i++)
      if (host[i] == 255) counts[theirs[i]]++;
    std::vector<std::uint32_t> own_areas;
    for (const blobs::Blob &b : results.blobs()) own_areas.push_back(b.area);
    bool same = results.head().components == counts.size();
    // More large ones than are reported: the least area was raised.
    if (results.head().min_area == min_area) same = same && own_areas == areas_of(counts);
    const double compressed = median(npp_compressed), o = median(own);
    const std::string with_boxes =
        boxes < 0 ? text("no boxes (status ", int(boxes), ")") : text("and boxes ", median(npp_all), " ms");
    std::printf("%-16s %4dx%-4d %7zu components | NPP labels %.4f, and compressed %.4f ms, %s | "
                "ours %.4f, with labels %.4f ms | %.1f times NPP's speed%s\n",
                in.name.c_str(), width, height, counts.size(), median(npp_labels), compressed,
                with_boxes.c_str(), o, median(own_labelled), (boxes < 0 ? compressed : median(npp_all)) / o,
                same ? "" : "  DIFFERENT COMPONENTS");
    std::fflush(stdout);
    return same;
  }

 private:
  CudaDevice &device_;
  const Npp &npp_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Timer> timer_;
  NppStreamContext context_{};
};

int run(int argc, char **argv) {
  const int calls = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 50;
  std::vector<Input> inputs;
  for (int i = 2; i < argc; i++) {
    const std::string path = argv[i];
    inputs.push_back(
        {path.substr(path.rfind('/') + 1), [p = read_pgm(path)](blobs::Mask m) { scale(p, m); }});
  }
  for (const blobs::Pattern &p : blobs::patterns)
    inputs.push_back({p.name, [&p](blobs::Mask m) {
                        std::mt19937_64 rng(1);
                        p.paint(rng, m);
                      }});
  const Npp npp;
  const auto device = open_cuda();
  auto &cuda = static_cast<CudaDevice &>(*device);
  const CudaScope scope = cuda.enter(); // NPP works in the thread's context
  std::printf("%s, NPP %d.%d.%d, medians of %d calls by the device's clock\n", device->name().c_str(),
              NPP_VER_MAJOR, NPP_VER_MINOR, NPP_VER_PATCH, calls);
  Peers peers(cuda, npp);
  bool same = true;
  for (const auto &[width, height] : {std::pair{1920, 1080}, {3840, 2160}})
    for (const Input &in : inputs) same = peers.compare(in, width, height, calls) && same;
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const Error &e) {
    std::fprintf(stderr, "blobs_peers: %s\n", e.what());
    return e.kind() == Error::Kind::no_device ? skipped : 1;
  }
}
