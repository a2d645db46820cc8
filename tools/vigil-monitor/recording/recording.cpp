// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording.h"

#include "track.h"

#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::int64_t stale = 3 * a_second / 2; // a frame waits no longer for the next one

} // namespace

Recording::Recording(std::string camera, std::shared_ptr<RecordingDisk> disk, Clock clock, Warning warning,
                     Previews previews)
    : camera_(std::move(camera)), disk_(std::move(disk)), clock_(std::move(clock)),
      warning_(std::move(warning)), previews_(std::move(previews)), segments_(camera_, disk_), share_(disk_) {
}

Recording::~Recording() {
  const std::lock_guard guard(lock_);
  segments_.end(gap_reason::stopped);
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
  if (segments_.is_open())
    segments_.end(why);
  else
    gap(end, why);
  forget_stream();
  pictures_.end();
  sounds_.end();
}

void Recording::stop(const char *why) {
  broke_off(why);
  const std::lock_guard guard(lock_);
  on_ = false;
}

bool Recording::has_handed(std::int64_t time) const {
  const std::lock_guard guard(lock_);
  return pictures_.empty() || pictures_.first().decoded > time;
}

void Recording::tick() {
  const std::lock_guard guard(lock_);
  if (!pictures_.empty() && now() - pictures_.arrived() > stale) advance(true);
}

void Recording::clock_set() {
  const std::lock_guard guard(lock_);
  segments_.renew(gap_reason::clock_set);
}

void Recording::forget_stream() {
  pictures_.forget();
  sounds_.forget();
  preview_keys_.clear();
  missing_keys_.over();
}

void Recording::gap(std::int64_t time, const char *why) {
  disk_->add_needed(
      [disk = disk_, camera = camera_, at = utc(time), why] { disk->gap_begins(camera, at, why); });
}

void Recording::video_caps(const GstCaps *caps) {
  const auto track = track_of(caps);
  const std::lock_guard guard(lock_);
  if (!on_ || !track || pictures_.track() == track) return;
  if (pictures_.track()) { // what follows is another stream, whose frames the file cannot hold
    advance(true);
    segments_.end(gap_reason::new_stream);
    pictures_.clear();
    preview_keys_.clear();
  }
  pictures_.begin(caps, *track);
}

void Recording::sound_caps(const GstCaps *caps) {
  const auto track = track_of(caps);
  const std::lock_guard guard(lock_);
  if (on_ && sounds_.track() != track) sounds_.begin(track);
}

void Recording::video(GstBuffer *part, double captured) {
  std::unique_lock guard(lock_);
  if (!on_ || !pictures_.track() || !pictures_.take(part, captured, now())) return;
  advance(false);
  const auto keys = preview_keys_.take();
  guard.unlock();
  for (const KeyPicture &k : keys) previews_(k);
}

void Recording::sound(GstBuffer *buffer, double captured) {
  const std::lock_guard guard(lock_);
  if (!on_ || !sounds_.track()) return;
  sounds_.take(buffer, captured, now());
  advance(false);
}

std::vector<Mp4Track> Recording::tracks() const {
  std::vector<Mp4Track> out{*pictures_.track()};
  if (sounds_.comes_at(pictures_.first().decoded)) out.push_back(*sounds_.track());
  return out;
}

// Hands over all fragments that are whole; `all`: the last one, too.
void Recording::advance(bool all) {
  while (!pictures_.empty()) {
    if (!segments_.is_open() && !pictures_.first().key) {
      keyless(pictures_.first().decoded);
      pictures_.drop(1);
      continue;
    }
    const PictureQueue::Fragment next = pictures_.next_fragment();
    if (!all && (!next.whole || sounds_.is_awaited(next.end, pictures_.newest()))) return;
    hand(next);
  }
}

void Recording::keyless(std::int64_t time) {
  const auto since = missing_keys_.lasts_long(time);
  if (!since) return;
  gap(*since, gap_reason::no_key_frame);
  if (missing_keys_.is_first_warning())
    warning_(
        "no key frame came for 10 seconds: the recording goes on with the next one; have the camera send "
        "key frames more often");
}

void Recording::drop(std::size_t n) {
  lost_ += n;
  missing_keys_.over(); // that is not why
  pictures_.drop(n);
}

void Recording::hand(const PictureQueue::Fragment &next) {
  const PictureQueue::Picture &first = pictures_.first();
  segments_.notice_failure(now());
  if (segments_.is_full()) segments_.end(first.key ? nullptr : gap_reason::no_key_frame);
  if (!segments_.is_open() && !first.key) return drop(next.pictures);
  if (first.key && segments_.is_due(first.decoded, tracks()) && !begin_segment()) return drop(next.pictures);
  if (first.key && previews_) preview_keys_.add(first, segments_.id(), segments_.start());
  CutFragment fragment = cut(next);
  segments_.grow(fragment.bytes);
  if (share_.add(segments_.writer(), std::move(fragment))) return;
  lost_ += next.pictures;
  segments_.end(gap_reason::disk_slow);
}

bool Recording::begin_segment() {
  const PictureQueue::Picture &first = pictures_.first();
  if (!segments_.may_begin(now()) || !share_.has_caught_up()) return false;
  missing_keys_.over();
  segments_.begin(first.decoded, utc(first.decoded), tracks());
  sounds_.drop_before(first.decoded);
  return true;
}

CutFragment Recording::cut(const PictureQueue::Fragment &next) {
  const std::int64_t start = segments_.start();
  CutFragment out;
  out.end = next.end - start;
  for (std::size_t i = 0; i < next.pictures; i++) {
    PictureQueue::Picture p = pictures_.take_first();
    out.bytes += gst_buffer_get_size(p.buffer.get());
    out.pictures.push_back({std::move(p.buffer), p.decoded - start, p.shown - p.decoded, p.key});
  }
  if (segments_.tracks().size() > 1) sounds_.cut(out, start, next.end);
  return out;
}

} // namespace vigil::monitor
