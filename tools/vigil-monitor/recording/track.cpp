// SPDX-License-Identifier: LGPL-2.1-or-later
#include "track.h"

#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"

#include <gst/pbutils/pbutils.h>
#include <string_view>

namespace vigil::monitor {
namespace {

std::string bytes_of(GstBuffer *buffer) {
  return std::string(tools::MappedBuffer(buffer).bytes());
}

std::string setup_of(const GstStructure *s) {
  const GValue *value = gst_structure_get_value(s, "codec_data");
  return value && GST_VALUE_HOLDS_BUFFER(value) ? bytes_of(gst_value_get_buffer(value)) : std::string();
}

// Bytes 10 and 11 of the head that an Ogg file would have.
int pre_skip_of(const GstStructure *s) {
  const GValue *heads = gst_structure_get_value(s, "streamheader");
  if (!heads || !GST_VALUE_HOLDS_ARRAY(heads) || gst_value_array_get_size(heads) == 0) return 0;
  const GValue *first = gst_value_array_get_value(heads, 0);
  const std::string head =
      GST_VALUE_HOLDS_BUFFER(first) ? bytes_of(gst_value_get_buffer(first)) : std::string();
  constexpr std::size_t at = 10;
  if (head.size() < at + 2) return 0;
  return static_cast<unsigned char>(head[at]) | static_cast<unsigned char>(head[at + 1]) << 8;
}

} // namespace

std::optional<Mp4Track> track_of(const GstCaps *caps) {
  using Codec = Mp4Track::Codec;
  const GstStructure *s = caps && gst_caps_get_size(caps) ? gst_caps_get_structure(caps, 0) : nullptr;
  if (!s) return std::nullopt;
  const std::string_view name = gst_structure_get_name(s);
  Mp4Track t;
  t.setup = setup_of(s);
  gst_structure_get_int(s, "width", &t.width);
  gst_structure_get_int(s, "height", &t.height);
  gst_structure_get_int(s, "rate", &t.rate);
  gst_structure_get_int(s, "channels", &t.channels);
  if (const gst::TextPtr codec(gst_codec_utils_caps_get_mime_codec(const_cast<GstCaps *>(caps))); codec)
    t.name = codec.get();
  constexpr int opus_rate = 48000, largest = 0xffff;
  if (name == "video/x-h264" || name == "video/x-h265") {
    t.codec = name == "video/x-h264" ? Codec::h264 : Codec::h265;
    const bool known = !t.setup.empty() && t.width > 0 && t.height > 0;
    return known && t.width <= largest && t.height <= largest ? std::optional(t) : std::nullopt;
  }
  if (name == "audio/mpeg") {
    t.codec = Codec::aac;
    if (t.name.empty()) t.name = "mp4a.40.2";
    return !t.setup.empty() && t.rate > 0 && t.channels > 0 ? std::optional(t) : std::nullopt;
  }
  if (name != "audio/x-opus") return std::nullopt;
  t.codec = Codec::opus;
  t.name = "opus";
  t.setup.clear();
  t.rate = opus_rate;
  if (t.channels == 0) t.channels = 2;
  t.pre_skip = pre_skip_of(s);
  return t.channels <= 2 ? std::optional(t) : std::nullopt;
}

} // namespace vigil::monitor
