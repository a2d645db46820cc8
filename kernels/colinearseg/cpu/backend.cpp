// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend: state in memory, and the order of what is done with its rows (cpu/) on all threads. All is
// done when a call returns.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/colinearseg/cpu/rows.h"
#include "kernels/colinearseg/packed.h"
#include "kernels/colinearseg/segmenter.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace vigil::colinearseg {
namespace {

using namespace cpu;

class CpuSegmenter final : public Segmenter {
 public:
  CpuSegmenter(CpuDevice &d, const Config &c, int learn_frames)
      : device_(d), config_(c), composer_(compose::make_cpu(d)) {
    check_config(c);
    labels_ = bit_plane(c.height);
    none_ = bit_plane(1);
    for (Owned<BitPlane> &t : thresholds_) {
      t = bit_plane(digits * c.height);
      // What is no pixel stays at 15, which is never reached.
      std::fill_n(t.data, t.size(t.height), ~std::uint64_t{0});
    }
    background_ = rows(4);
    mask_ = rows(1);
    samples_.resize(4096);
    learn(learn_frames);
  }

  const Config &config() const override { return config_; }
  const Progress &progress() const override { return progress_; }
  std::uint64_t bytes_read() const override { return 0; }

  void learn(int learn_frames) override {
    const Progress begun = new_progress(learn_frames);
    make_exact();
    std::memset(exact_.data, 0, exact_.memory.bytes());
    begin(begun, std::vector<std::uint8_t>(background_.memory.bytes()));
  }

  void set_background(ConstImage image, int learn_frames) override {
    check_picture(image, config_);
    const Progress begun = new_progress(learn_frames, true);
    const std::vector<std::uint8_t> packed = packed_background(image, background_.stride);
    drop_exact();
    begin(begun, packed);
  }

  void segment(ConstImage frame, const Params &params, Queue &) override {
    check_frame(frame);
    const Rgba colours = frame.plane(0);
    if (progress_.measures_next()) {
      const SampleGrid grid = sample_grid(config_);
      samples(colours, background_, grid, samples_.data());
      add_frame(progress_.noise, std::span(samples_).first(std::size_t(grid.columns) * grid.rows));
    }
    if (progress_.learning()) {
      const int count = progress_.learnt + 1;
      each_band([&](int first, int last) { cpu::learn(colours, exact_, count, background_, first, last); });
      progress_.learnt = count;
      if (!progress_.learning()) drop_exact();
      return;
    }

    const Constants c = resolve(params, progress_.noise);
    if (c.adapt > 0 && !exact_.data) { // before all else: it may fail
      make_exact();
      for (std::size_t i = 0; i < 3 * std::size_t(config_.width) * config_.height; i++)
        exact_at(i) = std::uint32_t{background_at(i)} << 16;
    }
    const bool same = c.temporal_compactness == c.compactness;
    each_band([&](int first, int last) {
      thresholds(colours, background_, c, same ? BitPlane{} : BitPlane(thresholds_[0]), thresholds_[1], first,
                 last);
    });
    for (int i = 0; i <= c.iterations; i++)
      for (const int position : permutation(c.seed, progress_.frames, i))
        device_.parallel(config_.height, rows_of(field_grain), [&](int first, int last) {
          decide(labels_, none_, thresholds_[i > 0 || same], position, first, last);
        });
    progress_.frames++;
    each_band([&](int first, int last) {
      spread(labels_, mask_, first, last);
      if (c.adapt > 0) adapt(colours, labels_, exact_, c.adapt, background_, first, last);
    });
  }

  void draw(Show show, ConstImage frame, const compose::Style &style, Image target, Queue &queue) override {
    check_frame(frame);
    check_frame(target);
    if (show == Show::overlay) return composer_->overlay(frame, mask_, {}, style, target, queue);
    each_band([&](int first, int last) {
      for (int y = first; y < last; y++) draw_row(show, frame.plane(0).row(y), y, target.plane(0).row(y));
    });
  }

  void outline(std::span<const compose::DrawnBox> boxes, const compose::Style &style, Image target,
               Queue &queue) override {
    check_frame(target);
    if (boxes.empty()) return;
    compose::Style lines = style; // the tints are in the picture
    lines.tint.strength = lines.shadow_tint.strength = 0;
    composer_->overlay(target, mask_, boxes, lines, target, queue);
  }

  Plane<const std::uint8_t> mask(Queue &) override { return mask_; }

  void fetch_labels(std::uint32_t *to, Queue &) override {
    const int words = words_of(config_.width);
    for (int y = 0; y < config_.height; y++, to += words)
      for (int k = 0; k < words; k++)
        to[k] = static_cast<std::uint32_t>(labels_.row(y)[k / 2] >> 32 * (k % 2));
  }

  State save() const override {
    State s = empty_state(config_, 1);
    static_cast<Progress &>(s) = progress_;
    unpack_background({background_.data, background_.memory.bytes()}, background_.stride, s);
    for (int y = 0; y < config_.height; y++)
      std::copy_n(mask_.row(y), config_.width, &s.mask[std::size_t(y) * config_.width]);
    if (!exact_.data) s.exact.clear();
    for (std::size_t i = 0; i < s.exact.size(); i++) s.exact[i] = exact_at(i);
    return s;
  }

  void load(const State &s) override {
    check_fits(s, config_);
    const std::vector<std::uint8_t> packed = packed_background(s, background_.stride);
    drop_exact();
    if (!s.exact.empty()) make_exact();
    begin(s, packed);
    for (std::size_t i = 0; i < s.exact.size(); i++) exact_at(i) = s.exact[i];
    for (int y = 0; y < config_.height; y++)
      for (int x = 0; x < config_.width; x++)
        if (s.mask[std::size_t(y) * config_.width + x]) labels_.row(y)[x / 64] |= std::uint64_t{1} << x % 64;
    each_band([&](int first, int last) { spread(labels_, mask_, first, last); });
  }

 private:
  // Pixels that are worth a thread: for whole passes, and for one position of the field, which takes a
  // hundredth of the time.
  static constexpr int pass_grain = 1 << 14, field_grain = 1 << 20;
  int rows_of(int pixels) const { return std::max(pixels / config_.width, 2); }
  template <class Work>
  void each_band(const Work &work) {
    device_.parallel(config_.height, rows_of(pass_grain), work);
  }

  // A view, and the memory that it shows.
  template <class View>
  struct Owned : View {
    DeviceBuffer memory;
  };
  Owned<BitPlane> bit_plane(int height) const {
    Owned<BitPlane> p{{nullptr, config_.width, height}, {}};
    p.memory = DeviceBuffer(device_, p.size(height) * sizeof(std::uint64_t));
    p.data = p.memory.as<std::uint64_t>();
    std::memset(p.data, 0, p.memory.bytes());
    return p;
  }
  int padded_width() const { return (config_.width + 63) / 64 * 64; }
  Owned<Plane<std::uint8_t>> rows(int bytes) const {
    const std::ptrdiff_t stride = std::ptrdiff_t{bytes} * padded_width();
    DeviceBuffer memory(device_, std::size_t(stride) * config_.height);
    std::memset(memory.as(), 0, memory.bytes());
    return {{memory.as<std::uint8_t>(), config_.width, config_.height, stride}, std::move(memory)};
  }

  // Value i of State::exact and of State::background among ours.
  std::uint32_t &exact_at(std::size_t i) const {
    const std::size_t pixel = i / 3, width = std::size_t(config_.width);
    return exact_.row(int(i % 3), int(pixel / width))[pixel % width];
  }
  std::uint8_t background_at(std::size_t i) const {
    const std::size_t pixel = i / 3, width = std::size_t(config_.width);
    return background_.row(int(pixel / width))[4 * (pixel % width) + i % 3];
  }
  void make_exact() {
    if (exact_.data) return;
    DeviceBuffer memory(device_, 3 * sizeof(std::uint32_t) * std::size_t(padded_width()) * config_.height);
    std::memset(memory.as(), 0, memory.bytes());
    exact_ = {{memory.as<std::uint32_t>(), padded_width(), config_.height}, std::move(memory)};
  }
  void drop_exact() { exact_ = {}; }

  // The background is these bytes and nothing is foreground.
  void begin(const Progress &progress, const std::vector<std::uint8_t> &rgba) {
    std::copy(rgba.begin(), rgba.end(), background_.data);
    std::memset(labels_.memory.as(), 0, labels_.memory.bytes());
    std::memset(mask_.memory.as(), 0, mask_.memory.bytes());
    progress_ = progress;
  }

  void check_frame(const ConstImage &image) const {
    if (image.format != PixelFormat::rgba) fail(Error::Kind::bad_setting, "frames must be rgba");
    check_picture(image, config_);
  }
  void draw_row(Show show, const std::uint8_t *frame, int y, std::uint8_t *to) const {
    const std::uint8_t *mask = mask_.row(y);
    if (show == Show::background) {
      std::memcpy(to, background_.row(y), 4 * std::size_t(config_.width));
      for (int x = 0; x < config_.width; x++) to[4 * x + 3] = 255;
    } else if (show == Show::mask) {
      for (int x = 0; x < config_.width; x++, to += 4) {
        to[0] = to[1] = to[2] = mask[x];
        to[3] = 255;
      }
    } else {
      std::memcpy(to, frame, 4 * std::size_t(config_.width));
      for (int x = 0; x < config_.width; x++) to[4 * x + 3] = mask[x];
    }
  }

  CpuDevice &device_;
  const Config config_;
  std::unique_ptr<compose::Composer> composer_;
  Owned<BitPlane> labels_, none_, thresholds_[2];
  Owned<Plane<std::uint8_t>> background_, mask_;
  Owned<Exact> exact_{}; // only while learning or adapting
  std::vector<std::uint32_t> samples_;
  Progress progress_;
};

} // namespace

std::unique_ptr<Segmenter> make_cpu(Device &device, const Config &config, int learn_frames) {
  return std::make_unique<CpuSegmenter>(device_cast<CpuDevice>(device), config, learn_frames);
}

std::unique_ptr<Segmenter> make(Device &device, const Config &config, int learn_frames) {
  return (device.backend() == Backend::cuda ? make_cuda : make_cpu)(device, config, learn_frames);
}

} // namespace vigil::colinearseg
