// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip.h"

#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace vigil::monitor {

ClipWriter::ClipWriter(std::string path, GstCaps *caps) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  pipeline_ = gst_pipeline_new(nullptr);
  gst_object_ref_sink(pipeline_);
  GstElement *source = tools::make_element("appsrc"), *mux = tools::make_element("mp4mux"),
             *sink = tools::make_element("filesink");
  gst_bin_add_many(GST_BIN(pipeline_), source, mux, sink, nullptr);
  source_ = GST_APP_SRC(source);
  constexpr guint64 most_bytes = 64 << 20; // a disk that is this far behind has failed
  g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", most_bytes, "block", FALSE,
               nullptr);
  // Fragments of a second while it is written, so that a killed program leaves a file that plays; an ordinary
  // file at the end.
  constexpr guint fragment_ms = 1000;
  g_object_set(mux, "fragment-duration", fragment_ms, nullptr);
  gst_util_set_object_arg(G_OBJECT(mux), "fragment-mode", "first-moov-then-finalise");
  g_object_set(sink, "location", (path_ + ".part").c_str(), "async", FALSE, "sync", FALSE, nullptr);
  gst_element_link_pads(source, "src", mux, "video_%u"); // left to choose it would take a pad for sound
  tools::link({mux, sink});
  failed_ = gst_element_set_state(pipeline_, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE;
}

ClipWriter::~ClipWriter() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

bool ClipWriter::push(GstBuffer *buffer, double time) {
  if (failed_) return false;
  if (!begun_) start_ = time;
  begun_ = true;
  constexpr guint64 most_bytes = 64 << 20;
  if (gst_app_src_get_current_level_bytes(source_) > most_bytes) return !(failed_ = true);
  failed_ = gst_app_src_push_buffer(source_, times_.copy(buffer)) != GST_FLOW_OK;
  return !failed_;
}

void ClipWriter::discard() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  std::error_code error;
  std::filesystem::remove(path_ + ".part", error);
}

ClipResult ClipWriter::finish() {
  ClipResult result;
  result.start = start_;
  const std::string part = path_ + ".part";
  gst_app_src_end_of_stream(source_);
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  constexpr GstClockTime patience = 20 * GST_SECOND;
  const tools::MessagePtr message(gst_bus_timed_pop_filtered(
      bus.get(), patience, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  if (message && GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
    GError *e = nullptr;
    gst_message_parse_error(message.get(), &e, nullptr);
    result.why = tools::ErrorPtr(e)->message;
  } else if (!message) {
    result.why = "the disk did not take it within 20 seconds";
  } else if (failed_) {
    result.why = "the disk was too slow";
  }
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  std::error_code error;
  if (result.why.empty()) {
    std::filesystem::rename(part, path_, error);
    if (error) result.why = error.message();
  }
  if (!result.why.empty()) {
    std::filesystem::remove(part, error);
    return result;
  }
  result.good = true;
  result.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
  return result;
}

void Recorder::caps(GstCaps *c) {
  const std::lock_guard guard(lock_);
  if (caps_ && gst_caps_is_equal(caps_, c)) return;
  // A clip holds one kind of stream: another size or another parameter set starts over.
  stop_all();
  for (const Frame &f : ring_) gst_buffer_unref(f.buffer);
  ring_.clear();
  bytes_ = 0;
  gst_caps_replace(&caps_, c);
}

void Recorder::frame(GstBuffer *buffer, double time) {
  const std::lock_guard guard(lock_);
  if (!caps_ || (!GST_BUFFER_PTS_IS_VALID(buffer) && !GST_BUFFER_DTS_IS_VALID(buffer))) return;
  const bool key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (ring_.empty() && !key) return; // nothing can be decoded before a key frame
  ring_.push_back({gst_buffer_ref(buffer), time, key});
  bytes_ += gst_buffer_get_size(buffer);
  drop_old();
  for (std::size_t i = clips_.size(); i-- > 0;) {
    Clip &c = clips_[i];
    if (time <= c.until && c.writer->push(buffer, time + c.utc)) continue;
    finish_(std::move(c.event), std::move(c.writer));
    clips_.erase(clips_.begin() + static_cast<std::ptrdiff_t>(i));
    recording_--;
  }
  for (const auto &v : viewers_) v->push(buffer);
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
      bytes_ -= gst_buffer_get_size(ring_.front().buffer);
      gst_buffer_unref(ring_.front().buffer);
      ring_.pop_front();
    }
    if (ring_.empty()) return;
  }
}

void Recorder::stop_all() {
  for (Clip &c : clips_) finish_(std::move(c.event), std::move(c.writer));
  clips_.clear();
  recording_ = 0;
  for (const auto &v : viewers_) v->end();
}

void Recorder::reset() {
  const std::lock_guard guard(lock_);
  stop_all();
  for (const Frame &f : ring_) gst_buffer_unref(f.buffer);
  ring_.clear();
  bytes_ = 0;
  gst_caps_replace(&caps_, nullptr);
}

bool Recorder::begin(const std::string &event, const std::string &path, double time, double utc) {
  tools::CapsPtr caps;
  {
    const std::lock_guard guard(lock_);
    if (clips_.size() >= most_clips || ring_.empty()) return false;
    caps.reset(gst_caps_ref(caps_));
  }
  // Making a pipeline and opening a file take their time; the stream must not wait for that, which takes the
  // lock.
  auto writer = std::make_shared<ClipWriter>(path, caps.get());
  std::unique_lock guard(lock_);
  bool good = caps_ == caps.get() && !ring_.empty(); // the same stream goes on
  std::size_t from = 0;
  for (std::size_t i = 0; i < ring_.size(); i++)
    if (ring_[i].key && ring_[i].time <= time - pre_capture_) from = i;
  for (std::size_t i = from; i < ring_.size() && good; i++)
    good = writer->push(ring_[i].buffer, ring_[i].time + utc);
  if (good) {
    clips_.push_back({event, std::move(writer), std::numeric_limits<double>::max(), utc});
    recording_++;
    return true;
  }
  guard.unlock();
  writer->discard();
  return false;
}

std::shared_ptr<LiveMp4> Recorder::watch() {
  tools::CapsPtr caps;
  {
    const std::lock_guard guard(lock_);
    if (viewers_.size() >= most_viewers || ring_.empty()) return nullptr;
    caps.reset(gst_caps_ref(caps_));
  }
  auto viewer = std::make_shared<LiveMp4>(caps.get());
  const std::lock_guard guard(lock_);
  if (caps_ != caps.get() || ring_.empty() || viewers_.size() >= most_viewers) return nullptr;
  std::size_t from = 0;
  for (std::size_t i = 0; i < ring_.size(); i++)
    if (ring_[i].key) from = i;
  for (std::size_t i = from; i < ring_.size(); i++) viewer->push(ring_[i].buffer);
  viewers_.push_back(viewer);
  return viewer;
}

void Recorder::unwatch(const std::shared_ptr<LiveMp4> &viewer) {
  const std::lock_guard guard(lock_);
  std::erase(viewers_, viewer);
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

} // namespace vigil::monitor
