// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg on a CUDA device or on the CPU. A frame that is not RGBA becomes that first.
//
//   run()       convert -> undo the exposure -> segment -> draw -> measure blobs
//   complete()  blobs; an overlay gets its boxes, so it is sent after that
#include "gst/glcolinearseg/processor.h"
#include "gst/glcolinearseg/steady.h"
#include "gst/video/formats.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/convert/rgba.h"

#include <optional>
#include <utility>

namespace vigil::gst::glcolinearseg {
namespace {

convert::Conversion conversion_for(const GstVideoInfo &info) {
  const auto [kr, kb] = luma_weights(info);
  return {convert::matrix_for(kr, kb, info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255),
          !GST_VIDEO_INFO_HAS_ALPHA(&info)};
}

class DeviceProcessor final : public SegmentProcessor {
 public:
  DeviceProcessor(Device &device, SegmentElement &element)
      : SegmentProcessor(device, element), device_(device), converter_(convert::make(device)),
        steady_(device) {}

  void set_format(const FrameKind &in, const FrameKind &out) override {
    const colinearseg::Config before = config_;
    SegmentProcessor::set_format(in, out);
    if (!blobs_ || config_ != before)
      blobs_ = std::make_unique<MaskBlobs>(device_, config_.width, config_.height);
    conversion_ = conversion_for(in.info);
    converts_ = GST_VIDEO_INFO_FORMAT(&in.info) != GST_VIDEO_FORMAT_RGBA;
    layout_ = CopyLayout(out.info);
    steady_.set_format(layout_);
    converted_ = converts_ ? DeviceBuffer(device_, layout_.bytes()) : DeviceBuffer();
  }
  std::unique_ptr<PerFrameData> make_frame_data() override {
    return std::make_unique<Measured>(device_, *blobs_);
  }

  void run(std::span<FrameTask *const> tasks, Queue &queue) override {
    for (FrameTask *task : tasks) run(*task, static_cast<Measured &>(*task->result), queue);
  }
  void complete(FrameTask &task, Queue &queue) override {
    auto &m = static_cast<Measured &>(*task.result);
    mask_bytes_ += masks_->take(m.attached);
    if (m.measured) {
      MaskBlobs::Result found = blobs_->find(m.blobs, {});
      if (device_.backend() != Backend::cpu) blob_bytes_ += found.bytes;
      m.found = found_in(std::move(found));
    }
    if (task.late) segmenter_->outline(boxes_to_draw(m.found.boxes), style_, task.out, queue);
  }
  // Where no colour is known, black that is not there (alpha 0) says that nothing was found.
  void pass_by(FrameTask &task, Queue &queue) override {
    const Output output = analysis_of(task).settings.output;
    if (output == Output::passthrough || output == Output::overlay) {
      converter_->apply(task.in, conversion_, task.out, queue);
    } else if (output == Output::background && segmenter_) {
      segmenter_->draw(colinearseg::Show::background, as_rgba(task.in, nullptr, queue), style_, task.out,
                       queue);
    } else {
      const Plane<std::uint8_t> out = task.out.plane(0);
      for (int y = 0; y < out.height; y++)
        device_.fill(out.data + y * out.stride, 0, std::size_t(4 * out.width), queue);
    }
  }
  bool completes_ahead() const override { return true; } // a frame's blobs are its own
  std::uint64_t result_bytes() const override {
    return blob_bytes_ + mask_bytes_ + noise_bytes_ + (segmenter_ ? segmenter_->bytes_read() : 0);
  }

 private:
  struct Measured final : Analysis {
    Measured(Device &device, const MaskBlobs &of) : blobs(device, of) {}
    MaskBlobs::Frame blobs;
    bool measured = false;
  };

  void make(const colinearseg::Config &config, const Settings &s) override {
    segmenter_ = colinearseg::make(device_, config, s.learning.background_frames);
    steady_.restart();
  }
  void unmake() override {
    if (segmenter_) noise_bytes_ += segmenter_->bytes_read();
    segmenter_.reset();
  }
  void learn(int frames) override { segmenter_->learn(frames); }
  void set_background(const Picture &p, int learn_frames) override {
    steady_.restart();
    segmenter_->set_background(p.image(), learn_frames);
  }
  void load(const colinearseg::State &s) override { segmenter_->load(s); }
  colinearseg::State save() const override { return segmenter_->save(); }

  // In the memory of `target` or, without one, in our own, unless it is RGBA already.
  ConstImage as_rgba(const ConstImage &frame, const Image *target, Queue &queue) {
    if (!converts_ && !target) return frame;
    const Image to = target ? *target : layout_.at(converted_.as());
    converter_->apply(frame, conversion_, to, queue);
    return to;
  }

  void run(FrameTask &task, Measured &m, Queue &queue) {
    begin(m);
    const Settings &s = m.settings;
    const bool made = task.plan.use == Use::produce, draws = s.output != Output::passthrough;
    const ConstImage frame = as_rgba(task.in, made && !draws ? &task.out : nullptr, queue);
    const bool learning = segmenter_->progress().learning();
    const bool undo = s.exposure == Exposure::automatic;
    segmenter_->segment(steady_.apply(frame, undo, *segmenter_, style_, queue), s.params, queue);
    if (draws) segmenter_->draw(show_for(s.output), frame, style_, task.out, queue);
    m.measured = s.tuning.report && !learning;
    if (m.measured)
      blobs_->measure(segmenter_->mask(queue), frame, {s.motion.min_area, false}, m.blobs, queue);
    if (std::uint32_t *labels = wanted_labels(m)) segmenter_->fetch_labels(labels, queue);
    task.late = draws && s.output == Output::overlay && m.measured;
    const colinearseg::Progress &progress = segmenter_->progress();
    element_.report({progress, colinearseg::resolve(s.params, progress.noise), "none", {}, {}});
  }

  Device &device_;
  std::unique_ptr<convert::Converter> converter_;
  std::unique_ptr<MaskBlobs> blobs_;
  std::unique_ptr<colinearseg::Segmenter> segmenter_;
  Steady steady_;
  convert::Conversion conversion_;
  bool converts_ = false; // what comes is not RGBA
  DeviceBuffer converted_;
  CopyLayout layout_; // of converted_
  std::uint64_t blob_bytes_ = 0, noise_bytes_ = 0;
};

} // namespace

std::unique_ptr<SegmentProcessor> make_device_work(Device &device, SegmentElement &element) {
  return std::make_unique<DeviceProcessor>(device, element);
}

} // namespace vigil::gst::glcolinearseg
