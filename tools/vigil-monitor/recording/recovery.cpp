// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recovery.h"

#include "../counted.h"
#include "../store/event.h"
#include "../store/own_files.h"
#include "common/error.h"
#include "mp4_reader.h"
#include "mp4_writer.h"
#include "preview_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

struct OpenFile {
  explicit OpenFile(const std::string &path) : at(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (at < 0) fail(Error::Kind::io, "cannot read ", path, ": ", std::strerror(errno));
  }
  ~OpenFile() { close(at); }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  std::string read(std::int64_t from, std::size_t n) const {
    std::string out(n, '\0');
    const ssize_t got = pread(at, out.data(), n, from);
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
  }
  const int at;
};

} // namespace

std::optional<Segment> read_segment_file(const std::string &path, const std::string &id, bool cut) {
  const auto named = event_of_id(id);
  if (!named) return std::nullopt;
  Segment s;
  s.id = id;
  s.camera = named->camera;
  s.start = micros(named->start_time);
  const OpenFile file(path);
  struct stat info {};
  if (fstat(file.at, &info) != 0) fail(Error::Kind::io, "cannot read ", path, ": ", std::strerror(errno));
  constexpr std::size_t box_head = 8, largest = 4 << 20;
  std::string init;
  std::optional<Mp4Moof> moof;
  std::int64_t moof_at = 0;
  for (std::int64_t at = 0; at < info.st_size;) {
    const std::string head = file.read(at, box_head);
    if (head.size() < box_head) break;
    std::int64_t size = 0;
    for (int i = 0; i < 4; i++) size = size << 8 | static_cast<unsigned char>(head[std::size_t(i)]);
    const std::string type = head.substr(4);
    if (size < std::int64_t{box_head} || size > info.st_size - at) break; // the one that was being written
    std::string bytes;
    if (type != "mdat") {
      if (size > std::int64_t{largest}) break;
      bytes = file.read(at, static_cast<std::size_t>(size));
    }
    const std::string_view content = std::string_view(bytes).substr(std::min(bytes.size(), box_head));
    if (type == "ftyp" || type == "moov") {
      init += bytes;
    } else if (type == "prft") {
      if (const auto start = read_clock(content)) s.start = *start;
    } else if (type == "moof") {
      if (s.header == 0) s.header = at;
      moof = read_moof(content);
      moof_at = at;
      if (!moof) break;
    } else if (type == "mdat" && moof) {
      s.fragments.push_back(
          {micros_of_ticks(moof->time), static_cast<std::uint32_t>(at + size - moof_at), moof->key});
      s.duration = micros_of_ticks(moof->time + moof->duration);
      s.bytes = at + size;
      moof.reset();
    } else {
      break;
    }
    at += size;
  }
  if (s.fragments.empty() || init.empty()) return std::nullopt;
  if (cut && s.bytes < info.st_size && ftruncate(file.at, s.bytes) != 0)
    fail(Error::Kind::write, "cannot shorten ", path, ": ", std::strerror(errno));
  if (fdatasync(file.at) != 0) fail(Error::Kind::write, "cannot store ", path, ": ", std::strerror(errno));
  s.stream = stream_of(init);
  s.codecs = codecs_of(init);
  return s;
}

// What a program leaves that was killed before its first fragment was whole: nothing, or a beginning of its
// own. Other bytes are damage, which may hide something.
static bool was_only_begun(const std::string &path) {
  const OpenFile file(path);
  constexpr std::size_t box_head = 8, type_at = 4;
  const std::string head = file.read(0, box_head);
  return head.empty() || (head.size() == box_head && head.substr(type_at) == "ftyp");
}

void RecordingRecovery::close_open() {
  int closed = 0, empty = 0;
  for (const Segment &was : index_.open()) {
    const std::string path = file(was.id);
    try {
      auto now = is_gone(path) ? std::nullopt : read_segment_file(path, was.id, true);
      if (now) {
        if (!was.codecs.empty()) now->codecs = was.codecs;
        now->start = was.start;
        index_.put(*now);
        closed++;
      } else {
        if (!is_gone(path) && was_only_begun(path)) std::ignore = unlink(path.c_str());
        index_.remove({was.id}); // compare() says it where the file stays
        empty++;
      }
    } catch (const Error &e) { // it stays open, for the next start
      log_(text("the recording ", path, " is left as it is: ", e.what()));
    }
  }
  if (closed > 0 || empty > 0)
    log_(text("the program was killed: ",
              counted(closed, "segment of recordings was", "segments of recordings were"), " closed after ",
              word_for(closed, "its", "their"), " last whole part, ", empty, " had none"));
}

bool RecordingRecovery::compare() {
  std::set<std::string> rows = index_.ids();
  const std::set<std::string> cold = index_.cold_ids();
  int found = 0, gone = 0;
  std::error_code error;
  const std::string root = folder_ + "/recordings";
  fs::recursive_directory_iterator i(root, fs::directory_options::skip_permission_denied, error), end;
  std::vector<std::string> unknown;
  std::vector<fs::path> previews;
  for (; !error && i != end; i.increment(error)) {
    const fs::path &path = i->path();
    if (path.extension() == preview_ending) previews.push_back(path);
    if (path.extension() != ".mp4") continue;
    const std::string id = path.stem().string();
    if (rows.erase(id) > 0) {
      if (cold.count(id) && path.string() == file(id))
        index_.set_cold(id, false); // killed while it was moved
      continue;
    }
    std::error_code none;
    if (event_of_id(id) && path.string() == file(id) && i->is_regular_file(none) && !i->is_symlink(none))
      unknown.push_back(id);
  }
  if (error) {
    log_(text("the folder ", root, " cannot be read: ", error.message()));
    return false;
  }
  for (const std::string &id : unknown) {
    try {
      if (const auto s = read_segment_file(file(id), id, false)) {
        index_.put(*s);
        found++;
      } else {
        log_(text("the recording ", file(id), " holds nothing that can be played, and is left as it is"));
      }
    } catch (const Error &e) {
      log_(text("the recording ", file(id), " is left as it is: ", e.what()));
    }
  }
  std::vector<std::string> lost;
  for (const std::string &id : rows)
    if (!cold.count(id) && is_gone(file(id))) lost.push_back(id);
  gone = static_cast<int>(lost.size());
  index_.remove(lost);
  const auto known = previews.empty() ? std::set<std::string>() : index_.ids();
  for (const fs::path &p : previews) // of segments that are gone
    if (const std::string id = p.stem().string(); !known.count(id) && event_of_id(id) &&
                                                  p.string() == folder_ + "/" + preview_path(id) &&
                                                  is_gone(file(id)))
      std::ignore = unlink(p.c_str());
  if (found > 0)
    log_(text(counted(found, "segment"), " of recordings without a row in the database ",
              word_for(found, "was", "were"), " found again"));
  if (gone > 0)
    log_(text(counted(gone, "segment"), " of recordings ",
              word_for(gone, "is gone: its file was", "are gone: their files were"), " removed"));
  return true;
}

} // namespace vigil::monitor
