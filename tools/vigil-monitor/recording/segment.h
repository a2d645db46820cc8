// SPDX-License-Identifier: LGPL-2.1-or-later
// One file of the continuous recording and what the index knows of it. Times are microseconds: `start` since
// 1970 UTC, all others after the segment's start.
//
// The file is fragmented MP4: ftyp, moov, prft (which holds `start`, for a file that lost its row), then
// fragments of less than a second, each a moof and an mdat. A fragment begins wherever a key frame is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

constexpr std::int64_t a_second = 1'000'000; // microseconds

inline std::int64_t micros(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e6 + (seconds < 0 ? -0.5 : 0.5));
}
inline double seconds(std::int64_t micros) {
  return static_cast<double>(micros) / 1e6;
}

struct Fragment {
  std::int64_t start = 0;
  std::uint32_t bytes = 0;
  bool key = false; // begins with a key frame
  bool operator==(const Fragment &) const = default;
};

struct Segment {
  enum class Tier { unknown = -1, plain = 0, motion = 1 }; // motion: a motion event overlaps it
  std::string id, camera, codecs; // codecs as RFC 6381 has them: avc1.42c01e,mp4a.40.2
  std::int64_t start = 0, duration = 0, bytes = 0;
  std::int64_t header = 0; // bytes before the first fragment
  std::string stream;      // equal for segments whose fragments can follow each other in one file
  bool open = false;       // it is being written
  bool cold = false;       // its file is in the second folder
  Tier tier = Tier::unknown;
  // Of events whose clips are parts of it. It stays as long as they do, and of kept ones without a limit.
  enum class Held { no = 0, event = 1, kept = 2 };
  Held held = Held::no;
  std::vector<Fragment> fragments;
  std::int64_t end() const { return start + duration; }
};

// A time in which a camera recorded nothing. Without an end it goes on.
struct Gap {
  std::string camera, reason;
  std::int64_t start = 0;
  std::optional<std::int64_t> end;
};

// What a gap's reason may be.
namespace gap_reason {
inline constexpr const char *camera_away = "camera away", *disk_full = "disk full",
                            *disk_failed = "disk failed", *disk_slow = "disk slow",
                            *stopped = "program stopped", *switched_off = "switched off",
                            *new_stream = "stream changed", *no_key_frame = "no key frame",
                            *clock_set = "clock set", *file_gone = "file removed",
                            *deleted = "deleted by retention";
}

// The fragments as few bytes, for the index.
std::string packed(const std::vector<Fragment> &);
// Empty when they cannot be read whole.
std::optional<std::vector<Fragment>> unpacked(std::string_view);

// Below the storage folder: recordings/CAMERA/YYYY-MM-DD/ID.mp4. Camera and day are those of the id.
std::string recording_path(const std::string &id);
std::string new_segment_id(std::int64_t start, const std::string &camera);

} // namespace vigil::monitor
