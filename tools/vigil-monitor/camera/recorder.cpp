// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recorder.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <limits>
#include <utility>
#include <vector>

namespace vigil::monitor {

Recorder::Recorder(double pre_capture, std::shared_ptr<ClipThreads> threads, RecorderNews news)
    : news_(std::move(news)), memory_(pre_capture), clips_(std::move(threads), memory_, news_) {}

void Recorder::caps(GstCaps *c) {
  std::unique_lock guard(lock_);
  if (caps_ && gst_caps_is_equal(caps_, c)) return;
  // A clip holds one kind of stream: another size or another parameter set starts over.
  const std::vector<std::string> broken = clips_.events();
  clips_.stop_all();
  viewers_.end();
  memory_.forget();
  gst_caps_replace(&caps_, c);
  units_.begin(c);
  news_.announce(guard);
  if (!broken.empty()) news_.receivers().broke_off(broken);
}

void Recorder::frame(GstBuffer *part, double time) {
  std::unique_lock guard(lock_);
  if (!caps_) return;
  const gst::BufferPtr whole = units_.take(part, time);
  if (!whole) return;
  GstBuffer *buffer = whole.get();
  const bool key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (!memory_.keep(buffer, time, key))
    news_.warn(text("more than ", most_bytes >> 20,
                    " MB came without a key frame: the clip of an event that begins now begins with the next "
                    "key frame; have the camera send key frames more often"));
  clips_.feed(buffer, time, key, caps_);
  viewers_.push(buffer, time);
  news_.announce(guard);
}

void Recorder::reset() {
  std::unique_lock guard(lock_);
  clips_.stop_all();
  viewers_.end();
  memory_.forget();
  gst_caps_replace(&caps_, nullptr);
  viewers_.forget_sound();
  news_.announce(guard);
}

bool Recorder::begin(const std::string &event, const std::string &path, double time, double utc) {
  std::unique_lock guard(lock_);
  if (!caps_ || !clips_.has_room()) return false;
  if (!tools::has_element("mp4mux")) {
    news_.warn("events have no clips: GStreamer has no mp4mux; install gstreamer1.0-plugins-good");
    news_.announce(guard);
    return false;
  }
  return clips_.begin(event, path, time, utc, caps_);
}

bool Recorder::begin_part(const std::string &event, double from, double utc) {
  const std::lock_guard guard(lock_);
  if (!caps_) return false;
  clips_.begin_part(event, from, utc);
  return true;
}

std::shared_ptr<StreamViewer> Recorder::watch(const Make &make) {
  gst::CapsPtr caps;
  StreamViewers::Sound sound;
  {
    const std::lock_guard guard(lock_);
    if (!takes_viewer_locked()) return nullptr;
    caps.reset(gst_caps_ref(caps_));
    sound = viewers_.sound(memory_.latest());
  }
  auto viewer =
      make({caps.get(), sound.sent.get(), sound.stored.get(), sound.latest.get(), sound.latest_time});
  const std::lock_guard guard(lock_);
  if (caps_ != caps.get() || !takes_viewer_locked()) return nullptr;
  memory_.from_key(std::numeric_limits<double>::max(),
                   [&](const StreamMemory::Frame &f) { viewer->push(f.buffer.get(), f.time); });
  viewers_.add(viewer);
  return viewer;
}

bool Recorder::takes_viewers() const {
  const std::lock_guard guard(lock_);
  return takes_viewer_locked();
}

void Recorder::unwatch(const std::shared_ptr<StreamViewer> &viewer) {
  const std::lock_guard guard(lock_);
  viewers_.remove(viewer);
}

void Recorder::sound(SoundForm form, GstCaps *caps, GstBuffer *buffer, double time) {
  const std::lock_guard guard(lock_);
  viewers_.push_sound(form, caps, buffer, time);
}

void Recorder::end_after(const std::string &event, double time) {
  const std::lock_guard guard(lock_);
  clips_.end_after(event, time);
}

std::optional<std::string> Recorder::codec() const {
  const std::lock_guard guard(lock_);
  if (!caps_) return std::nullopt;
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps_, 0)); // video/x-h264
  return name.substr(name.find("x-") == std::string::npos ? 0 : name.find("x-") + 2);
}

std::optional<std::string> Recorder::sound_codec() const {
  const std::lock_guard guard(lock_);
  if (!viewers_.sent()) return std::nullopt;
  return sound_codec_of(viewers_.sent());
}

} // namespace vigil::monitor
