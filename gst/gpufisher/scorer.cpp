// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/scorer.h"

#include "gst/gpufisher/debug.h"

#include <algorithm>
#include <exception>

namespace vigil::gst::gpufisher {

// One frame that is held, and its memory; used again and again.
struct Scorer::Frame {
  Frame(Device &device, const FrameKind &kind, const fisher::Encoder &encoder)
      : reader(device, kind), vector(device, sizeof(float) * std::size_t(encoder.vector_length())),
        scores(device, sizeof(float) * std::size_t(std::max(1, encoder.classes()))),
        host_vector(device, vector.bytes()), host_scores(device, scores.bytes()),
        uploaded(device.make_event()), done(device.make_event()), timer(device.make_timer()) {}

  FrameSlot reader;
  DeviceBuffer vector, scores;
  HostBuffer host_vector, host_scores;
  std::unique_ptr<Event> uploaded, done;
  std::unique_ptr<Timer> timer;

  BufferPtr buffer;
  FrameTime time;
  bool score = false, want_vector = false;

  void close() {
    reader.close();
    buffer.reset();
  }
};

Scorer::Scorer(Device &device, std::shared_ptr<const fisher::Model> model, const Stats &stats)
    : device_(device), model_(std::move(model)), upload_(device.make_queue()), compute_(device.make_queue()),
      stats_(stats) {}

Scorer::~Scorer() {
  discard();
}

void Scorer::build(std::shared_ptr<const fisher::Model> model, const FrameKind &kind) {
  const int width = GST_VIDEO_INFO_WIDTH(&kind.info), height = GST_VIDEO_INFO_HEIGHT(&kind.info);
  auto extractor = fisher::make(device_, width, height, model->sift);
  const int descriptors = extractor->layout().descriptors;
  auto encoder = fisher::make(device_, model->codebook, model->classifier, descriptors);
  discard();
  free_.clear();
  frames_.clear();
  extractor_ = std::move(extractor);
  encoder_ = std::move(encoder);
  model_ = std::move(model);
  stats_.descriptors = descriptors;
}

void Scorer::set_format(const FrameKind &kind) {
  build(model_, kind);
  kind_ = kind;
}

void Scorer::set_model(std::shared_ptr<const fisher::Model> model) {
  if (kind_)
    build(std::move(model), *kind_);
  else
    model_ = std::move(model);
}

Scorer::Frame &Scorer::take_frame() {
  if (free_.empty()) {
    frames_.push_back(std::make_unique<Frame>(device_, *kind_, *encoder_));
    free_.push_back(frames_.back().get());
  }
  Frame &f = *free_.back();
  f.close(); // ends what an exception left half done
  return f;
}

void Scorer::submit(BufferPtr buffer, const FrameTime &time, bool score, bool want_vector) {
  Frame &f = take_frame();
  f.buffer = std::move(buffer);
  f.time = time;
  f.score = score;
  f.want_vector = score && want_vector;
  if (score) {
    Queue &upload = comes_from_host() ? *upload_ : *compute_;
    const ConstImage picture = f.reader.open_for_reading(f.buffer.get(), upload, stats_.pictures);
    if (&upload != compute_.get()) {
      f.uploaded->record(upload);
      compute_->after(*f.uploaded);
    }
    f.timer->start(*compute_);
    encoder_->encode_frame(*extractor_, picture, f.vector.as<float>(), f.scores.as<float>(), *compute_);
    f.timer->stop(*compute_);
    const auto fetch = [&](const HostBuffer &to, const DeviceBuffer &from, std::size_t bytes) {
      if (bytes == 0) return;
      device_.download(to.as<void>(), from.as(), bytes, *compute_);
      if (device_.backend() != Backend::cpu) stats_.result_bytes += bytes;
    };
    fetch(f.host_scores, f.scores, sizeof(float) * std::size_t(encoder_->classes()));
    if (f.want_vector) fetch(f.host_vector, f.vector, f.vector.bytes());
    f.done->record(*compute_);
  }
  free_.pop_back();
  in_flight_.push_back(&f);
}

std::optional<Finished> Scorer::next(std::size_t allowed) {
  if (in_flight_.empty() || (in_flight_.size() <= allowed && in_flight_.front()->score)) return {};
  Frame &f = *in_flight_.front();
  Finished result;
  if (f.score) {
    f.done->wait();
    const auto *scores = f.host_scores.as<const float>();
    result.scores.assign(scores, scores + encoder_->classes());
    if (f.want_vector) result.vector.reset(g_bytes_new(f.host_vector.as<void>(), f.vector.bytes()));
    stats_.kernel_ms += stats_.kernel_last_ms = f.timer->milliseconds();
    stats_.scored++;
  }
  stats_.frames++;
  f.reader.close();
  result.time = f.time;
  result.scored = f.score;
  result.buffer = std::move(f.buffer);
  in_flight_.pop_front();
  free_.push_back(&f);
  return result;
}

void Scorer::discard() noexcept {
  try {
    for (Queue *q : {upload_.get(), compute_.get()}) q->wait();
  } catch (const std::exception &e) {
    GST_WARNING("the device failed while frames were dropped: %s", e.what());
  }
  for (Frame *f : in_flight_) {
    f->close();
    free_.push_back(f);
  }
  in_flight_.clear();
}

} // namespace vigil::gst::gpufisher
