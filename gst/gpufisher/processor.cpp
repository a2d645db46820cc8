// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/processor.h"

#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <utility>

namespace vigil::gst::gpufisher {
// What belongs to one frame.
struct FisherProcessor::Scored final : FrameProcessor::PerFrameData {
  Scored(Device &device, const fisher::Scorer &scorer)
      : vector(device, sizeof(float) * scorer.vector_floats()),
        scores(device, sizeof(float) * std::max<std::size_t>(1, scorer.score_floats())),
        host_vector(device, vector.bytes()), host_scores(device, scores.bytes()),
        joined(std::size_t(scorer.classes())) {}
  DeviceBuffer vector, scores; // of all parts
  HostBuffer host_vector, host_scores;
  std::vector<float> joined; // scores
  std::uint64_t number = 0;
  bool scored = false, want_vector = false;
};

FisherProcessor::FisherProcessor(Device &device, FisherElement &element,
                                 std::shared_ptr<const fisher::Model> model)
    : device_(device), element_(element), model_(std::move(model)) {}

void FisherProcessor::build(std::shared_ptr<const fisher::Model> model, const FrameKind &kind) {
  const int width = GST_VIDEO_INFO_WIDTH(&kind.info), height = GST_VIDEO_INFO_HEIGHT(&kind.info);
  scorer_ = std::make_unique<fisher::Scorer>(device_, width, height, *model);
  model_ = std::move(model);
  element_.descriptors = scorer_->descriptors();
}

void FisherProcessor::set_format(const FrameKind &in, const FrameKind &) {
  build(model_, in);
  kind_ = in;
}

void FisherProcessor::set_model(std::shared_ptr<const fisher::Model> model) {
  if (kind_)
    build(std::move(model), *kind_);
  else
    model_ = std::move(model);
}

std::unique_ptr<FrameProcessor::PerFrameData> FisherProcessor::make_frame_data() {
  return std::make_unique<Scored>(device_, *scorer_);
}

FrameProcessor::Plan FisherProcessor::plan(const FrameTime &time, PerFrameData *result) {
  auto &r = static_cast<Scored &>(*result);
  if (time.passes_by) return {};
  const Tuning tuning = element_.settings.read([](const Settings &s) { return s.tuning; });
  r.number = element_.frame++;
  r.scored = r.number % std::uint64_t(tuning.every) == 0;
  r.want_vector = r.scored && tuning.attach_vector;
  return {r.scored || scorer_->remembers(r.number, tuning.every) ? Use::inspect : Use::none};
}

void FisherProcessor::run(std::span<FrameTask *const> tasks, Queue &queue) {
  for (FrameTask *task : tasks) {
    auto &r = static_cast<Scored &>(*task->result);
    if (r.scored)
      scorer_->score(task->in, r.number, r.vector.as<float>(), r.scores.as<float>(), queue);
    else
      scorer_->remember(task->in, r.number, queue);
  }
}

void FisherProcessor::fetch(FrameTask &task, Queue &queue) {
  auto &r = static_cast<Scored &>(*task.result);
  if (!r.scored) return;
  const auto get = [&](const HostBuffer &to, const DeviceBuffer &from, std::size_t bytes) {
    if (bytes == 0) return;
    device_.download(to.as<void>(), from.as(), bytes, queue);
    if (device_.backend() != Backend::cpu) result_bytes_ += bytes;
  };
  get(r.host_scores, r.scores, sizeof(float) * scorer_->score_floats());
  if (r.want_vector) get(r.host_vector, r.vector, r.vector.bytes());
}

void FisherProcessor::complete(FrameTask &task, Queue &) {
  auto &r = static_cast<Scored &>(*task.result);
  if (r.scored) scorer_->join_scores(r.host_scores.as<const float>(), r.joined);
}

void FisherProcessor::publish(BufferPtr &buffer, const FrameTask &task) {
  const auto &r = static_cast<const Scored &>(*task.result);
  if (!r.scored) return;
  std::unique_ptr<GBytes, Releaser<g_bytes_unref>> vector;
  if (r.want_vector) {
    const std::size_t length = std::size_t(scorer_->vector_length());
    auto *joined = static_cast<float *>(g_malloc(sizeof(float) * length));
    scorer_->join_vector(r.host_vector.as<const float>(), {joined, length});
    vector.reset(g_bytes_new_take(joined, sizeof(float) * length));
  }
  element_.take_scores(buffer, task.time, r.joined, vector.get());
}

void FisherProcessor::flushed() {
  element_.frame = 0;
  if (scorer_) scorer_->forget();
}

} // namespace vigil::gst::gpufisher
