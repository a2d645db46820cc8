// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip.h"

#include "common/error.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vigil::monitor {

Recorder::Recorder(double pre_capture, std::shared_ptr<ClipThreads> threads, RecorderNews news)
    : pre_capture_(pre_capture), threads_(std::move(threads)), news_(std::move(news)) {}

void Recorder::announce(std::unique_lock<std::mutex> &guard) {
  const auto unwritten = std::exchange(unwritten_, {});
  const auto over = std::exchange(over_, {});
  const auto warning = std::exchange(warning_, std::nullopt);
  guard.unlock();
  if (warning) news_.warning(*warning);
  for (const auto &[event, why] : unwritten) {
    ClipResult result;
    result.why = why;
    news_.finished(event, result);
  }
  for (const auto &[event, span] : over) news_.over(event, span);
}

void Recorder::caps(GstCaps *c) {
  std::unique_lock guard(lock_);
  if (caps_ && gst_caps_is_equal(caps_, c)) return;
  // A clip holds one kind of stream: another size or another parameter set starts over.
  std::vector<std::string> broken;
  for (const Clip &clip : clips_) broken.push_back(clip.event);
  stop_all();
  forget_stream();
  gst_caps_replace(&caps_, c);
  units_.begin(c);
  announce(guard);
  if (!broken.empty()) news_.broke_off(broken);
}

void Recorder::frame(GstBuffer *part, double time) {
  std::unique_lock guard(lock_);
  if (!caps_) return;
  const BufferPtr whole = units_.take(part, time);
  if (!whole) return;
  GstBuffer *buffer = whole.get();
  const bool key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (key && !since_) since_ = time;
  latest_ = time;
  keep(buffer, time, key);
  for (std::size_t i = clips_.size(); i-- > 0;) {
    if (feed(clips_[i], buffer, time, key)) continue;
    clips_.erase(clips_.begin() + static_cast<std::ptrdiff_t>(i));
    recording_--;
  }
  for (const auto &v : viewers_) v->push(buffer, time);
  announce(guard);
}

void Recorder::keep(GstBuffer *buffer, double time, bool key) {
  if (ring_.empty() && !key) return; // nothing can be decoded before a key frame
  ring_.push_back({BufferPtr(gst_buffer_ref(buffer)), time, key});
  bytes_ += gst_buffer_get_size(buffer);
  drop_old();
}

// Whole groups of pictures go: what stays begins with a key frame and reaches back pre_capture seconds.
void Recorder::drop_old() {
  const double newest = ring_.back().time;
  for (;;) {
    std::size_t next_key = 1;
    while (next_key < ring_.size() && !ring_[next_key].key) next_key++;
    const bool spare = next_key < ring_.size() && ring_[next_key].time <= newest - pre_capture_;
    if (!spare && bytes_ <= most_bytes) return;
    for (std::size_t i = 0; i < next_key; i++) {
      bytes_ -= gst_buffer_get_size(ring_.front().buffer.get());
      ring_.pop_front();
    }
    if (!ring_.empty()) continue;
    overruns_++;
    warning_ = text("more than ", most_bytes >> 20,
                    " MB came without a key frame: the clip of an event that begins now begins with the next "
                    "key frame; have the camera send key frames more often");
    return;
  }
}

bool Recorder::feed(Clip &c, GstBuffer *buffer, double time, bool key) {
  if (c.part && time <= c.until) return true;
  if (time > c.until) {
    if (c.part)
      end_part(c, c.until);
    else if (c.writer)
      c.writer->end();
    else
      unwritten(c, "no key frame came while it went on");
    return false;
  }
  if (!c.writer && !key) return true;
  if (!c.writer && !open(c)) return false;
  switch (c.writer->push(buffer, time + c.utc)) {
  case ClipWriter::Taken::yes:
    return true;
  case ClipWriter::Taken::lost:
    lost_++;
    return true;
  case ClipWriter::Taken::failed:
    break;
  }
  return false; // its own thread says why
}

// From what is in memory, which begins with a key frame.
bool Recorder::open(Clip &c) {
  c.writer = ClipWriter::begin(
      threads_, c.path, caps_,
      [finished = news_.finished, event = c.event](const ClipResult &r) { finished(event, r); });
  if (!c.writer) {
    unwritten(c, "too many clips are being written already");
    return false;
  }
  return true;
}

void Recorder::end_part(Clip &c, double at) {
  c.part->to = at;
  if (since_) c.part->from = std::max(c.part->from, *since_);
  if (since_ && c.part->from < at)
    over_.emplace_back(std::move(c.event), *c.part);
  else
    unwritten(c, "no key frame came while it went on");
}

void Recorder::unwritten(Clip &c, const char *why) {
  unwritten_.push_back({std::move(c.event), why});
}

void Recorder::stop_all() {
  for (Clip &c : clips_)
    if (c.part)
      end_part(c, std::min(c.until, latest_));
    else if (c.writer)
      c.writer->end();
    else
      unwritten(c, "the stream broke off before its first key frame");
  clips_.clear();
  recording_ = 0;
  for (const auto &v : viewers_) v->end();
}

void Recorder::forget_stream() {
  ring_.clear();
  bytes_ = 0;
  since_.reset();
}

void Recorder::reset() {
  std::unique_lock guard(lock_);
  stop_all();
  forget_stream();
  gst_caps_replace(&caps_, nullptr);
  for (tools::CapsPtr &c : sound_) c.reset();
  announce(guard);
}

bool Recorder::begin(const std::string &event, const std::string &path, double time, double utc) {
  std::unique_lock guard(lock_);
  if (!caps_ || files() >= most_clips) return false;
  if (!tools::has_element("mp4mux")) {
    warning_ = "events have no clips: GStreamer has no mp4mux; install gstreamer1.0-plugins-good";
    announce(guard);
    return false;
  }
  Clip c{event, path, std::numeric_limits<double>::max(), utc, nullptr, {}};
  if (!ring_.empty()) {
    if (!open(c)) {
      unwritten_.pop_back(); // false says it
      return false;
    }
    std::size_t from = 0;
    for (std::size_t i = 0; i < ring_.size(); i++)
      if (ring_[i].key && ring_[i].time <= time - pre_capture_) from = i;
    for (std::size_t i = from; i < ring_.size(); i++)
      c.writer->push(ring_[i].buffer.get(), ring_[i].time + utc, true);
  }
  clips_.push_back(std::move(c));
  recording_++;
  return true;
}

std::size_t Recorder::files() const {
  return static_cast<std::size_t>(
      std::count_if(clips_.begin(), clips_.end(), [](const Clip &c) { return !c.part; }));
}

bool Recorder::begin_part(const std::string &event, double from, double utc) {
  const std::lock_guard guard(lock_);
  if (!caps_) return false;
  clips_.push_back({event, "", std::numeric_limits<double>::max(), utc, nullptr, ClipSpan{from, from, utc}});
  recording_++;
  return true;
}

std::shared_ptr<StreamViewer> Recorder::watch(const Make &make) {
  tools::CapsPtr caps, sent, stored;
  const auto reference = [](const tools::CapsPtr &c) {
    return tools::CapsPtr(c ? gst_caps_ref(c.get()) : nullptr);
  };
  {
    const std::lock_guard guard(lock_);
    if (viewers_.size() >= most_viewers || ring_.empty()) return nullptr;
    caps.reset(gst_caps_ref(caps_));
    sent = reference(sound_[static_cast<std::size_t>(SoundForm::sent)]);
    stored = reference(sound_[static_cast<std::size_t>(SoundForm::stored)]);
  }
  auto viewer = make({caps.get(), sent.get(), stored.get()});
  const std::lock_guard guard(lock_);
  if (caps_ != caps.get() || ring_.empty() || viewers_.size() >= most_viewers) return nullptr;
  std::size_t from = 0;
  for (std::size_t i = 0; i < ring_.size(); i++)
    if (ring_[i].key) from = i;
  for (std::size_t i = from; i < ring_.size(); i++) viewer->push(ring_[i].buffer.get(), ring_[i].time);
  viewers_.push_back(viewer);
  return viewer;
}

void Recorder::unwatch(const std::shared_ptr<StreamViewer> &viewer) {
  const std::lock_guard guard(lock_);
  std::erase(viewers_, viewer);
}

void Recorder::sound(SoundForm form, GstCaps *caps, GstBuffer *buffer, double time) {
  const std::lock_guard guard(lock_);
  tools::CapsPtr &known = sound_[static_cast<std::size_t>(form)];
  if (known.get() != caps) known.reset(gst_caps_ref(caps));
  for (const auto &v : viewers_) v->push_sound(form, caps, buffer, time);
}

void Recorder::end_after(const std::string &event, double time) {
  const std::lock_guard guard(lock_);
  for (Clip &c : clips_)
    if (c.event == event) c.until = time;
}

std::optional<std::string> Recorder::codec() const {
  const std::lock_guard guard(lock_);
  if (!caps_) return std::nullopt;
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps_, 0)); // video/x-h264
  return name.substr(name.find("x-") == std::string::npos ? 0 : name.find("x-") + 2);
}

std::optional<std::string> Recorder::sound_codec() const {
  const std::lock_guard guard(lock_);
  const tools::CapsPtr &sent = sound_[static_cast<std::size_t>(SoundForm::sent)];
  if (!sent) return std::nullopt;
  return sound_codec_of(sent.get());
}

} // namespace vigil::monitor
