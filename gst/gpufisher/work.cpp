// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/work.h"

#include <algorithm>
#include <utility>

namespace vigil::gst::gpufisher {
namespace {

struct BytesUnref {
  void operator()(GBytes *b) const { g_bytes_unref(b); }
};

} // namespace

// What belongs to one frame.
struct FisherWork::Scored final : Work::Result {
  Scored(Device &device, const fisher::Encoder &encoder)
      : vector(device, sizeof(float) * std::size_t(encoder.vector_length())),
        scores(device, sizeof(float) * std::size_t(std::max(1, encoder.classes()))),
        host_vector(device, vector.bytes()), host_scores(device, scores.bytes()), classes(encoder.classes()) {
  }
  DeviceBuffer vector, scores;
  HostBuffer host_vector, host_scores;
  int classes;
  bool scored = false, want_vector = false;
};

FisherWork::FisherWork(Device &device, FisherElement &element, std::shared_ptr<const fisher::Model> model)
    : device_(device), element_(element), model_(std::move(model)) {}

void FisherWork::build(std::shared_ptr<const fisher::Model> model, const FrameKind &kind) {
  const int width = GST_VIDEO_INFO_WIDTH(&kind.info), height = GST_VIDEO_INFO_HEIGHT(&kind.info);
  auto extractor = fisher::make(device_, width, height, model->sift);
  const int descriptors = extractor->layout().descriptors;
  auto encoder = fisher::make(device_, model->codebook, model->classifier, descriptors);
  extractor_ = std::move(extractor);
  encoder_ = std::move(encoder);
  model_ = std::move(model);
  element_.descriptors = descriptors;
}

void FisherWork::set_format(const FrameKind &in, const FrameKind &) {
  build(model_, in);
  kind_ = in;
}

void FisherWork::set_model(std::shared_ptr<const fisher::Model> model) {
  if (kind_)
    build(std::move(model), *kind_);
  else
    model_ = std::move(model);
}

std::unique_ptr<Work::Result> FisherWork::make_result() {
  return std::make_unique<Scored>(device_, *encoder_);
}

Work::Plan FisherWork::plan(const FrameTime &, Result *result) {
  auto &r = static_cast<Scored &>(*result);
  const Tuning tuning = element_.settings.read([](const Settings &s) { return s.tuning; });
  r.scored = element_.frame++ % std::uint64_t(tuning.every) == 0;
  r.want_vector = r.scored && tuning.attach_vector;
  return {r.scored ? Use::look : Use::none};
}

void FisherWork::run(std::span<Job *const> jobs, Queue &queue) {
  for (Job *job : jobs) {
    auto &r = static_cast<Scored &>(*job->result);
    encoder_->encode_frame(*extractor_, job->in, r.vector.as<float>(), r.scores.as<float>(), queue);
  }
}

void FisherWork::fetch(Job &job, Queue &queue) {
  auto &r = static_cast<Scored &>(*job.result);
  const auto get = [&](const HostBuffer &to, const DeviceBuffer &from, std::size_t bytes) {
    if (bytes == 0) return;
    device_.download(to.as<void>(), from.as(), bytes, queue);
    if (device_.backend() != Backend::cpu) result_bytes_ += bytes;
  };
  get(r.host_scores, r.scores, sizeof(float) * std::size_t(r.classes));
  if (r.want_vector) get(r.host_vector, r.vector, r.vector.bytes());
}

void FisherWork::publish(BufferPtr &buffer, const Job &job) {
  const auto &r = static_cast<const Scored &>(*job.result);
  if (!r.scored) return;
  std::unique_ptr<GBytes, BytesUnref> vector;
  if (r.want_vector) vector.reset(g_bytes_new(r.host_vector.as<void>(), r.vector.bytes()));
  element_.take_scores(buffer, job.time, {r.host_scores.as<const float>(), std::size_t(r.classes)},
                       vector.get());
}

} // namespace vigil::gst::gpufisher
