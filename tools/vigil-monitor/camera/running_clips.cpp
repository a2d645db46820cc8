// SPDX-License-Identifier: LGPL-2.1-or-later
#include "running_clips.h"

#include <algorithm>
#include <limits>

namespace vigil::monitor {

bool RunningClips::has_room() const {
  const auto files = std::count_if(clips_.begin(), clips_.end(), [](const Clip &c) { return !c.part; });
  return static_cast<std::size_t>(files) < most_files;
}

bool RunningClips::begin(const std::string &event, const std::string &path, double time, double utc,
                         GstCaps *caps) {
  Clip c{event, path, std::numeric_limits<double>::max(), utc, nullptr, {}};
  if (!memory_.empty()) {
    if (!open(c, caps)) {
      news_.forget_last_unwritten(); // false says it
      return false;
    }
    memory_.from_key(time - memory_.seconds(), [&](const StreamMemory::Frame &f) {
      c.writer->push(f.buffer.get(), f.time + utc, true);
    });
  }
  clips_.push_back(std::move(c));
  running_++;
  return true;
}

void RunningClips::begin_part(const std::string &event, double from, double utc) {
  clips_.push_back({event, "", std::numeric_limits<double>::max(), utc, nullptr, ClipSpan{from, from, utc}});
  running_++;
}

void RunningClips::end_after(const std::string &event, double time) {
  for (Clip &c : clips_)
    if (c.event == event) c.until = time;
}

void RunningClips::feed(GstBuffer *buffer, double time, bool key, GstCaps *caps) {
  for (std::size_t i = clips_.size(); i-- > 0;) {
    if (feed(clips_[i], buffer, time, key, caps)) continue;
    clips_.erase(clips_.begin() + static_cast<std::ptrdiff_t>(i));
    running_--;
  }
}

bool RunningClips::feed(Clip &c, GstBuffer *buffer, double time, bool key, GstCaps *caps) {
  if (c.part && time <= c.until) return true;
  if (time > c.until) {
    if (c.part)
      end_part(c, c.until);
    else if (c.writer)
      c.writer->end();
    else
      news_.unwritten(std::move(c.event), "no key frame came while it went on");
    return false;
  }
  if (!c.writer && !key) return true;
  if (!c.writer && !open(c, caps)) return false;
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
bool RunningClips::open(Clip &c, GstCaps *caps) {
  c.writer = ClipWriter::begin(
      threads_, c.path, caps,
      [finished = news_.receivers().finished, event = c.event](const ClipResult &r) { finished(event, r); });
  if (!c.writer) {
    news_.unwritten(std::move(c.event), "too many clips are being written already");
    return false;
  }
  return true;
}

void RunningClips::end_part(Clip &c, double at) {
  const std::optional<double> since = memory_.since();
  c.part->to = at;
  if (since) c.part->from = std::max(c.part->from, *since);
  if (since && c.part->from < at)
    news_.over(std::move(c.event), *c.part);
  else
    news_.unwritten(std::move(c.event), "no key frame came while it went on");
}

void RunningClips::stop_all() {
  for (Clip &c : clips_)
    if (c.part)
      end_part(c, std::min(c.until, memory_.latest()));
    else if (c.writer)
      c.writer->end();
    else
      news_.unwritten(std::move(c.event), "the stream broke off before its first key frame");
  clips_.clear();
  running_ = 0;
}

std::vector<std::string> RunningClips::events() const {
  std::vector<std::string> out;
  for (const Clip &c : clips_) out.push_back(c.event);
  return out;
}

} // namespace vigil::monitor
