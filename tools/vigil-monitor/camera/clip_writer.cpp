// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip_writer.h"

#include "../counted.h"
#include "../store/mp4.h"
#include "common/error.h"
#include "from_zero.h"
#include "tools/base/pipeline.h"

#include <exception>
#include <filesystem>
#include <gst/app/gstappsrc.h>
#include <utility>

namespace vigil::monitor {

std::shared_ptr<ClipWriter> ClipWriter::begin(std::shared_ptr<ClipThreads> threads, std::string path,
                                              GstCaps *caps, Done done) {
  ClipThreads &all = *threads;
  std::shared_ptr<ClipWriter> writer(new ClipWriter(std::move(threads), std::move(path), caps));
  return all.add([writer, done = std::move(done)] { writer->run(done); }) ? writer : nullptr;
}

ClipWriter::ClipWriter(std::shared_ptr<ClipThreads> threads, std::string path, GstCaps *caps)
    : threads_(std::move(threads)), path_(std::move(path)), part_(path_ + ".part"),
      caps_(gst_caps_ref(caps)) {}

ClipWriter::~ClipWriter() {
  for (const Frame &f : frames_) forget(f);
  gst_caps_unref(caps_);
}

ClipWriter::Taken ClipWriter::push(GstBuffer *buffer, double time, bool in_memory) {
  constexpr std::size_t most_waiting = 64 << 20;
  const std::size_t size = in_memory ? 0 : gst_buffer_get_size(buffer);
  const std::lock_guard guard(lock_);
  if (failed_ || ended_) return Taken::failed;
  const bool key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  const bool room = waiting_ + size <= most_waiting && threads_->bytes + size <= ClipThreads::most_bytes;
  // After a hole nothing can be decoded before a key frame.
  if ((!room && size > 0) || (hole_ && (!key || waiting_ > most_waiting / 2))) {
    hole_ = true;
    lost_++;
    return Taken::lost;
  }
  hole_ = false;
  if (!std::exchange(begun_, true)) start_ = time;
  frames_.push_back({gst::BufferPtr(gst_buffer_ref(buffer)), size});
  waiting_ += size;
  threads_->bytes += size;
  more_.notify_one();
  return Taken::yes;
}

void ClipWriter::end() {
  const std::lock_guard guard(lock_);
  ended_ = true;
  more_.notify_one();
}

void ClipWriter::forget(const Frame &f) {
  waiting_ -= f.counted;
  threads_->bytes -= f.counted;
}

bool ClipWriter::next(Frame &f) {
  std::unique_lock guard(lock_);
  more_.wait(guard, [this] { return ended_ || !frames_.empty(); });
  if (frames_.empty()) return false;
  f = std::move(frames_.front());
  frames_.pop_front();
  forget(f);
  return true;
}

void ClipWriter::run(const Done &done) {
  std::string why;
  bool written = false;
  try {
    write();
    written = true;
  } catch (const std::exception &e) {
    why = e.what();
  }
  {
    const std::lock_guard guard(lock_);
    failed_ = true; // or whole
    for (const Frame &f : frames_) forget(f);
    frames_.clear();
    if (why.empty() && lost_)
      why = text("the disk was too slow: ", counted(lost_, "frame is", "frames are"), " missing");
    else if (lost_)
      why += text(", and ", counted(lost_, "frame is", "frames are"), " missing");
  }
  done(finish(written, std::move(why)));
}

// Throws what goes wrong, and returns when the file is whole.
void ClipWriter::write() {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(Error::Kind::write, "cannot make the folder ", folder.string(), ": ", error.message());
  tools::Pipeline pipeline;
  GstElement *source = pipeline.add(tools::make_element("appsrc")),
             *mux = pipeline.add(tools::make_element("mp4mux")),
             *sink = pipeline.add(tools::make_element("filesink"));
  g_object_set(source, "caps", caps_, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE,
               nullptr);
  // Fragments of a second while it is written, so that a killed program leaves a file that plays; an ordinary
  // file at the end.
  constexpr guint fragment_ms = 1000;
  g_object_set(mux, "fragment-duration", fragment_ms, nullptr);
  gst_util_set_object_arg(G_OBJECT(mux), "fragment-mode", "first-moov-then-finalise");
  g_object_set(sink, "location", part_.c_str(), "async", FALSE, "sync", FALSE, nullptr);
  gst_element_link_pads(source, "src", mux, "video_%u"); // left to choose it would take a pad for sound
  tools::link({mux, sink});
  pipeline.play();
  FromZero times;
  // What waits, waits in frames_, where it counts. To wait in the source would last without end once the
  // sink has failed.
  constexpr guint64 ahead = 1 << 20;
  constexpr GstClockTime a_moment = 20 * GST_MSECOND;
  for (Frame f; next(f);) {
    if (gst_app_src_push_buffer(GST_APP_SRC(source), times.copy(f.buffer.get())) != GST_FLOW_OK) {
      pipeline.work_off_messages(GST_SECOND); // throws why
      fail(Error::Kind::write, "the file takes no more frames");
    }
    f.buffer.reset();
    pipeline.work_off_messages();
    while (gst_app_src_get_current_level_bytes(GST_APP_SRC(source)) > ahead)
      pipeline.work_off_messages(a_moment);
  }
  gst_app_src_end_of_stream(GST_APP_SRC(source));
  constexpr std::chrono::minutes patience(10);
  const auto latest = std::chrono::steady_clock::now() + patience;
  while (!pipeline.ended()) {
    pipeline.work_off_messages(GST_SECOND);
    if (std::chrono::steady_clock::now() > latest)
      fail(Error::Kind::write, "the disk did not take its end within ten minutes");
  }
}

// Of a clip that failed the whole seconds stay.
ClipResult ClipWriter::finish(bool written, std::string why) const {
  ClipResult result;
  result.start = start_;
  result.why = std::move(why);
  std::error_code error;
  bool whole = written;
  try {
    whole = written || close_half_written(part_);
  } catch (const std::exception &) { // there is no file, or it cannot be read: `why` says more
  }
  if (whole) std::filesystem::rename(part_, path_, error);
  if (error) result.why = error.message();
  if (!whole || error) {
    std::filesystem::remove(part_, error);
    return result;
  }
  result.good = true;
  result.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
  return result;
}

} // namespace vigil::monitor
