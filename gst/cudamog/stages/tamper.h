// SPDX-License-Identifier: LGPL-2.1-or-later
// watch-camera: is the camera covered, out of focus or moved?
//
// submit() samples a coarse grid of luma and slopes. finish() compares these, every 0.25 s of the stream,
// with what the camera showed over the last two minutes. Thresholds and times:
// kernels/tamper/tamper_detector.h; the comparison of slopes: kernels/tamper/sketch.h. Source: this project.
//
// Feedback: look asks for a comparison of the next frame. Where that one is submitted before this one is
// finished, each frame is sampled; elsewhere only those that are compared.
#pragma once

#include "gst/cudamog/stage.h"
#include "kernels/tamper/spots.h"
#include "kernels/tamper/tamper_detector.h"

#include <memory>

namespace vigil::gst::cudamog {

class TamperStage final : public Stage {
 public:
  // The detector lasts longer than the stage: what the camera shows does not depend on the device.
  TamperStage(Device &device, tamper::TamperDetector &detector)
      : device_(device), sampler_(tamper::make(device)), detector_(detector) {}
  const char *name() const override { return "tamper"; }
  bool is_on(const Settings &s) const override { return s.tuning.watch_camera; }
  void set_format(const Format &f) override { layout_ = tamper::layout_for(f.grid.width, f.grid.height); }
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void turned_off(FrameContext &, Feedback &) override;
  void start_over(Restart) override;

 private:
  struct Data;
  bool frames_run_ahead(const Flow &) const;
  Device &device_;
  tamper::Layout layout_;
  std::unique_ptr<tamper::Sampler> sampler_;
  tamper::TamperDetector &detector_;
  bool at_once_ = false; // the next frame that is asked about is looked at
};

} // namespace vigil::gst::cudamog
