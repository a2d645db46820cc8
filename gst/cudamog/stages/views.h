// SPDX-License-Identifier: LGPL-2.1-or-later
// watch-camera: a camera that looks at several places in turn. The model takes up what was background the
// last time that the camera looked at this place; a place that is new is learnt at once.
//
// finish() asks which view the sketch of the frame shows (tamper/known_views.h). A frame by which the view
// changes says nothing about objects, nor do those that were submitted before the change took effect. A view
// that is known is no camera that was moved. Feedback: view; keep_view where a sketch is the first that shows
// something else.
//
// prepare() then makes the model start from the background of the view that is shown. Where there is none,
// the group shows a new view. When the view may change, and before another light is learnt, it keeps the
// background of the view that the model describes, if the model learnt `enough` frames of it. Pictures are
// written and read in the order of the queue; only method mog waits for the device. Source: this project.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/device_picture.h"
#include "gst/cudamog/stage.h"
#include "kernels/tamper/known_views.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace vigil::gst::cudamog {

class ViewsStage final : public Stage {
 public:
  // `detector` is that of tamper.h, which makes the sketches and comes before this stage, as the mask does.
  ViewsStage(Device &device, BackgroundModel &model, tamper::TamperDetector &detector)
      : device_(device), model_(model), detector_(detector) {}
  const char *name() const override { return "views"; }
  bool is_on(const Settings &s) const override { return s.tuning.watch_camera; }
  void set_format(const Format &) override;
  std::unique_ptr<StageData> make_data() override { return std::make_unique<Data>(); }
  void prepare(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void turned_off(FrameContext &, Feedback &) override { forget(); }
  void start_over(Restart) override;

 private:
  struct Data final : StageData {
    std::uint64_t changes = 0; // of the view, before this frame was submitted
  };
  struct Picture {
    std::optional<DevicePicture> memory; // made when a view is left for the first time
    bool holds = false;                  // the background of the view at this place in the list
  };
  void forget();
  void keep(Queue &);
  void take_up(const Picture &, const mog::Params &, Queue &);

  Device &device_;
  BackgroundModel &model_;
  tamper::TamperDetector &detector_;
  PixelFormat format_{};
  int width_ = 0, height_ = 0;
  tamper::KnownViews views_;
  std::array<Picture, tamper::KnownViews::most> pictures_;
  std::size_t described_ = 0;  // place of the view that the model describes
  std::uint64_t changes_ = 0;  // of the view, that were found
  DeviceBuffer mask_;          // that nobody looks at
  std::uint64_t began_at_ = 0; // the model's frames when view or light changed last
  std::uint64_t light_at_ = 0; // and when a light jump began to learn all anew; 0: never
  // Frames that make a picture of the background. At 5 frames a second a tour may stay for 30.
  static constexpr std::uint64_t enough = 20;
  // Share of the picture. With less foreground and shadow the model explains the frame.
  static constexpr double least_changed = 0.04;
  // Frames after a light jump within which those that it learns fast show a new view long enough.
  static constexpr std::uint64_t still_learns = Feedback::relearn_frames * 2 / 3;
};

} // namespace vigil::gst::cudamog
