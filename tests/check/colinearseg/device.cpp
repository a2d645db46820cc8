// SPDX-License-Identifier: LGPL-2.1-or-later
// The backends that work in a device's linear memory: CUDA and CPU.
#include "common/error.h"
#include "kernels/colinearseg/packed.h"
#include "kernels/colinearseg/segmenter.h"
#include "tests/check/colinearseg/rig.h"

#include <algorithm>

namespace vigil::colinearseg {
namespace {

using check::Checker;
using check::Skip;

// Frames and pictures with rows that are a little longer than they need be: at multiples of 4 bytes, or of 16
// as well.
class DeviceRig final : public Rig {
 public:
  DeviceRig(Device &d, const Config &c, int learn_frames, int padding)
      : device_(d), queue_(d.make_queue()), segmenter_(make(d, c, learn_frames)),
        stride_((4 * c.width + 15) / 16 * 16 + padding), frame_(d, std::size_t(stride_) * c.height),
        target_(d, std::size_t(stride_) * c.height) {}
  void learn(int learn_frames) override { segmenter_->learn(learn_frames); }
  void set_background(ConstImage image, int learn_frames) override {
    segmenter_->set_background(image, learn_frames);
  }
  void segment(ConstImage frame, const Params &p) override {
    segmenter_->segment(upload(frame), p, *queue_);
    queue_->wait();
  }
  State save() const override { return segmenter_->save(); }
  void load(const State &s) override { segmenter_->load(s); }
  std::vector<std::uint8_t> draw(Show show, ConstImage frame, std::span<const compose::DrawnBox> boxes,
                                 const compose::Style &style) override {
    segmenter_->draw(show, upload(frame), style, image(target_), *queue_);
    if (show == Show::overlay) segmenter_->outline(boxes, style, image(target_), *queue_);
    const int row = 4 * frame.width;
    std::vector<std::uint8_t> bytes(std::size_t(row) * frame.height);
    device_.download(bytes.data(), row, target_.as(), stride_, std::size_t(row), frame.height, *queue_);
    std::vector<std::uint32_t> labels(std::size_t(words_of(frame.width)) * frame.height);
    segmenter_->fetch_labels(labels.data(), *queue_);
    queue_->wait();
    if (show == Show::mask) check_labels(labels, bytes);
    return bytes;
  }
  std::vector<std::uint8_t> mask() override {
    const Plane<const std::uint8_t> on_device = segmenter_->mask(*queue_);
    std::vector<std::uint8_t> mask(std::size_t(on_device.width) * on_device.height);
    device_.download(mask.data(), on_device.width, on_device.data, on_device.stride,
                     std::size_t(on_device.width), on_device.height, *queue_);
    queue_->wait();
    return mask;
  }

 private:
  // The packed labels are the mask that was drawn.
  void check_labels(const std::vector<std::uint32_t> &labels, const std::vector<std::uint8_t> &drawn) const {
    const Config &c = segmenter_->config();
    std::vector<std::uint8_t> mask(std::size_t(c.width) * c.height);
    unpack_mask(labels, {mask.data(), c.width, c.height, c.width});
    for (std::size_t i = 0; i < mask.size(); i++)
      if (mask[i] != drawn[4 * i])
        fail(Error::Kind::device, "label ", i, " is ", int(mask[i]), ", drawn as ", int(drawn[4 * i]));
  }
  Image image(const DeviceBuffer &b) const {
    const Config &c = segmenter_->config();
    return {PixelFormat::rgba, c.width, c.height, {b.as<std::uint8_t>()}, {stride_}};
  }
  ConstImage upload(const ConstImage &frame) {
    device_.upload(frame_.as(), stride_, frame.data[0], frame.stride[0], std::size_t(4) * frame.width,
                   frame.height, *queue_);
    return image(frame_);
  }
  Device &device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Segmenter> segmenter_;
  std::ptrdiff_t stride_;
  DeviceBuffer frame_, target_;
};

MakeRig rig_of(Device &d, int padding) {
  return {text("rows of 16n + ", padding, " bytes"), [&d, padding](const Config &c, int learn_frames) {
            return std::make_unique<DeviceRig>(d, c, learn_frames, padding);
          }};
}

// What rows begin at makes other kernels on a GPU only.
std::vector<int> paddings(const Checker &c) {
  return c.device.backend() == Backend::cpu ? std::vector{4} : std::vector{0, 4};
}
void run_all(Checker &c) {
  for (const int padding : paddings(c)) check_segmentation(c, rig_of(c.device, padding));
}
void run_large(Checker &c) {
  check_large(c, rig_of(c.device, 0));
}
void run_results(Checker &c) {
  for (const int padding : paddings(c)) check_results(c, rig_of(c.device, padding));
}
void run_errors(Checker &c) {
  check_errors(c, rig_of(c.device, 0));
  const auto segmenter = make(c.device, {20, 10}, 2);
  const DeviceBuffer memory(c.device, 4 * 20 * 10 + 16);
  const auto segment = [&](PixelFormat format, int width, int offset) {
    segmenter->segment({format, width, 10, {memory.as<std::uint8_t>() + offset}, {4 * 20}}, {}, c.queue());
  };
  using enum Error::Kind;
  check_throws(c, "a frame in bgra", bad_setting, "rgba", [&] { segment(PixelFormat::bgra, 20, 0); });
  check_throws(c, "a frame of another size", bad_data, "19x10", [&] { segment(PixelFormat::rgba, 19, 0); });
  if (c.device.backend() == Backend::cuda)
    check_throws(c, "pixels at odd addresses", bad_setting, "4 bytes",
                 [&] { segment(PixelFormat::rgba, 20, 2); });
}

void run_times(Checker &c) {
  if (!c.benching()) throw Skip{"only with --bench"};
  for (const Config &config : {Config{320, 240}, Config{640, 480}, Config{1920, 1080}}) {
    const std::string size = text(config.width, "x", config.height, " ");
    const double n = double(config.width) * config.height;
    const auto segmenter = make(c.device, config, 1);
    check::Picture picture(c, PixelFormat::rgba, config.width, config.height),
        shown(c, PixelFormat::rgba, config.width, config.height);
    HostFrame frame(config);
    for (int t = 0; t < 2; t++) {
      paint(frame, c, t);
      const Plane<std::uint8_t> to = picture.host().plane(0);
      for (int y = 0; y < config.height; y++)
        std::copy_n(&frame.bytes[std::size_t(4) * y * config.width], 4 * config.width, to.row(y));
      picture.send();
      if (t == 0) segmenter->segment(picture.device(), {}, c.queue());
    }
    for (const float rate : {0.f, 0.005f})
      for (const int iterations : {0, 1, 2, 4, 6, 7, 8, 10}) {
        Params p;
        p.adapt_rate = rate;
        p.iterations = iterations;
        c.time(
            text(size, "iterations ", iterations, rate > 0 ? ", adapting" : ""), n,
            [&] { segmenter->segment(picture.device(), p, c.queue()); }, {}, 10);
      }
    c.time(
        size + "mask", n, [&] { segmenter->mask(c.queue()); }, {}, 10);
    c.time(
        size + "overlay", n,
        [&] { segmenter->draw(Show::overlay, picture.device(), {}, shown.device(), c.queue()); }, {}, 10);
  }
}

const check::Register cases[] = {
    check::Register{{"colinearseg/device", run_all, {Backend::cpu, Backend::cuda}}},
    check::Register{{"colinearseg/device-large", run_large, {Backend::cpu, Backend::cuda}}},
    check::Register{{"colinearseg/device-results", run_results, {Backend::cpu, Backend::cuda}}},
    check::Register{{"colinearseg/device-errors", run_errors, {Backend::cpu, Backend::cuda}}},
    check::Register{{"colinearseg/device-times", run_times, {Backend::cpu, Backend::cuda}}},
};

} // namespace
} // namespace vigil::colinearseg
