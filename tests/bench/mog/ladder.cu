// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the papers' steps, their state, and how frames get to them and masks back.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "tests/bench/mog/ladder_steps.h"

#include <algorithm>
#include <array>

namespace vigil::mog::ladder {
namespace {

constexpr int threads = 128; // a block, as in both papers

// A group of frames side by side in memory: one frame, except in Rung::w.
struct Group {
  const std::uint8_t *frames;
  std::uint8_t *masks;
  int pixels, count;
};

template <class T, int K>
__device__ Luma<T, K> load_planes(const T *state, int pixels, int i) {
  Luma<T, K> g;
#pragma unroll
  for (int k = 0; k < K; k++) {
    g.mean[k] = state[(3 * k) * std::size_t(pixels) + i];
    g.weight[k] = state[(3 * k + 1) * std::size_t(pixels) + i];
    g.variance[k] = state[(3 * k + 2) * std::size_t(pixels) + i];
  }
  return g;
}
template <class T, int K>
__device__ void store_planes(T *state, int pixels, int i, const Luma<T, K> &g) {
#pragma unroll
  for (int k = 0; k < K; k++) {
    state[(3 * k) * std::size_t(pixels) + i] = g.mean[k];
    state[(3 * k + 1) * std::size_t(pixels) + i] = g.weight[k];
    state[(3 * k + 2) * std::size_t(pixels) + i] = g.variance[k];
  }
}

template <Rung rung, class T, int K>
__global__ void __launch_bounds__(threads) luma_kernel(Group group, void *state, Settings<T> settings) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= group.pixels) return;
  if constexpr (rung == Rung::w) { // a thread's part of the tile is its own: no barrier is needed
    __shared__ T tile[3 * K][threads];
    const Luma<T, K> before = load_planes<T, K>(static_cast<T *>(state), group.pixels, i);
#pragma unroll
    for (int k = 0; k < K; k++) {
      tile[3 * k][threadIdx.x] = before.mean[k];
      tile[3 * k + 1][threadIdx.x] = before.weight[k];
      tile[3 * k + 2][threadIdx.x] = before.variance[k];
    }
    for (int f = 0; f < group.count; f++) {
      Luma<T, K> g;
#pragma unroll
      for (int k = 0; k < K; k++) {
        g.mean[k] = tile[3 * k][threadIdx.x];
        g.weight[k] = tile[3 * k + 1][threadIdx.x];
        g.variance[k] = tile[3 * k + 2][threadIdx.x];
      }
      const std::size_t at = std::size_t(f) * group.pixels + i;
      group.masks[at] = learn<rung, T, K>(g, T(group.frames[at]), settings) ? 0 : 255;
#pragma unroll
      for (int k = 0; k < K; k++) {
        tile[3 * k][threadIdx.x] = g.mean[k];
        tile[3 * k + 1][threadIdx.x] = g.weight[k];
        tile[3 * k + 2][threadIdx.x] = g.variance[k];
      }
    }
    Luma<T, K> after;
#pragma unroll
    for (int k = 0; k < K; k++) {
      after.mean[k] = tile[3 * k][threadIdx.x];
      after.weight[k] = tile[3 * k + 1][threadIdx.x];
      after.variance[k] = tile[3 * k + 2][threadIdx.x];
    }
    store_planes<T, K>(static_cast<T *>(state), group.pixels, i, after);
  } else {
    Luma<T, K> g;
    if constexpr (rung == Rung::a)
      g = static_cast<Luma<T, K> *>(state)[i];
    else
      g = load_planes<T, K>(static_cast<T *>(state), group.pixels, i);
    group.masks[i] = learn<rung, T, K>(g, T(group.frames[i]), settings) ? 0 : 255;
    if constexpr (rung == Rung::a)
      static_cast<Luma<T, K> *>(state)[i] = g;
    else
      store_planes<T, K>(static_cast<T *>(state), group.pixels, i, g);
  }
}

// Bytes from the counts to the means and variances, which start at a multiple of 16.
template <int K>
VIGIL_HOST_DEVICE std::size_t first_shape(std::size_t pixels) {
  return ((K + 1) * pixels * sizeof(float) + 15) / 16 * 16;
}

template <Rung rung, int K>
__global__ void __launch_bounds__(threads) colour_kernel(Group group, void *state, Settings<float> settings) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= group.pixels) return;
  float x[3];
  if constexpr (rung == Rung::b1) {
    for (int c = 0; c < 3; c++) x[c] = group.frames[3 * i + c];
  } else {
    const uchar4 v = reinterpret_cast<const uchar4 *>(group.frames)[i];
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
  }
  if constexpr (rung < Rung::b3) {
    Colour<K> &p = static_cast<Colour<K> *>(state)[i];
    group.masks[i] = learn<K>(p, x, settings) ? 0 : 255;
  } else { // the counts as ints, means with the variance, weights apart; first components first
    const std::size_t n = group.pixels;
    int *active = static_cast<int *>(state);
    float *weights = reinterpret_cast<float *>(active + n);
    float4 *shapes = reinterpret_cast<float4 *>(static_cast<char *>(state) + first_shape<K>(n));
    Colour<K> p;
    p.active = active[i];
#pragma unroll
    for (int k = 0; k < K; k++)
      if (k < p.active) {
        const float4 s = shapes[k * n + i];
        p.weight[k] = weights[k * n + i];
        p.mean[k][0] = s.x;
        p.mean[k][1] = s.y;
        p.mean[k][2] = s.z;
        p.variance[k] = s.w;
      }
    group.masks[i] = learn<K>(p, x, settings) ? 0 : 255;
    active[i] = p.active;
#pragma unroll
    for (int k = 0; k < K; k++)
      if (k < p.active) {
        weights[k * n + i] = p.weight[k];
        shapes[k * n + i] = make_float4(p.mean[k][0], p.mean[k][1], p.mean[k][2], p.variance[k]);
      }
  }
}

template <Rung rung, class T, int K>
void launch_luma(const Group &g, void *state, const Constants &c, double rate, cudaStream_t stream) {
  luma_kernel<rung, T, K>
      <<<(g.pixels + threads - 1) / threads, threads, 0, stream>>>(g, state, Settings<T>(c, rate));
}
template <Rung rung>
void launch_colour(const Group &g, void *state, const Constants &c, double rate, cudaStream_t stream) {
  colour_kernel<rung, 5>
      <<<(g.pixels + threads - 1) / threads, threads, 0, stream>>>(g, state, Settings<float>(c, rate));
}

using Launch = void (*)(const Group &, void *, const Constants &, double, cudaStream_t);
template <class T, int K>
Launch luma_launch(Rung r) {
  switch (r) {
  case Rung::a:
    return launch_luma<Rung::a, T, K>;
  case Rung::b:
  case Rung::c:
    return launch_luma<Rung::b, T, K>;
  case Rung::d:
    return launch_luma<Rung::d, T, K>;
  case Rung::e:
    return launch_luma<Rung::e, T, K>;
  case Rung::f:
    return launch_luma<Rung::f, T, K>;
  default:
    return launch_luma<Rung::w, T, K>;
  }
}
Launch launch_of(const LadderConfig &c) {
  if (c.rung == Rung::b1) return launch_colour<Rung::b1>;
  if (c.rung == Rung::b2) return launch_colour<Rung::b2>;
  if (c.rung > Rung::b2) return launch_colour<Rung::b3>;
  if (c.in_double) return c.components == 3 ? luma_launch<double, 3>(c.rung) : luma_launch<double, 5>(c.rung);
  return c.components == 3 ? luma_launch<float, 3>(c.rung) : luma_launch<float, 5>(c.rung);
}

Constants constants_of(const LadderConfig &c, const Params &p) {
  return is_paper_a(c.rung) ? resolve(p, Method::mog, PixelFormat::gray8, 1)
                            : resolve(p, Method::zivkovic, PixelFormat::rgba, 3);
}

class OnDevice final : public Ladder {
 public:
  OnDevice(CudaDevice &device, const LadderConfig &c)
      : device_(device), config_(c), launch_(launch_of(c)), pixels_(c.width * c.height),
        group_(c.rung == Rung::w ? window : 1) {
    const std::size_t value = c.in_double ? sizeof(double) : sizeof(float);
    const std::size_t pixel_bytes = is_paper_a(c.rung) ? 3 * c.components * value : sizeof(Colour<5>);
    state_ = DeviceBuffer(device, pixel_bytes * pixels_ + 64);
    const auto queue = device.make_queue();
    device.fill(state_.as(), 0, state_.bytes(), *queue);
    queue->wait();
    const CudaScope scope = device.enter();
    for (FrameMapping &s : slots_) {
      s.frames = DeviceBuffer(device, std::size_t(pixels_) * bytes_a_pixel(c.rung) * group_);
      s.masks = DeviceBuffer(device, std::size_t(pixels_) * group_);
      for (cudaEvent_t *e : {&s.uploaded, &s.computed, &s.downloaded})
        cuda_check(cudaEventCreateWithFlags(e, cudaEventDisableTiming), "cudaEventCreate");
    }
    for (cudaStream_t *s : {&execute_, &copy_})
      cuda_check(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~OnDevice() override {
    const CudaScope scope = device_.enter();
    for (const cudaStream_t s : {execute_, copy_}) {
      cudaStreamSynchronize(s);
      cudaStreamDestroy(s);
    }
    for (const FrameMapping &s : slots_)
      for (const cudaEvent_t e : {s.uploaded, s.computed, s.downloaded}) cudaEventDestroy(e);
  }

  void run(std::span<const std::uint8_t *const> frames, std::span<std::uint8_t *const> masks,
           const Params &params) override {
    const CudaScope scope = device_.enter();
    const int groups = static_cast<int>(frames.size()) / group_;
    const bool overlapped = is_paper_a(config_.rung) ? config_.rung >= Rung::c : config_.rung == Rung::b4;
    if (!overlapped) {
      for (int g = 0; g < groups; g++) {
        upload(slots_[0], frames, g, execute_);
        compute(slots_[0], params);
        download(slots_[0], masks, g, execute_);
        cuda_check(cudaStreamSynchronize(execute_), "ladder");
      }
      return;
    }
    // While group g is computed, group g + 1 goes up and then the masks of g - 1 come down.
    for (int g = 0; g < groups + 1; g++) {
      if (g < groups) {
        FrameMapping &s = slots_[g % 2];
        if (g >= 2) wait(copy_, s.computed);
        upload(s, frames, g, copy_);
        record(s.uploaded, copy_);
      }
      if (g > 0) {
        FrameMapping &s = slots_[(g - 1) % 2];
        wait(execute_, s.uploaded);
        if (g > 2) wait(execute_, s.downloaded);
        compute(s, params);
        record(s.computed, execute_);
      }
      if (g > 1) fetch(masks, g - 2);
    }
    if (groups > 0) fetch(masks, groups - 1);
    cuda_check(cudaStreamSynchronize(copy_), "ladder");
  }

  double kernel_milliseconds(std::span<const std::uint8_t *const> frames, const Params &params) override {
    const CudaScope scope = device_.enter();
    const int groups = static_cast<int>(frames.size()) / group_;
    std::vector<FrameMapping> resident(groups);
    for (int g = 0; g < groups; g++) {
      resident[g].frames = DeviceBuffer(device_, slots_[0].frames.bytes());
      resident[g].masks = DeviceBuffer(device_, slots_[0].masks.bytes());
      upload(resident[g], frames, g, execute_);
    }
    cudaEvent_t start, stop;
    cuda_check(cudaEventCreate(&start), "cudaEventCreate");
    cuda_check(cudaEventCreate(&stop), "cudaEventCreate");
    std::vector<float> times;
    for (int repeat = 0; repeat < 15; repeat++) {
      record(start, execute_);
      for (FrameMapping &s : resident) compute(s, params);
      record(stop, execute_);
      cuda_check(cudaEventSynchronize(stop), "ladder");
      times.emplace_back();
      cuda_check(cudaEventElapsedTime(&times.back(), start, stop), "ladder");
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2] / (groups * group_);
  }

  std::vector<std::uint8_t> background() override;

 private:
  struct FrameMapping {
    DeviceBuffer frames, masks;
    cudaEvent_t uploaded = nullptr, computed = nullptr, downloaded = nullptr;
  };

  static void wait(cudaStream_t stream, cudaEvent_t e) {
    cuda_check(cudaStreamWaitEvent(stream, e, 0), "ladder");
  }
  static void record(cudaEvent_t e, cudaStream_t stream) { cuda_check(cudaEventRecord(e, stream), "ladder"); }

  void upload(FrameMapping &s, std::span<const std::uint8_t *const> frames, int g, cudaStream_t stream) {
    const std::size_t bytes = std::size_t(pixels_) * bytes_a_pixel(config_.rung);
    for (int i = 0; i < group_; i++)
      cuda_check(cudaMemcpyAsync(s.frames.as<std::uint8_t>() + i * bytes, frames[g * group_ + i], bytes,
                                 cudaMemcpyHostToDevice, stream),
                 "upload");
  }
  void download(FrameMapping &s, std::span<std::uint8_t *const> masks, int g, cudaStream_t stream) {
    for (int i = 0; i < group_; i++)
      cuda_check(cudaMemcpyAsync(masks[g * group_ + i], s.masks.as<std::uint8_t>() + i * std::size_t(pixels_),
                                 std::size_t(pixels_), cudaMemcpyDeviceToHost, stream),
                 "download");
  }
  void fetch(std::span<std::uint8_t *const> masks, int g) {
    FrameMapping &s = slots_[g % 2];
    wait(copy_, s.computed);
    download(s, masks, g, copy_);
    record(s.downloaded, copy_);
  }
  void compute(FrameMapping &s, const Params &params) {
    // A group takes its first frame's rate: it is the same for all but the first `history` / 2 frames.
    launch_({s.frames.as<std::uint8_t>(), s.masks.as<std::uint8_t>(), pixels_, group_}, state_.as(),
            constants_of(config_, params), learning_rate(params, learnt_ + 1), execute_);
    cuda_check(cudaGetLastError(), "ladder");
    learnt_ += group_;
  }

  CudaDevice &device_;
  const LadderConfig config_;
  const Launch launch_;
  const int pixels_, group_;
  std::uint64_t learnt_ = 0;
  DeviceBuffer state_;
  std::array<FrameMapping, 2> slots_;
  cudaStream_t execute_ = nullptr, copy_ = nullptr;
};

// The mean of the heaviest component of every pixel of a downloaded state.
template <class T, int K>
std::vector<std::uint8_t> heaviest_luma(const std::vector<std::byte> &raw, int pixels, bool structures) {
  std::vector<std::uint8_t> out(pixels);
  const T *planes = reinterpret_cast<const T *>(raw.data());
  for (int i = 0; i < pixels; i++) {
    Luma<T, K> g;
    if (structures)
      g = reinterpret_cast<const Luma<T, K> *>(raw.data())[i];
    else
      for (int k = 0; k < K; k++) {
        g.mean[k] = planes[3 * k * std::size_t(pixels) + i];
        g.weight[k] = planes[(3 * k + 1) * std::size_t(pixels) + i];
      }
    out[i] = static_cast<std::uint8_t>(heaviest(g) + T(0.5));
  }
  return out;
}

std::vector<std::uint8_t> OnDevice::background() {
  std::vector<std::byte> raw(state_.bytes());
  const auto queue = device_.make_queue();
  device_.download(raw.data(), state_.as(), raw.size(), *queue);
  queue->wait();
  if (is_paper_a(config_.rung)) {
    const bool structures = config_.rung == Rung::a, three = config_.components == 3;
    if (config_.in_double)
      return three ? heaviest_luma<double, 3>(raw, pixels_, structures)
                   : heaviest_luma<double, 5>(raw, pixels_, structures);
    return three ? heaviest_luma<float, 3>(raw, pixels_, structures)
                 : heaviest_luma<float, 5>(raw, pixels_, structures);
  }
  std::vector<std::uint8_t> out(3 * std::size_t(pixels_)); // components are sorted: the first is the heaviest
  const std::size_t shapes = first_shape<5>(pixels_) / sizeof(float);
  for (int i = 0; i < pixels_; i++)
    for (int c = 0; c < 3; c++) {
      const float mean = config_.rung < Rung::b3
                             ? reinterpret_cast<const Colour<5> *>(raw.data())[i].mean[0][c]
                             : reinterpret_cast<const float *>(raw.data())[shapes + 4 * std::size_t(i) + c];
      out[3 * std::size_t(i) + c] = static_cast<std::uint8_t>(mean + 0.5f);
    }
  return out;
}

} // namespace

std::unique_ptr<Ladder> make_on_device(Device &device, const LadderConfig &c) {
  return std::make_unique<OnDevice>(device_cast<CudaDevice>(device), c);
}

} // namespace vigil::mog::ladder
