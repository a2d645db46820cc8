// SPDX-License-Identifier: LGPL-2.1-or-later
// The boxes of a fragmented MP4 file (ISO/IEC 14496-12, -14 and -15; Opus: opus-codec.org). GStreamer's
// mp4mux would need a pipeline with threads for each segment, does not say where its fragments begin, and
// ends the file where times jump. Knows no GStreamer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::monitor {

// Of all tracks. What is 90,000 of a second is called a tick.
constexpr std::uint32_t mp4_timescale = 90000;
inline std::int64_t ticks(std::int64_t micros) {
  return micros * 9 / 100;
}
inline std::int64_t micros_of_ticks(std::int64_t ticks) {
  return ticks * 100 / 9;
}

struct Mp4Track {
  enum class Codec { h264, h265, aac, opus };
  Codec codec = Codec::h264;
  std::string setup;         // the codec's own: avcC, hvcC, AudioSpecificConfig
  std::string name;          // avc1.42c01e
  int width = 0, height = 0; // of pictures
  int rate = 0, channels = 0;
  int pre_skip = 0; // of Opus, in samples
  bool operator==(const Mp4Track &) const = default;
};

struct Mp4Sample {
  std::uint32_t bytes = 0;
  std::int64_t duration = 0, shown_later = 0; // ticks; later than it is decoded, may be negative
  bool key = true;
};
struct Mp4Run { // of samples of one track, one after the other
  unsigned track = 1;
  std::int64_t time = 0; // when the first is decoded, in ticks
  std::vector<Mp4Sample> samples;
};

// ftyp and moov. The tracks have the numbers 1, 2, ... in this order. The same tracks give the same bytes.
std::string mp4_init(std::span<const Mp4Track>);
// prft: the time 0 of track 1 as microseconds since 1970 UTC.
std::string mp4_clock(std::int64_t utc);
constexpr std::size_t mp4_clock_bytes = 32;
// moof, and the head of the mdat that holds the samples' bytes, run by run.
std::string mp4_fragment_head(std::uint32_t sequence, std::span<const Mp4Run>);

} // namespace vigil::monitor
