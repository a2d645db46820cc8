// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture_queue.h"

#include "segment.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

// A killed program loses a fragment, and for how long it waits for its sound: less than a second together.
constexpr std::int64_t fragment_length = 650'000;

} // namespace

void PictureQueue::begin(const GstCaps *caps, const Mp4Track &track) {
  track_ = track;
  units_.begin(caps);
}

bool PictureQueue::take(GstBuffer *part, double captured, std::int64_t now) {
  gst::BufferPtr whole = units_.take(part, captured);
  if (!whole) return false;
  const bool key = !GST_BUFFER_FLAG_IS_SET(whole.get(), GST_BUFFER_FLAG_DELTA_UNIT);
  arrived_ = now;
  const auto time = times_.next(in_micros(GST_BUFFER_PTS(whole.get())),
                                in_micros(GST_BUFFER_DTS(whole.get())), micros(captured), arrived_);
  if (!pictures_.empty()) step_ = time.decoded - pictures_.back().decoded;
  pictures_.push_back({std::move(whole), time.decoded, time.shown, key});
  return true;
}

void PictureQueue::forget() {
  pictures_.clear();
  times_ = {};
}

PictureQueue::Fragment PictureQueue::next_fragment() const {
  std::size_t n = 1;
  while (n < pictures_.size() && !pictures_[n].key &&
         pictures_[n].decoded - pictures_.front().decoded < fragment_length)
    n++;
  if (n < pictures_.size()) return {n, pictures_[n].decoded, true};
  return {n, pictures_.back().decoded + std::clamp<std::int64_t>(step_, 1000, a_second), false};
}

PictureQueue::Picture PictureQueue::take_first() {
  Picture first = std::move(pictures_.front());
  pictures_.pop_front();
  return first;
}

void PictureQueue::drop(std::size_t n) {
  pictures_.erase(pictures_.begin(), pictures_.begin() + static_cast<std::ptrdiff_t>(n));
}

} // namespace vigil::monitor
