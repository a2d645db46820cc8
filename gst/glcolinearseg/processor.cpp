// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/processor.h"

#include "common/error.h"
#include "gst/errors.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst::glcolinearseg {

struct SegmentProcessor::PortableModel final : FrameProcessor::PortableState {
  std::optional<colinearseg::State> state;
};

void SegmentProcessor::set_format(const FrameKind &in, const FrameKind &out) {
  in_ = in;
  out_ = out;
  const colinearseg::Config before =
      std::exchange(config_, {GST_VIDEO_INFO_WIDTH(&in.info), GST_VIDEO_INFO_HEIGHT(&in.info)});
  if (!masks_ || config_ != before)
    masks_ = std::make_unique<MaskCopies>(device_, config_.width, config_.height);
  style_ = overlay_style(out.info);
  changes_frames_ = in.cuda_memory != out.cuda_memory || in.gl_memory != out.gl_memory ||
                    GST_VIDEO_INFO_FORMAT(&in.info) != GST_VIDEO_INFO_FORMAT(&out.info);
  element_.take_format(config_.width, config_.height, changes_frames_);
}

FrameProcessor::Plan SegmentProcessor::plan(const FrameTime &time, PerFrameData *result) {
  auto &a = static_cast<Analysis &>(*result);
  a.settings = element_.settings.snapshot();
  a.start = time.passes_by ? Start{} : element_.take_start();
  a.found = {};
  const bool passes = a.settings.output == Output::passthrough && !changes_frames_;
  return {passes ? Use::inspect : Use::produce};
}

bool SegmentProcessor::is_fresh() const {
  return made_ != config_ && !(known_ && known_->config == config_);
}

void SegmentProcessor::begin(Analysis &a) {
  const int frames = a.settings.learning.background_frames;
  const bool fresh = made_ != config_;
  bool loaded = false;
  if (fresh) {
    unmake();
    made_.reset();
    make(config_, a.settings);
    made_ = config_;
    const std::optional<colinearseg::State> known = std::exchange(known_, {});
    loaded = known && known->config == config_;
    if (loaded) load(*known);
  }
  if (a.start.background)
    set_background(*a.start.background, frames);
  else if (a.start.learn && (!fresh || loaded))
    learn(frames);
  a.start = {};
}

FrameBlobs SegmentProcessor::found_in(MaskBlobs::Result &&found) const {
  return {double(found.area) / (double(config_.width) * config_.height), std::move(found.boxes)};
}

std::uint32_t *SegmentProcessor::wanted_labels(Analysis &a) {
  return a.settings.reports.attach_mask ? masks_->labels(a.attached) : nullptr;
}

void SegmentProcessor::publish(BufferPtr &buffer, const FrameTask &task) {
  Analysis &a = analysis_of(task);
  const bool attach = a.settings.reports.attach_mask;
  if (attach || !a.found.boxes.empty()) buffer.reset(gst_buffer_make_writable(buffer.release()));
  add_boxes(buffer.get(), "motion", a.found.boxes);
  if (attach) MaskCopies::attach(buffer.get(), a.attached, 0);
  element_.motion_time = GST_CLOCK_TIME_IS_VALID(task.time.running)
                             ? task.time.running
                             : element_.motion_time + duration_of(in_.info, task.time);
  element_.last_time = task.time;
  const MotionSettings &motion = a.settings.motion;
  const Motion::Change change = element_.motion.step(a.found.changed_fraction, motion, element_.motion_time);
  post_motion(element_.gst(), change, element_.motion, motion, task.time, a.found.changed_fraction,
              a.found.boxes);
}

std::optional<colinearseg::State> SegmentProcessor::rescue() {
  if (!made_) return std::move(known_);
  try {
    if (!lost()) return save();
  } catch (const Error &e) {
    GST_WARNING("what was in the old OpenGL context or CUDA device cannot be read: %s", e.what());
  }
  return take_kept();
}

std::unique_ptr<FrameProcessor::PortableState> SegmentProcessor::export_state() {
  auto model = std::make_unique<PortableModel>();
  model->state = rescue();
  return model;
}

void SegmentProcessor::import_state(std::unique_ptr<PortableState> state) {
  known_ = std::move(static_cast<PortableModel &>(*state).state);
}

colinearseg::Show show_for(Output o) {
  using colinearseg::Show;
  switch (o) {
  case Output::overlay:
    return Show::overlay;
  case Output::cutout:
    return Show::cutout;
  case Output::background:
    return Show::background;
  default:
    return Show::mask;
  }
}

} // namespace vigil::gst::glcolinearseg
