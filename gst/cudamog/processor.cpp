// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/processor.h"

#include "common/error.h"
#include "gst/cudamog/debug.h"
#include "gst/memory/high_bytes_mapping.h"
#include "gst/metadata/overlay.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst::cudamog {
namespace {

struct SavedModelState final : FrameProcessor::PortableState {
  std::optional<mog::SavedModel> model;
};

// What belongs to one frame.
struct PerFrame final : FrameProcessor::PerFrameData {
  explicit PerFrame(std::unique_ptr<FrameContext> c) : context(std::move(c)) {}
  std::unique_ptr<FrameContext> context;
  MaskCopies::Frame attached;
};
PerFrame &frame_of(const FrameProcessor::FrameTask &task) {
  return static_cast<PerFrame &>(*task.result);
}

Format format_of(const FrameKind &in, const FrameKind &out) {
  Format f;
  f.pixels = pixel_format(in.info);
  f.grid = cell_grid::grid_for(GST_VIDEO_INFO_WIDTH(&in.info), GST_VIDEO_INFO_HEIGHT(&in.info));
  f.v_first = has_v_first(in.info);
  // By the caps; video range where they say nothing.
  f.full_range = in.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  if (in.info.fps_n > 0) f.frame_seconds = double(in.info.fps_d) / in.info.fps_n;
  const auto [kr, kb] = luma_weights(in.info);
  f.colours = exposure::colours_for(kr, kb, f.full_range, f.v_first);
  f.style = overlay_style(out.info);
  return f;
}

} // namespace

MogProcessor::MogProcessor(Device &device, Session &session)
    : device_(device), session_(session), model_(device),
      stages_(device, model_, make_stages(device, model_, session.tamper_detector)) {}

void MogProcessor::set_format(const FrameKind &in, const FrameKind &out) {
  const int width = GST_VIDEO_INFO_WIDTH(&in.info), height = GST_VIDEO_INFO_HEIGHT(&in.info);
  if (!masks_ || width != GST_VIDEO_INFO_WIDTH(&in_.info) || height != GST_VIDEO_INFO_HEIGHT(&in_.info))
    masks_ = std::make_unique<MaskCopies>(device_, width, height);
  in_ = in;
  out_ = out;
  in_.info = eight_bit_info(in.info); // the mappings give pictures of 8 bits
  out_.info = eight_bit_info(out.info);
  stages_.set_format(format_of(in_, out_));
}

std::unique_ptr<FrameProcessor::PerFrameData> MogProcessor::make_frame_data() {
  return std::make_unique<PerFrame>(stages_.make_frame());
}

// A change of output that needs other caps waits for their negotiation.
Output MogProcessor::output_for(Output wanted) {
  Output &last = session_.last_output;
  const bool grey_out = GST_VIDEO_INFO_FORMAT(&out_.info) == GST_VIDEO_FORMAT_GRAY8;
  const bool grey_in = GST_VIDEO_INFO_FORMAT(&in_.info) == GST_VIDEO_FORMAT_GRAY8;
  if (grey_in || (wanted == Output::mask) == grey_out) return last = wanted;
  if ((last == Output::mask) != grey_out) last = grey_out ? Output::mask : Output::passthrough;
  return last;
}

FrameProcessor::Plan MogProcessor::plan(const FrameTime &time, PerFrameData *result) {
  FrameContext &f = *static_cast<PerFrame &>(*result).context;
  f.settings = session_.settings.snapshot();
  f.settings.output = output_for(f.settings.output);
  f.seconds = time.seconds;
  const bool apart = f.settings != current_;
  if (apart) {
    current_ = f.settings;
    settings_number_++;
  }
  f.settings_number = settings_number_;
  return {f.settings.output == Output::passthrough ? Use::inspect : Use::produce, f.settings.flow.group_size,
          apart};
}

void MogProcessor::run(std::span<FrameTask *const> tasks, Queue &queue) {
  group_.clear();
  for (FrameTask *task : tasks) {
    FrameContext &f = *frame_of(*task).context;
    f.input = task->in;
    f.output = task->out;
    task->late = f.settings.output == Output::overlay;
    group_.push_back(&f);
  }
  stages_.submit(group_, queue);
  session_.stats.model_frames = model_.frames();
  session_.stats.precision = model_.precision();
}

void MogProcessor::fetch(FrameTask &task, Queue &queue) {
  PerFrame &frame = frame_of(task);
  stages_.fetch(*frame.context, queue);
  if (frame.context->settings.reports.attach_mask) masks_->fetch(frame.context->mask, frame.attached, queue);
}

void MogProcessor::complete(FrameTask &task, Queue &queue) {
  PerFrame &frame = frame_of(task);
  stages_.finish(*frame.context, queue);
  const Settings &settings = frame.context->settings;
  if (settings.reports.attach_mask) mask_bytes_ += masks_->take(frame.attached);
  session_.stats.set(frame.context->report,
                     settings.diagnostics.stage_times ? stages_.times() : std::span<const StageTime>{});
}

void MogProcessor::pass_by(FrameTask &task, Queue &queue) {
  FrameContext &f = *frame_of(task).context;
  f.input = task.in;
  f.output = task.out;
  stages_.pass_by(f, queue);
}

void MogProcessor::publish(BufferPtr &buffer, const FrameTask &task) {
  PerFrame &frame = frame_of(task);
  const bool attach = frame.context->settings.reports.attach_mask;
  session_.publisher.publish(buffer, task.time, *frame.context, attach ? &frame.attached : nullptr);
}

void MogProcessor::reset() {
  GST_INFO("the model is learnt anew");
  stages_.start_over(Restart::all);
  model_.clear();
  session_.stats.model_frames = model_.frames();
}

void MogProcessor::load(mog::SavedModel saved) {
  if (!model_.load(std::move(saved))) return;
  GST_INFO("a saved model takes the place of the learnt one");
  stages_.start_over(Restart::model);
  session_.stats.model_frames = model_.frames();
}

// A model that waits for the first frame goes along as well.
std::unique_ptr<FrameProcessor::PortableState> MogProcessor::export_state() {
  auto state = std::make_unique<SavedModelState>();
  try {
    state->model = model_.hand_over();
  } catch (const Error &e) { // of a device that failed, or whose thread has ended
    session_.lost.emplace(e.kind(), text("the model is lost with its device, and learnt again: ", e.what()));
  }
  return state;
}

void MogProcessor::import_state(std::unique_ptr<PortableState> state) {
  if (std::optional<mog::SavedModel> &model = static_cast<SavedModelState &>(*state).model)
    model_.load(std::move(*model));
}

} // namespace vigil::gst::cudamog
