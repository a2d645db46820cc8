// SPDX-License-Identifier: LGPL-2.1-or-later
#include "segment.h"

#include "../store/event.h"

namespace vigil::monitor {
namespace {

// Seven bits a byte, the lowest first; the highest bit says that more follow.
void put(std::string &out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

std::optional<std::uint64_t> take(std::string_view &from) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    v |= std::uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return v;
  }
  return std::nullopt;
}

} // namespace

std::string packed(const std::vector<Fragment> &fragments) {
  std::string out;
  std::int64_t last = 0;
  for (const Fragment &f : fragments) {
    put(out, static_cast<std::uint64_t>(f.start - last) << 1 | (f.key ? 1 : 0));
    put(out, f.bytes);
    last = f.start;
  }
  return out;
}

std::optional<std::vector<Fragment>> unpacked(std::string_view from) {
  std::vector<Fragment> out;
  std::int64_t last = 0;
  while (!from.empty()) {
    const auto time = take(from), bytes = take(from);
    if (!time || !bytes || *bytes > UINT32_MAX) return std::nullopt;
    last += static_cast<std::int64_t>(*time >> 1);
    out.push_back({last, static_cast<std::uint32_t>(*bytes), (*time & 1) != 0});
  }
  return out;
}

std::string recording_path(const std::string &id) {
  const auto named = event_of_id(id);
  if (!named) return "recordings/" + id + ".mp4";
  return "recordings/" + named->camera + "/" + utc_day(named->start_time) + "/" + id + ".mp4";
}

std::string new_segment_id(std::int64_t start, const std::string &camera) {
  return new_event_id(seconds(start), camera);
}

} // namespace vigil::monitor
