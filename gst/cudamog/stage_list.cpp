// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stage_list.h"

#include "common/error.h"
#include "common/on_device_thread.h"
#include "gst/cudamog/stages/background.h"
#include "gst/cudamog/stages/blobs.h"
#include "gst/cudamog/stages/cleanup.h"
#include "gst/cudamog/stages/compose.h"
#include "gst/cudamog/stages/contours.h"
#include "gst/cudamog/stages/exposure.h"
#include "gst/cudamog/stages/ghosts.h"
#include "gst/cudamog/stages/learning_rate.h"
#include "gst/cudamog/stages/light_jump.h"
#include "gst/cudamog/stages/local_light.h"
#include "gst/cudamog/stages/mixture.h"
#include "gst/cudamog/stages/motion_gate.h"
#include "gst/cudamog/stages/recall_light.h"
#include "gst/cudamog/stages/region_of_interest.h"
#include "gst/cudamog/stages/small_objects.h"
#include "gst/cudamog/stages/stabilize.h"
#include "gst/cudamog/stages/tamper.h"
#include "gst/cudamog/stages/views.h"

#include <cstddef>
#include <utility>

namespace vigil::gst::cudamog {

std::vector<std::unique_ptr<Stage>> make_stages(Device &device, BackgroundModel &model,
                                                tamper::TamperDetector &tamper_detector) {
  auto background = std::make_unique<BackgroundStage>(device, model);
  auto ghosts = std::make_unique<GhostsStage>();
  auto cleanup = std::make_unique<CleanupStage>(device);
  auto small_objects = std::make_unique<SmallObjectsStage>(*cleanup);
  BorderedPicture &picture = background->picture();
  ghost::StationaryRegions &regions = ghosts->stationary_regions();

  std::vector<std::unique_ptr<Stage>> list;
  list.push_back(std::make_unique<RegionOfInterestStage>(device));
  list.push_back(std::make_unique<TamperStage>(device, tamper_detector));
  list.push_back(std::make_unique<LearningRateStage>(model));
  list.push_back(std::move(background));
  list.push_back(std::make_unique<StabilizeStage>(device, picture));
  list.push_back(std::make_unique<ExposureStage>(device, model));
  list.push_back(std::make_unique<MixtureStage>(device, model));
  list.push_back(std::move(cleanup));
  list.push_back(std::make_unique<BlobsStage>(device));
  list.push_back(std::make_unique<ContoursStage>(device));
  list.push_back(std::make_unique<ViewsStage>(device, model, tamper_detector));
  list.push_back(std::make_unique<RecallLightStage>(model));
  list.push_back(std::make_unique<LightJumpStage>());
  list.push_back(std::make_unique<LocalLightStage>(regions));
  list.push_back(std::make_unique<MotionGateStage>());
  list.push_back(std::move(ghosts));
  list.push_back(std::move(small_objects));
  list.push_back(std::make_unique<ComposeStage>(device, model));
  return list;
}

StageList::StageList(Device &device, BackgroundModel &model, std::vector<std::unique_ptr<Stage>> stages)
    : device_(device), model_(model), stages_(std::move(stages)), times_(stages_.size()) {
  if (stages_.size() > 32) fail(Error::Kind::bad_setting, stages_.size(), " stages are more than 32");
  for (std::size_t i = 0; i < stages_.size(); i++) {
    stages_[i]->index = i;
    times_[i].stage = stages_[i]->name();
  }
}

void StageList::set_format(const Format &format) {
  format_ = format;
  configured_ = 0;
  on_device_thread(device_, [&] {
    model_.set_format(format);
    for (const auto &stage : stages_) stage->set_format(format);
  });
}

std::unique_ptr<FrameContext> StageList::make_frame() const {
  auto frame = std::make_unique<FrameContext>();
  on_device_thread(device_, [&] {
    for (const auto &stage : stages_) frame->data.push_back(stage->make_data());
  });
  frame->detections.cells.resize(std::size_t(format_.grid.cells()));
  return frame;
}

void StageList::start_over(Restart restart) {
  if (restart == Restart::none) return;
  feedback_.start_over(restart);
  for (const auto &stage : stages_) stage->start_over(restart);
}

// The first frame of other settings or of another format.
void StageList::configure(const FrameContext &first, Queue &queue) {
  if (configured_ == first.settings_number) return;
  std::uint32_t on = 0;
  for (std::size_t i = 0; i < stages_.size(); i++) {
    start_over(stages_[i]->configure(first.settings, queue));
    if (stages_[i]->is_on(first.settings)) on |= std::uint32_t{1} << i;
  }
  on_ = on;
  configured_ = first.settings_number;
}

void StageList::submit(std::span<FrameContext *const> frames, Queue &queue) {
  FrameGroup group{frames};
  configure(*frames.front(), queue);
  for (FrameContext *f : frames) {
    f->stages = on_;
    f->learning = {};
    f->sketched = {};
    f->another_view = f->of_view_before = false;
    f->background = {};
    f->compensated = f->input;
    f->small_objects = nullptr;
    f->contours = {};
    f->detections.lit = {};
    f->detections.dropped = false;
    f->report = {};
    f->bytes = 0;
  }
  const bool timed = group.settings().diagnostics.stage_times;
  for (std::size_t i = 0; i < stages_.size(); i++) {
    if (!(on_ >> i & 1)) continue;
    const HostTime time(timed ? &times_[i].submit : nullptr);
    stages_[i]->prepare(group, feedback_, queue);
    start_over(std::exchange(group.restart, Restart::none));
  }
  on_device_thread(device_, [&] { submit_stages(group, queue); });
  feedback_.requests = {};
}

void StageList::submit_stages(FrameGroup &group, Queue &queue) {
  const bool timed = group.settings().diagnostics.stage_times;
  for (std::size_t i = 0; i < stages_.size(); i++) {
    if (!(on_ >> i & 1)) continue;
    if (timed) {
      times_[i].frames += group.frames.size();
      const HostTime time(&times_[i].submit);
      group.frames.front()->timers.measure(i, device_, queue,
                                           [&] { stages_[i]->submit(group, feedback_, queue); });
    } else {
      stages_[i]->submit(group, feedback_, queue);
    }
    start_over(std::exchange(group.restart, Restart::none));
  }
}

void StageList::pass_by(FrameContext &f, Queue &queue) {
  on_device_thread(device_, [&] {
    for (const auto &stage : stages_)
      if (stage->is_on(f.settings)) stage->pass_by(f, queue);
  });
}

void StageList::fetch(FrameContext &f, Queue &queue) {
  on_device_thread(device_, [&] {
    for (std::size_t i = 0; i < stages_.size(); i++)
      if (f.stages >> i & 1) stages_[i]->fetch(f, queue);
  });
}

void StageList::finish(FrameContext &f, Queue &queue) {
  const bool timed = f.settings.diagnostics.stage_times;
  for (std::size_t i = 0; i < stages_.size(); i++) {
    const HostTime time(timed ? &times_[i].finish : nullptr);
    if (f.stages >> i & 1)
      stages_[i]->finish(f, feedback_, queue);
    else if (finished_ >> i & 1)
      stages_[i]->turned_off(f, feedback_);
  }
  finished_ = f.stages;
  if (timed) f.timers.add_to(times_);
  bytes_ += f.bytes;
}

} // namespace vigil::gst::cudamog
