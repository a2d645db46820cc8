// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of one segment, for scrubbing: a file next to the segment's, which goes with it. It holds
// one after the other: the time after the segment's start in ms, the number of bytes, the JPEG. Both numbers
// have four bytes, the highest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vigil::monitor {

inline constexpr const char *preview_ending = ".previews";

// Below the storage folder, of a segment's id.
std::string preview_path(const std::string &id);

// All of it or nothing; not synced. `at`: microseconds after the segment's start. Throws Error::write.
void append_preview(const std::string &path, std::int64_t at, std::string_view jpeg);

struct Preview {
  std::int64_t at = 0; // microseconds after the segment's start
  std::string jpeg;
};
// The one whose time is nearest to `at`. Empty where there is none that can be read: bytes are not trusted.
std::optional<Preview> nearest_preview(const std::string &path, std::int64_t at);

} // namespace vigil::monitor
