// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stored_stream.h"

#include "stream_pipeline.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {
namespace {

// Seconds by which the stream that is looked at may be later than the stored one.
constexpr double most_late = 3;

std::shared_ptr<Recording> make_recording(const std::string &camera,
                                          const std::shared_ptr<CameraServices> &services,
                                          const std::shared_ptr<std::atomic<double>> &offset,
                                          const std::shared_ptr<PreviewMaker> &previews) {
  const auto to_utc = [services, offset] {
    const double now = services->utc().now();
    return now - services->utc().steady(now) - *offset;
  };
  const auto warning = [services, camera](const std::string &text) { services->log(camera + ": " + text); };
  return std::make_shared<Recording>(camera, services->recordings(),
                                     Recording::Clock{Utc::monotonic_seconds, to_utc}, warning,
                                     [previews](const KeyPicture &k) { previews->add(k); });
}

std::shared_ptr<PreviewMaker> make_previews(const std::string &camera,
                                            const std::shared_ptr<CameraServices> &services) {
  return std::make_shared<PreviewMaker>(PreviewMaker::Calls{
      [disk = services->recordings()](const std::string &segment, std::int64_t at, const std::string &jpeg) {
        disk->add([=] { disk->preview(segment, at, jpeg); });
      },
      [services, camera](const std::string &text) { services->log(camera + ": " + text); }});
}

} // namespace

StoredStream::StoredStream(const CameraConfig &config, std::shared_ptr<CameraServices> services)
    : config_(config), services_(std::move(services)), previews_(make_previews(config.name, services_)),
      recording_(make_recording(config.name, services_, offset_, previews_)) {}

void StoredStream::connection_begins(RecorderNews news) {
  // Where all is recorded the disk has what was before an event.
  const double before = config_.record.enabled && !config_.records_all() ? config_.record.pre_capture : 0;
  finished_ = news.finished;
  kept_more_ = config_.records_apart() ? most_late : 0;
  recorder_ = std::make_shared<Recorder>(before + kept_more_, services_->clips(), std::move(news));
  frames_lost_ = 0;
}

void StoredStream::connect(StreamEvents &e) const {
  const auto recorder = recorder_;
  const auto recording = recording_;
  const auto previews = previews_;
  const bool all = config_.records_all();
  e.record_caps = [=](GstCaps *caps) {
    recorder->caps(caps);
    recording->video_caps(caps);
    if (all) previews->caps(caps);
  };
  e.record_frame = [=](GstBuffer *b, double time) {
    recorder->frame(b, time);
    recording->video(b, time);
  };
  e.sound_caps = [=](GstCaps *caps) { recording->sound_caps(caps); };
  e.sound = [=](GstBuffer *b, double time) { recording->sound(b, time); };
}

void StoredStream::align(double offset) {
  constexpr double small = 0.05, most = 10; // a larger one is of clocks that are not the same
  if (std::abs(offset) > most || std::abs(offset - *offset_) < small) return;
  *offset_ = offset;
  recording_->clock_set();
}

void StoredStream::reset() {
  if (recorder_) recorder_->reset();
}

void StoredStream::stop_recording(const char *why) {
  recording_->stop(why);
  finish_parts(true);
}

void StoredStream::broke_off(const char *why) {
  recording_->broke_off(why);
  finish_parts(true);
}

void StoredStream::part_over(const std::string &event, const ClipSpan &span) {
  parts_.push_back({event, span, Utc::monotonic_seconds()});
  finish_parts(false);
}

// The disk's thread looks at what there is after it has written all that was handed to it before.
void StoredStream::finish_parts(bool all) {
  constexpr double patience = 5;
  std::erase_if(parts_, [&](const Part &p) {
    if (!all && !recording_->has_handed(micros(p.span.to)) && Utc::monotonic_seconds() - p.since < patience)
      return false;
    const std::int64_t from = micros(p.span.from + p.span.utc), to = micros(p.span.to + p.span.utc);
    const auto look = [disk = services_->recordings(), camera = config_.name, from, to, event = p.event,
                       finished = finished_] { finished(event, disk->clip(camera, from, to)); };
    return services_->recordings()->add_needed(look);
  });
}

void StoredStream::tick() {
  recording_->tick();
  finish_parts(false);
  if (std::exchange(wrote_clips_, writes_clips()) != wrote_clips_) services_->changed(config_.name);
  tell_losses();
}

void StoredStream::tell_losses() {
  const double now = Utc::monotonic_seconds();
  if (const std::uint64_t lost = recorder_ ? recorder_->lost() : 0; lost != frames_lost_) {
    frames_lost_ = lost;
    if (slow_disk_.failed(now))
      services_->log(config_.name + ": the disk is so slow that frames of clips are lost");
  } else if (slow_disk_.worked(now)) {
    services_->log(config_.name + ": the disk takes all frames of clips again");
  }
}

EventClips::Kind StoredStream::begin_clip(const std::string &event, const std::string &path, double time,
                                          double utc) {
  if (!recorder_) return Kind::none;
  if (config_.records_all())
    return recorder_->begin_part(event, time + *offset_ - config_.record.pre_capture, utc - *offset_)
               ? Kind::part_of_recording
               : Kind::none;
  // The recorder begins as long before this time as it keeps.
  return recorder_->begin(event, path, time + *offset_ + kept_more_, utc - *offset_) ? Kind::file
                                                                                     : Kind::none;
}

void StoredStream::end_clip(const std::string &event, double time) {
  if (recorder_) recorder_->end_after(event, time + *offset_);
}

} // namespace vigil::monitor
