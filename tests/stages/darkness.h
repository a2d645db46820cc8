// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that are too dark say nothing about objects: their detections are dropped.
//   mean = sum of luma over the samples of all cells / number of samples, in grey levels 0..255
//   dark when mean < darkest
// Source: this project.
#pragma once

#include "common/host_buffer.h"
#include "gst/cudamog/stage.h"
#include "kernels/tamper/spots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace vigil::gst::cudamog {

class DarknessStage final : public Stage {
 public:
  static constexpr double darkest = 20; // grey levels
  explicit DarknessStage(Device &device) : device_(device), sampler_(tamper::make(device)) {}

  const char *name() const override { return "darkness"; }
  void set_format(const Format &f) override { layout_ = tamper::layout_for(f.grid.width, f.grid.height); }
  std::unique_ptr<StageData> make_data() override {
    return std::make_unique<Data>(device_, std::size_t(layout_.cells()));
  }
  // Only submits: the device may still be at work when it returns.
  void submit(FrameGroup &group, const Feedback &, Queue &queue) override {
    for (FrameContext *f : group.frames)
      sampler_->apply(f->input, data_of<Data>(*f).spots.as<tamper::Spot>(), queue);
  }
  // The device is done.
  void finish(FrameContext &f, Feedback &, Queue &) override {
    const std::span spots(data_of<Data>(f).spots.as<const tamper::Spot>(), std::size_t(layout_.cells()));
    double sum = 0;
    for (const tamper::Spot &s : spots) sum += s.sum;
    if (sum >= darkest * layout_.samples() * double(spots.size())) return;
    f.detections.boxes.clear();
    std::fill(f.detections.cells.begin(), f.detections.cells.end(), std::uint8_t{0});
  }

 private:
  struct Data final : StageData {
    Data(Device &device, std::size_t cells) : spots(device, cells * sizeof(tamper::Spot)) {}
    HostBuffer spots; // the device writes there
  };
  Device &device_;
  tamper::Layout layout_;
  std::unique_ptr<tamper::Sampler> sampler_;
};

} // namespace vigil::gst::cudamog
