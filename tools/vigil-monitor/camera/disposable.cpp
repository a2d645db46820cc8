// SPDX-License-Identifier: LGPL-2.1-or-later
#include "disposable.h"

#include "tools/base/mapped.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vigil::monitor {
namespace {

using ByteSpan = std::span<const std::uint8_t>;

// Counts slices; false as soon as a unit is one that other frames need.
struct Judge {
  int slices = 0;
  bool take(std::uint8_t header) { // the first byte of a unit
    const int type = header & 31, reference = header >> 5 & 3;
    constexpr int last_of_slices = 5, parameters = 7, picture_parameters = 8;
    if (type >= 1 && type <= last_of_slices) slices++;
    const bool needed = type == last_of_slices || type == parameters || type == picture_parameters;
    return !needed && (type > last_of_slices || reference == 0);
  }
};

// Units with their length before them, in `size` bytes.
bool is_disposable_avc(ByteSpan data, std::size_t size) {
  Judge judge;
  while (data.size() > size) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < size; i++) length = length << 8 | data[i];
    if (length == 0 || length > data.size() - size || !judge.take(data[size])) return false;
    data = data.subspan(size + length);
  }
  return data.empty() && judge.slices > 0;
}

// Units after the bytes 0 0 1.
bool is_disposable_stream(ByteSpan data) {
  Judge judge;
  for (std::size_t i = 0; i + 3 < data.size(); i++)
    if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1 && !judge.take(data[i + 3])) return false;
  return judge.slices > 0;
}

// How long the lengths are; 0: the caps do not say.
std::size_t length_size(const GstStructure *s) {
  const GValue *value = gst_structure_get_value(s, "codec_data");
  if (!value || !GST_VALUE_HOLDS_BUFFER(value)) return 0;
  std::uint8_t byte = 0;
  constexpr gsize place = 4; // of lengthSizeMinusOne
  if (gst_buffer_extract(gst_value_get_buffer(value), place, &byte, 1) != 1) return 0;
  return std::size_t(byte & 3) + 1;
}

} // namespace

bool nothing_refers_to(GstBuffer *buffer, const GstCaps *caps) {
  if (!caps || gst_caps_get_size(caps) == 0) return false;
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  if (gst_structure_has_name(s, "image/jpeg")) return true;
  const char *format = gst_structure_get_string(s, "stream-format");
  if (!gst_structure_has_name(s, "video/x-h264") || !format) return false;
  const bool lengths = std::string_view(format) == "avc";
  const std::size_t size = lengths ? length_size(s) : 0;
  if (lengths ? size == 0 : std::string_view(format) != "byte-stream") return false;
  const tools::MappedBuffer map(buffer);
  if (!map) return false;
  const ByteSpan data(map.data(), map.size());
  return lengths ? is_disposable_avc(data, size) : is_disposable_stream(data);
}

} // namespace vigil::monitor
