// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording.h"

#include "common/error.h"
#include "track.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::int64_t segment_length = 60 * a_second;
// A killed program loses a fragment, and for how long it waits for its sound: less than a second together.
constexpr std::int64_t fragment_length = 650'000, sound_patience = 250'000;
constexpr std::int64_t largest_segment = std::int64_t{2} << 30;
constexpr std::int64_t stale = 3 * a_second / 2; // a frame waits no longer for the next one
constexpr std::int64_t retry = 5 * a_second;     // after the disk has failed
constexpr std::int64_t long_keyless = 10 * a_second;

std::optional<std::int64_t> in_micros(GstClockTime t) {
  if (!GST_CLOCK_TIME_IS_VALID(t)) return std::nullopt;
  return static_cast<std::int64_t>(t / GST_USECOND);
}

} // namespace

Recording::Recording(std::string camera, std::shared_ptr<RecordingDisk> disk, Clock clock, Warning warning,
                     Previews previews)
    : camera_(std::move(camera)), disk_(std::move(disk)), clock_(std::move(clock)),
      warning_(std::move(warning)), previews_(std::move(previews)) {}

Recording::~Recording() {
  const std::lock_guard guard(lock_);
  end_segment(gap_reason::stopped);
}

void Recording::begin() {
  const std::lock_guard guard(lock_);
  if (std::exchange(on_, true)) return;
  disk_->add_needed([disk = disk_, camera = camera_] { disk->resume(camera); });
}

void Recording::broke_off(const char *why) {
  const std::lock_guard guard(lock_);
  if (!on_) return;
  const std::int64_t end = now();
  advance(true);
  if (segment_)
    end_segment(why);
  else
    gap(end, why);
  forget_stream();
  video_.reset();
  sound_.reset();
}

void Recording::stop(const char *why) {
  broke_off(why);
  const std::lock_guard guard(lock_);
  on_ = false;
}

bool Recording::has_handed(std::int64_t time) const {
  const std::lock_guard guard(lock_);
  return pictures_.empty() || pictures_.front().decoded > time;
}

void Recording::tick() {
  const std::lock_guard guard(lock_);
  if (!pictures_.empty() && now() - arrived_ > stale) advance(true);
}

void Recording::clock_set() {
  const std::lock_guard guard(lock_);
  fresh_ = true;
  fresh_why_ = gap_reason::clock_set;
}

void Recording::forget_stream() {
  pictures_.clear();
  sounds_.clear();
  sound_end_ = 0;
  keys_.clear();
  video_times_ = {};
  sound_times_ = {};
  keyless_since_.reset();
}

void Recording::gap(std::int64_t time, const char *why) {
  disk_->add_needed(
      [disk = disk_, camera = camera_, at = utc(time), why] { disk->gap_begins(camera, at, why); });
}

void Recording::video_caps(const GstCaps *caps) {
  const auto track = track_of(caps);
  const std::lock_guard guard(lock_);
  if (!on_ || !track || video_ == track) return;
  if (video_) { // what follows is another stream, whose frames the file cannot hold
    advance(true);
    end_segment(gap_reason::new_stream);
    pictures_.clear();
    keys_.clear();
  }
  video_ = track;
  units_.begin(caps);
}

void Recording::sound_caps(const GstCaps *caps) {
  const auto track = track_of(caps);
  const std::lock_guard guard(lock_);
  if (!on_ || sound_ == track) return;
  sound_ = track;
  sounds_.clear();
  sound_end_ = 0;
}

void Recording::video(GstBuffer *part, double captured) {
  std::unique_lock guard(lock_);
  if (!on_ || !video_) return;
  BufferPtr whole = units_.take(part, captured);
  if (!whole) return;
  const bool key = !GST_BUFFER_FLAG_IS_SET(whole.get(), GST_BUFFER_FLAG_DELTA_UNIT);
  arrived_ = now();
  const auto time = video_times_.next(in_micros(GST_BUFFER_PTS(whole.get())),
                                      in_micros(GST_BUFFER_DTS(whole.get())), micros(captured), arrived_);
  if (!pictures_.empty()) step_ = time.decoded - pictures_.back().decoded;
  pictures_.push_back({std::move(whole), time.decoded, time.shown, key});
  advance(false);
  const auto keys = std::exchange(keys_, {});
  guard.unlock();
  for (const KeyPicture &k : keys) previews_(k);
}

void Recording::sound(GstBuffer *buffer, double captured) {
  const std::lock_guard guard(lock_);
  if (!on_ || !sound_) return;
  constexpr std::int64_t opus_frame = 20'000, aac_samples = 1024;
  const auto shown = in_micros(GST_BUFFER_PTS(buffer));
  const auto time = sound_times_.next(shown, shown, micros(captured), now()).decoded;
  const auto duration =
      in_micros(GST_BUFFER_DURATION(buffer))
          .value_or(sound_->codec == Mp4Track::Codec::aac ? aac_samples * a_second / std::max(sound_->rate, 1)
                                                          : opus_frame);
  sounds_.push_back({BufferPtr(gst_buffer_ref(buffer)), time, duration});
  sound_end_ = time + duration;
  // Without pictures sound is not recorded: a segment begins with a key frame.
  constexpr std::int64_t longest = 5 * a_second;
  while (sounds_.front().time < sound_end_ - longest) sounds_.pop_front();
  advance(false);
}

std::vector<Mp4Track> Recording::tracks() const {
  std::vector<Mp4Track> out{*video_};
  constexpr std::int64_t silent = 5 * a_second;
  if (sound_ && sound_end_ > pictures_.front().decoded - silent) out.push_back(*sound_);
  return out;
}

bool Recording::waits_for_sound(std::int64_t end) const {
  constexpr std::int64_t alive = 2 * a_second; // else it has stopped
  return sound_ && sound_end_ < end && sound_end_ > end - alive &&
         pictures_.back().decoded < end + sound_patience;
}

// Hands over all fragments that are whole; `all`: the last one, too.
void Recording::advance(bool all) {
  while (!pictures_.empty()) {
    const Picture &first = pictures_.front();
    if (!segment_ && !first.key) {
      keyless(first.decoded);
      pictures_.pop_front();
      continue;
    }
    std::size_t n = 1;
    while (n < pictures_.size() && !pictures_[n].key &&
           pictures_[n].decoded - first.decoded < fragment_length)
      n++;
    const bool last = n == pictures_.size();
    if (last && !all) return;
    const std::int64_t end = last ? pictures_.back().decoded + std::clamp<std::int64_t>(step_, 1000, a_second)
                                  : pictures_[n].decoded;
    if (!all && waits_for_sound(end)) return;
    hand(n, end);
  }
}

void Recording::keyless(std::int64_t time) {
  if (!keyless_since_) keyless_since_ = time;
  if (time - *keyless_since_ < long_keyless) return;
  gap(*keyless_since_, gap_reason::no_key_frame);
  keyless_since_ = time + (std::int64_t{1} << 60); // once
  if (!std::exchange(keyless_said_, true))
    warning_(
        "no key frame came for 10 seconds: the recording goes on with the next one; have the camera send "
        "key frames more often");
}

void Recording::drop(std::size_t n) {
  lost_ += n;
  keyless_since_.reset(); // that is not why
  pictures_.erase(pictures_.begin(), pictures_.begin() + static_cast<std::ptrdiff_t>(n));
}

void Recording::hand(std::size_t n, std::int64_t end) {
  const Picture &first = pictures_.front();
  if (segment_ && segment_->failed()) {
    segment_.reset();
    retry_at_ = now() + retry;
  }
  if (segment_ && segment_bytes_ > largest_segment)
    end_segment(first.key ? nullptr : gap_reason::no_key_frame);
  const bool due = first.key && (!segment_ || fresh_ || first.decoded - segment_start_ >= segment_length ||
                                 tracks() != segment_tracks_);
  if (!segment_ && !first.key) return drop(n);
  if (due && !begin_segment()) return drop(n);
  if (first.key) preview(first);
  const std::size_t camera_waits = *waiting_;
  auto fragment = std::make_shared<CutFragment>(cut(n, end));
  const std::size_t size = fragment->bytes;
  const bool room = camera_waits + size <= RecordingDisk::most_of_camera &&
                    disk_->bytes + size <= RecordingDisk::most_bytes;
  *waiting_ += size;
  disk_->bytes += size;
  const auto forget = [disk = disk_, waiting = waiting_, size] {
    *waiting -= size;
    disk->bytes -= size;
  };
  segment_bytes_ += static_cast<std::int64_t>(size);
  if (room && disk_->add([segment = segment_, fragment, forget] {
        segment->append(*fragment);
        forget();
      }))
    return;
  forget();
  lost_ += n;
  behind_ = true;
  end_segment(gap_reason::disk_slow);
}

void Recording::preview(const Picture &p) {
  if (!previews_ || (last_preview_ != 0 && std::abs(p.decoded - last_preview_) < PreviewMaker::least_apart))
    return;
  last_preview_ = p.decoded;
  keys_.push_back({BufferPtr(gst_buffer_ref(p.buffer.get())), segment_id_, p.decoded - segment_start_});
}

bool Recording::begin_segment() {
  const Picture &first = pictures_.front();
  if (now() < retry_at_) return false;
  if (behind_ && *waiting_ > RecordingDisk::most_of_camera / 2) return false;
  behind_ = false;
  end_segment(fresh_why_);
  fresh_ = false;
  fresh_why_ = nullptr;
  keyless_since_.reset();
  Segment s;
  s.camera = camera_;
  s.start = utc(first.decoded);
  s.id = new_segment_id(s.start, camera_);
  segment_id_ = s.id;
  segment_start_ = first.decoded;
  segment_bytes_ = 0;
  segment_tracks_ = tracks();
  // Sound from before the pictures has no place in a file whose times begin at 0.
  while (!sounds_.empty() && sounds_.front().time < segment_start_ - sounds_.front().duration / 2)
    sounds_.pop_front();
  segment_ = std::make_shared<SegmentWriter>(disk_, std::move(s), segment_tracks_);
  return true;
}

void Recording::end_segment(const char *why) {
  if (!segment_) return;
  disk_->add_needed([segment = std::exchange(segment_, nullptr), why] { segment->finish(why); });
}

CutFragment Recording::cut(std::size_t n, std::int64_t end) {
  CutFragment out;
  out.end = end - segment_start_;
  for (; n > 0; n--, pictures_.pop_front()) {
    Picture &p = pictures_.front();
    out.bytes += gst_buffer_get_size(p.buffer.get());
    out.pictures.push_back({std::move(p.buffer), p.decoded - segment_start_, p.shown - p.decoded, p.key});
  }
  if (segment_tracks_.size() < 2) return out;
  for (; !sounds_.empty() && sounds_.front().time < end; sounds_.pop_front()) {
    Sound &s = sounds_.front();
    out.bytes += gst_buffer_get_size(s.buffer.get());
    out.sound_end = s.time + s.duration - segment_start_;
    out.sound.push_back({std::move(s.buffer), std::max<std::int64_t>(s.time - segment_start_, 0), 0, true});
  }
  return out;
}

} // namespace vigil::monitor
