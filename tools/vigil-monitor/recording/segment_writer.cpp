// SPDX-License-Identifier: LGPL-2.1-or-later
#include "segment_writer.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "mp4_reader.h"
#include "tools/base/mapped.h"

#include <algorithm>
#include <exception>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace {

// Durations are differences of rounded times: so nothing drifts.
Mp4Run run_of(unsigned track, const std::vector<CutFragment::Sample> &samples, std::int64_t end,
              std::vector<tools::MappedBuffer> &mapped, std::vector<iovec> &parts) {
  Mp4Run run{track, ticks(samples.front().time), {}};
  for (std::size_t i = 0; i < samples.size(); i++) {
    const auto &s = samples[i];
    const std::int64_t next = i + 1 < samples.size() ? samples[i + 1].time : end;
    const auto &map = mapped.emplace_back(s.buffer.get());
    run.samples.push_back({static_cast<std::uint32_t>(map.size()),
                           std::max<std::int64_t>(ticks(next) - ticks(s.time), 1), ticks(s.shown_later),
                           s.key});
    if (map.size() > 0) parts.push_back({map.data(), map.size()});
  }
  return run;
}

} // namespace

SegmentWriter::SegmentWriter(std::shared_ptr<RecordingDisk> disk, Segment segment,
                             const std::vector<Mp4Track> &tracks)
    : disk_(std::move(disk)), segment_(std::move(segment)),
      header_(mp4_init(tracks) + mp4_clock(segment_.start)) {
  segment_.header = segment_.bytes = static_cast<std::int64_t>(header_.size());
  segment_.stream = stream_of(std::string_view(header_).substr(0, header_.size() - mp4_clock_bytes));
  segment_.open = true;
  for (const Mp4Track &t : tracks) segment_.codecs += (segment_.codecs.empty() ? "" : ",") + t.name;
}

void SegmentWriter::fail_with(const std::string &what, const char *reason) {
  if (failed_.exchange(true)) return;
  disk_->failed(what);
  disk_->gap_begins(segment_.camera, segment_.end(), reason);
  finish(nullptr);
}

void SegmentWriter::append(const CutFragment &f) {
  if (failed_ || finished_) return;
  try {
    if (!file_) {
      file_ = std::make_unique<SegmentFile>(disk_->file(segment_.id), header_);
      disk_->gap_ends(segment_.camera, segment_.start);
      disk_->begins(segment_);
    }
    write(f);
    if (disk_->sync_is_due(synced_)) {
      if (file_->is_gone())
        return fail_with("the file " + disk_->file(segment_.id) + " was removed while it was being written",
                         gap_reason::file_gone);
      disk_->sync(*file_);
      synced_ = micros(Utc::monotonic_seconds());
      disk_->worked();
    }
  } catch (const Error &e) {
    fail_with(e.what(), SegmentFile::disk_is_full() ? gap_reason::disk_full : gap_reason::disk_failed);
  }
}

void SegmentWriter::write(const CutFragment &f) {
  std::vector<tools::MappedBuffer> mapped; // as long as it is being written
  std::vector<iovec> parts(1);
  std::vector<Mp4Run> runs;
  if (!f.pictures.empty()) runs.push_back(run_of(1, f.pictures, f.end, mapped, parts));
  if (!f.sound.empty()) runs.push_back(run_of(2, f.sound, f.sound_end, mapped, parts));
  if (runs.empty()) return;
  const std::string head = mp4_fragment_head(++sequence_, runs);
  parts[0] = {const_cast<char *>(head.data()), head.size()};
  file_->append(std::move(parts));
  const Fragment made{f.pictures.empty() ? f.sound.front().time : f.pictures.front().time,
                      static_cast<std::uint32_t>(file_->bytes() - segment_.bytes),
                      !f.pictures.empty() && f.pictures.front().key};
  segment_.bytes = file_->bytes();
  segment_.duration = std::max(segment_.duration, f.end);
  segment_.fragments.push_back(made);
  disk_->grew(segment_);
}

void SegmentWriter::finish(const char *why) {
  if (finished_) return;
  finished_ = true;
  if (!file_) { // nothing of it was written
    if (why && !failed_) disk_->gap_begins(segment_.camera, segment_.start, why);
    return;
  }
  try {
    if (!file_->is_gone()) disk_->sync(*file_);
  } catch (const Error &e) {
    disk_->failed(e.what());
  }
  const bool gone = file_->is_gone();
  file_.reset();
  segment_.open = false;
  if (segment_.fragments.empty() && !gone) unlink(disk_->file(segment_.id).c_str());
  if (gone) segment_.fragments.clear();
  disk_->ended(segment_);
  if (why && !failed_) disk_->gap_begins(segment_.camera, segment_.end(), why);
}

} // namespace vigil::monitor
