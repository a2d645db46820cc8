// SPDX-License-Identifier: LGPL-2.1-or-later
#include "range.h"

#include "common/error.h"
#include "mp4_reader.h"
#include "mp4_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace vigil::monitor {
namespace {

// False when they are not all there.
bool read_at(int file, std::int64_t offset, std::size_t n, std::string &to) {
  to.resize(n);
  for (std::size_t done = 0; done < n;) {
    const ssize_t got = pread(file, to.data() + done, n - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// The fragments of the segment that belong to the range: from the key frame at or before `from` on.
std::pair<std::size_t, std::size_t> chosen(const Segment &s, std::int64_t from, std::int64_t to, bool first) {
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i < s.fragments.size(); i++) {
    const std::int64_t at = s.start + s.fragments[i].start;
    if (first && s.fragments[i].key && at <= from) begin = i;
    if (at < to) end = i + 1;
  }
  while (first && begin < end && !s.fragments[begin].key) begin++;
  return {begin, std::max(begin, end)};
}

} // namespace

std::optional<RecordingRange> RecordingRange::make(const std::vector<Segment> &segments, std::int64_t from,
                                                   std::int64_t to,
                                                   const std::function<std::string(const Segment &)> &file,
                                                   Which which) {
  RecordingRange r;
  r.place_ = file;
  const Segment *first = nullptr;
  std::int64_t last_tick = 0;
  for (const Segment &s : segments) {
    if (first && s.stream != first->stream) break;
    const auto [begin, end] = chosen(s, from, to, !first);
    if (begin == end) continue;
    if (!first) {
      first = &s;
      r.start_ = s.start + s.fragments[begin].start;
      r.codecs_ = s.codecs;
      const int in = open(file(s).c_str(), O_RDONLY | O_CLOEXEC);
      if (in < 0) fail(Error::Kind::io, "the recording ", file(s), " cannot be read: ", std::strerror(errno));
      const auto header = static_cast<std::size_t>(std::max<std::int64_t>(s.header, 0));
      const bool whole = header > mp4_clock_bytes && read_at(in, 0, header - mp4_clock_bytes, r.init_);
      close(in);
      if (!whole || stream_of(r.init_) != s.stream)
        fail(Error::Kind::io, "the recording ", file(s), " is damaged");
      r.size_ = r.init_.size();
    }
    // Of a clock that was set back, and of segments that touch, no time comes twice.
    const std::int64_t own = ticks(s.fragments[begin].start);
    const std::int64_t shift =
        std::max(ticks(s.start + s.fragments[begin].start - r.start_), last_tick) - own;
    std::int64_t offset = s.header;
    for (std::size_t i = 0; i < end; i++) {
      const std::uint32_t bytes = s.fragments[i].bytes;
      if (i >= begin && (which == Which::all || s.fragments[i].key)) {
        r.pieces_.push_back({r.files_.size(), offset, r.size_, bytes, shift});
        r.size_ += bytes;
      }
      offset += bytes;
    }
    Segment bare = s;
    bare.fragments.clear();
    r.files_.push_back({std::move(bare), file(s)});
    const std::int64_t ended = end < s.fragments.size() ? s.fragments[end].start : s.duration;
    last_tick = ticks(ended) + shift;
    r.end_ = s.start + ended;
  }
  if (!first) return std::nullopt;
  return r;
}

std::string RecordingRange::tag() const {
  std::string all = std::to_string(size_) + " " + std::to_string(start_);
  for (const File &f : files_) all += f.segment.id;
  return stream_of(all);
}

RecordingRange::Reader::Reader(std::shared_ptr<const RecordingRange> range, std::uint64_t from,
                               std::uint64_t length)
    : range_(std::move(range)), at_(from), left_(length) {}

RecordingRange::Reader::~Reader() {
  if (file_ >= 0) close(file_);
}

bool RecordingRange::Reader::fragment(std::size_t n, std::string &to) {
  const Piece &p = range_->pieces_[n];
  if (open_ != p.file) {
    if (file_ >= 0) close(file_);
    file_ = open(range_->files_[p.file].path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) file_ = open_again(p.file);
    open_ = p.file;
  }
  return file_ >= 0 && read_at(file_, p.offset, p.bytes, to) &&
         move_fragment(to, static_cast<std::uint32_t>(n + 1), p.shift);
}

// One that was moved to the other folder since.
int RecordingRange::Reader::open_again(std::size_t file) const {
  Segment moved = range_->files_[file].segment;
  moved.cold = !moved.cold;
  try {
    return open(range_->place_(moved).c_str(), O_RDONLY | O_CLOEXEC);
  } catch (const Error &) {
    return -1;
  }
}

bool RecordingRange::Reader::next(std::string &to) {
  if (left_ == 0) return false;
  const RecordingRange &r = *range_;
  if (at_ < r.init_.size()) {
    to.assign(r.init_, at_, left_);
  } else {
    const auto after = std::upper_bound(r.pieces_.begin(), r.pieces_.end(), at_,
                                        [](std::uint64_t at, const Piece &p) { return at < p.at; });
    if (after == r.pieces_.begin()) return false;
    const auto n = static_cast<std::size_t>(after - r.pieces_.begin()) - 1;
    const std::uint64_t skip = at_ - r.pieces_[n].at;
    if (!fragment(n, to) || skip >= to.size()) return false;
    to.erase(0, skip);
    if (to.size() > left_) to.resize(left_);
  }
  at_ += to.size();
  left_ -= to.size();
  return true;
}

std::shared_ptr<const std::string> RecordingRange::Reader::next() {
  std::string out;
  return next(out) ? std::make_shared<const std::string>(std::move(out)) : nullptr;
}

} // namespace vigil::monitor
