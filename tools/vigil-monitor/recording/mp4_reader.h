// SPDX-License-Identifier: LGPL-2.1-or-later
// What mp4_writer.h wrote, read again. Bytes are not trusted: a damaged file is not understood, no more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vigil::monitor {

struct Mp4Box {
  std::string_view type, content;
  std::size_t size = 0; // with its head
};
// The box at the begin of `bytes`; nothing when it is not whole.
std::optional<Mp4Box> mp4_box(std::string_view bytes);

struct Mp4Moof {
  std::int64_t time = 0, duration = 0; // of its first track, in ticks
  bool key = false;                    // its first sample
};
std::optional<Mp4Moof> read_moof(std::string_view moof_content);

// Microseconds since 1970 of a prft.
std::optional<std::int64_t> read_clock(std::string_view prft_content);

// Gives the fragment at the begin of `bytes` this number, and moves its times by so many ticks; no time
// becomes less than 0. False when it is no fragment.
bool move_fragment(std::string &bytes, std::uint32_t sequence, std::int64_t by);

// avc1.42C01E, as GStreamer writes it, where the moov has an avcC; else empty.
std::string codecs_of(std::string_view init);
// Equal for equal ftyp and moov.
std::string stream_of(std::string_view init);

} // namespace vigil::monitor
