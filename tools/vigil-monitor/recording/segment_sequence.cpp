// SPDX-License-Identifier: LGPL-2.1-or-later
#include "segment_sequence.h"

#include "segment.h"

#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::int64_t segment_length = 60 * a_second;
constexpr std::int64_t largest_segment = std::int64_t{2} << 30;
constexpr std::int64_t retry = 5 * a_second; // after the disk has failed

} // namespace

SegmentSequence::SegmentSequence(std::string camera, std::shared_ptr<RecordingDisk> disk)
    : camera_(std::move(camera)), disk_(std::move(disk)) {}

bool SegmentSequence::is_full() const {
  return writer_ && bytes_ > largest_segment;
}

bool SegmentSequence::is_due(std::int64_t time, const std::vector<Mp4Track> &tracks) const {
  return !writer_ || fresh_ || time - start_ >= segment_length || tracks != tracks_;
}

void SegmentSequence::begin(std::int64_t time, std::int64_t utc, std::vector<Mp4Track> tracks) {
  end(fresh_why_);
  fresh_ = false;
  fresh_why_ = nullptr;
  Segment s;
  s.camera = camera_;
  s.start = utc;
  s.id = new_segment_id(s.start, camera_);
  id_ = s.id;
  start_ = time;
  bytes_ = 0;
  tracks_ = std::move(tracks);
  writer_ = std::make_shared<SegmentWriter>(disk_, std::move(s), tracks_);
}

void SegmentSequence::end(const char *why) {
  if (!writer_) return;
  disk_->add_needed([writer = std::exchange(writer_, nullptr), why] { writer->finish(why); });
}

void SegmentSequence::renew(const char *why) {
  fresh_ = true;
  fresh_why_ = why;
}

void SegmentSequence::notice_failure(std::int64_t now) {
  if (!writer_ || !writer_->failed()) return;
  writer_.reset();
  retry_at_ = now + retry;
}

} // namespace vigil::monitor
