// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: state in device memory, and the order of the kernels (cuda/). `back` is not kept: its
// products cost less than reading it.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/colinearseg/cuda/kernels.h"
#include "kernels/colinearseg/packed.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/compose/cuda/kernels.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vigil::colinearseg {
namespace {

using namespace cuda;

class CudaSegmenter final : public Segmenter {
 public:
  CudaSegmenter(CudaDevice &d, const Config &c, int learn_frames)
      : device_(d), config_(c), words_(words_of(c.width)), own_(d.make_queue()), used_(d.make_event()) {
    check_config(c);
    new_progress(learn_frames); // throws when the number is out of range
    background_ = DeviceBuffer(d, std::size_t(stride()) * c.height);
    const std::size_t words = std::size_t(words_) * c.height;
    for (DeviceBuffer &m : mask_) m = DeviceBuffer(d, words * sizeof(std::uint32_t));
    for (DeviceBuffer &t : thresholds_) t = DeviceBuffer(d, words * sizeof(uint4));
    learn(learn_frames);
  }

  const Config &config() const override { return config_; }
  const Progress &progress() const override { return progress_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }

  void learn(int learn_frames) override {
    const Progress begun = new_progress(learn_frames);
    settle();
    make_exact();
    device_.fill(exact_.as(), 0, exact_.bytes(), *own_);
    begin(begun, std::vector<std::uint8_t>(background_.bytes()));
  }

  void set_background(ConstImage image, int learn_frames) override {
    check_picture(image, config_);
    const Progress begun = new_progress(learn_frames, true);
    settle();
    exact_ = DeviceBuffer();
    begin(begun, packed_background(image, stride()));
  }

  void segment(ConstImage frame, const Params &params, Queue &queue) override {
    check_frame(frame);
    const CudaScope scope = device_.enter();
    const cudaStream_t stream = stream_of(queue);
    const Rgba colours = frame.plane(0);
    if (progress_.measures_next()) measure(colours, queue);
    if (progress_.learning()) {
      launch_learn(colours, exact(), progress_.learnt + 1, background(), stream);
      progress_.learnt++;
      if (!progress_.learning()) {
        queue.wait();
        exact_ = DeviceBuffer();
      }
      cuda_check(cudaGetLastError(), "learning the background");
      used_->record(queue);
      return;
    }

    const Constants c = resolve(params, progress_.noise);
    if (c.adapt > 0 && !exact_) { // before all else: it may fail
      make_exact();
      launch_spread(background(), exact(), stream);
    }
    auto *const other = thresholds_[1].as<uint4>();
    auto *const first = c.temporal_compactness == c.compactness ? other : thresholds_[0].as<uint4>();
    launch_thresholds(colours, background(), c, first, other, stream);
    iterate(c, first, other, stream);
    progress_.frames++;
    if (c.adapt > 0) launch_adapt(colours, mask(), words_, exact(), c.adapt, background(), stream);
    cuda_check(cudaGetLastError(), "segmenting a frame");
    used_->record(queue);
  }

  void draw(Show show, ConstImage frame, const compose::Style &style, Image target, Queue &queue) override {
    check_frame(frame);
    check_frame(target);
    const CudaScope scope = device_.enter();
    const compose::Layers layers = compose::overlay_layers(PixelFormat::rgba, style);
    launch_picture(show, frame.plane(0), background(), mask(), words_, layers.plane[0].blends.foreground,
                   target.plane(0), stream_of(queue));
    cuda_check(cudaGetLastError(), "drawing the result");
    used_->record(queue);
  }

  void outline(std::span<const compose::DrawnBox> boxes, const compose::Style &style, Image target,
               Queue &queue) override {
    check_frame(target);
    const compose::Outlines outlines = outlines_of(boxes, style, config_.width, config_.height);
    if (outlines.count == 0) return;
    const CudaScope scope = device_.enter();
    compose::launch_outlines(outlines, compose::overlay_layers(PixelFormat::rgba, style), target,
                             stream_of(queue));
    cuda_check(cudaGetLastError(), "drawing boxes");
  }

  Plane<const std::uint8_t> mask(Queue &queue) override {
    const std::ptrdiff_t stride = std::ptrdiff_t{32} * words_;
    if (!mask_bytes_) mask_bytes_ = DeviceBuffer(device_, std::size_t(stride) * config_.height);
    const Plane<std::uint8_t> bytes{mask_bytes_.as<std::uint8_t>(), config_.width, config_.height, stride};
    const CudaScope scope = device_.enter();
    launch_bytes(mask(), words_, bytes, stream_of(queue));
    cuda_check(cudaGetLastError(), "writing the mask's bytes");
    used_->record(queue);
    return bytes;
  }

  void fetch_labels(std::uint32_t *to, Queue &queue) override {
    device_.download(to, mask_[0].as(), mask_[0].bytes(), queue);
    used_->record(queue);
  }

  State save() const override {
    settle();
    State s = empty_state(config_, 1);
    static_cast<Progress &>(s) = progress_;
    unpack_background(fetch<std::uint8_t>(background_), stride(), s);
    unpack_labels(fetch<std::uint32_t>(mask_[0]), s);
    const std::vector<std::uint32_t> values = fetch<std::uint32_t>(exact_);
    if (values.empty()) s.exact.clear();
    for (std::size_t i = 0; i < s.exact.size(); i++) s.exact[i] = values[exact_index(i)];
    return s;
  }

  void load(const State &s) override {
    check_fits(s, config_);
    settle();
    exact_ = DeviceBuffer();
    if (!s.exact.empty()) {
      make_exact();
      std::vector<std::uint32_t> values(exact_.bytes() / sizeof(std::uint32_t));
      for (std::size_t i = 0; i < s.exact.size(); i++) values[exact_index(i)] = s.exact[i];
      put(exact_, values);
    }
    put(background_, packed_background(s, stride()));
    put(mask_[0], packed_labels(s));
    progress_ = s;
  }

 private:
  void check_frame(const ConstImage &image) const {
    if (image.format != PixelFormat::rgba) fail(Error::Kind::bad_setting, "frames must be rgba");
    check_picture(image, config_);
    if ((reinterpret_cast<std::uintptr_t>(image.data[0]) | std::uintptr_t(image.stride[0])) % 4 != 0)
      fail(Error::Kind::bad_setting, "the pixels of a frame must be at multiples of 4 bytes");
  }

  std::ptrdiff_t stride() const { return 4 * std::ptrdiff_t(exact_pitch(config_.width)); }
  Plane<std::uint8_t> background() const {
    return {background_.as<std::uint8_t>(), config_.width, config_.height, stride()};
  }
  std::uint32_t *mask() const { return mask_[0].as<std::uint32_t>(); }
  Exact exact() const { return {exact_.as<std::uint32_t>(), exact_pitch(config_.width)}; }
  // Where value i of State::exact is among ours.
  std::size_t exact_index(std::size_t i) const {
    const std::size_t pixel = i / 3, x = pixel % std::size_t(config_.width),
                      y = pixel / std::size_t(config_.width);
    return (i % 3 * std::size_t(config_.height) + y) * std::size_t(exact_pitch(config_.width)) + x;
  }
  void make_exact() {
    if (!exact_)
      exact_ = DeviceBuffer(device_, 3 * sizeof(std::uint32_t) * exact_pitch(config_.width) * config_.height);
  }

  void measure(Rgba frame, Queue &queue) {
    const SampleGrid grid = sample_grid(config_);
    std::vector<std::uint32_t> samples(std::size_t(grid.columns) * grid.rows);
    const std::size_t bytes = samples.size() * sizeof(std::uint32_t);
    if (!samples_) samples_ = DeviceBuffer(device_, bytes);
    launch_samples(frame, background(), grid, samples_.as<std::uint32_t>(), stream_of(queue));
    device_.download(samples.data(), samples_.as(), bytes, queue);
    queue.wait();
    add_frame(progress_.noise, samples);
    bytes_read_ += bytes;
    if (progress_.settled()) samples_ = DeviceBuffer();
  }

  void iterate(const Constants &c, const uint4 *first, const uint4 *other, cudaStream_t stream) {
    for (int done = 0; done <= c.iterations; done += iterations_at_once) {
      Substeps steps;
      steps.with_first = done == 0 ? 4 : 0;
      for (int i = done; i <= std::min(done + iterations_at_once - 1, c.iterations); i++)
        for (const std::uint64_t position : permutation(c.seed, progress_.frames, i))
          steps.positions |= position << 2 * steps.count++;
      launch_iterations(mask(), mask_[1].as<std::uint32_t>(), first, other, words_, config_.height, steps,
                        stream);
      std::swap(mask_[0], mask_[1]);
    }
  }

  // The background is these bytes and nothing is foreground.
  void begin(const Progress &progress, const std::vector<std::uint8_t> &rgba) {
    put(background_, rgba);
    device_.fill(mask(), 0, mask_[0].bytes(), *own_);
    own_->wait();
    progress_ = progress;
  }
  // Waits for all that uses the state.
  void settle() const { used_->wait(); }
  template <class T>
  void put(const DeviceBuffer &to, const std::vector<T> &from) {
    device_.upload(to.as(), from.data(), to.bytes(), *own_);
    own_->wait();
  }
  template <class T>
  std::vector<T> fetch(const DeviceBuffer &from) const {
    std::vector<T> to(from.bytes() / sizeof(T));
    if (!to.empty()) device_.download(to.data(), from.as(), from.bytes(), *own_);
    own_->wait();
    return to;
  }
  CudaDevice &device_;
  Config config_;
  int words_; // of a row of the mask
  std::unique_ptr<Queue> own_;
  std::unique_ptr<Event> used_; // behind all work that was submitted
  DeviceBuffer background_, mask_[2], thresholds_[2];
  DeviceBuffer mask_bytes_; // since they were first asked for
  DeviceBuffer exact_;      // only while learning or adapting
  DeviceBuffer samples_;    // only while the noise is measured
  Progress progress_;
  std::uint64_t bytes_read_ = 0;
};

} // namespace

std::unique_ptr<Segmenter> make_cuda(Device &device, const Config &config, int learn_frames) {
  return std::make_unique<CudaSegmenter>(device_cast<CudaDevice>(device), config, learn_frames);
}

} // namespace vigil::colinearseg
