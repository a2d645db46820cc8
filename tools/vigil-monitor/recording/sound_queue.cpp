// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sound_queue.h"

#include "picture_queue.h"
#include "segment.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {

void SoundQueue::begin(const std::optional<Mp4Track> &track) {
  track_ = track;
  sounds_.clear();
  end_ = 0;
}

void SoundQueue::take(GstBuffer *buffer, double captured, std::int64_t now) {
  constexpr std::int64_t opus_frame = 20'000, aac_samples = 1024;
  const auto shown = in_micros(GST_BUFFER_PTS(buffer));
  const auto time = times_.next(shown, shown, micros(captured), now).decoded;
  const auto duration =
      in_micros(GST_BUFFER_DURATION(buffer))
          .value_or(track_->codec == Mp4Track::Codec::aac ? aac_samples * a_second / std::max(track_->rate, 1)
                                                          : opus_frame);
  sounds_.push_back({gst::BufferPtr(gst_buffer_ref(buffer)), time, duration});
  end_ = time + duration;
  // Without pictures sound is not recorded: a segment begins with a key frame.
  constexpr std::int64_t longest = 5 * a_second;
  while (sounds_.front().time < end_ - longest) sounds_.pop_front();
}

void SoundQueue::forget() {
  sounds_.clear();
  end_ = 0;
  times_ = {};
}

bool SoundQueue::comes_at(std::int64_t time) const {
  constexpr std::int64_t silent = 5 * a_second;
  return track_ && end_ > time - silent;
}

bool SoundQueue::is_awaited(std::int64_t end, std::int64_t newest) const {
  constexpr std::int64_t alive = 2 * a_second; // else it has stopped
  constexpr std::int64_t patience = 250'000;
  return track_ && end_ < end && end_ > end - alive && newest < end + patience;
}

// Sound from before the pictures has no place in a file whose times begin at 0.
void SoundQueue::drop_before(std::int64_t start) {
  while (!sounds_.empty() && sounds_.front().time < start - sounds_.front().duration / 2) sounds_.pop_front();
}

void SoundQueue::cut(CutFragment &out, std::int64_t start, std::int64_t end) {
  for (; !sounds_.empty() && sounds_.front().time < end; sounds_.pop_front()) {
    Sound &s = sounds_.front();
    out.bytes += gst_buffer_get_size(s.buffer.get());
    out.sound_end = s.time + s.duration - start;
    out.sound.push_back({std::move(s.buffer), std::max<std::int64_t>(s.time - start, 0), 0, true});
  }
}

} // namespace vigil::monitor
