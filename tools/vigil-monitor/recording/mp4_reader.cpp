// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mp4_reader.h"

#include <algorithm>
#include <cstdio>

namespace vigil::monitor {
namespace {

constexpr std::size_t head = 8, full = 4; // bytes of a box's head, and of version and flags

// 0 where the bytes end.
std::uint64_t number(std::string_view s, std::size_t at, std::size_t n) {
  std::uint64_t v = 0;
  for (std::size_t i = at; i < at + n; i++)
    v = v << 8 | (i < s.size() ? static_cast<unsigned char>(s[i]) : 0);
  return v;
}

template <class F>
void each_box(std::string_view in, F f) {
  while (const auto b = mp4_box(in)) {
    f(*b);
    in.remove_prefix(b->size);
  }
}

void put(std::string &s, std::size_t at, std::uint64_t v, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) s[at + i] = static_cast<char>(v >> (8 * (n - 1 - i)));
}

} // namespace

std::optional<Mp4Box> mp4_box(std::string_view bytes) {
  if (bytes.size() < head) return std::nullopt;
  const auto size = static_cast<std::size_t>(number(bytes, 0, 4));
  if (size < head || size > bytes.size()) return std::nullopt;
  return Mp4Box{bytes.substr(4, 4), bytes.substr(head, size - head), size};
}

std::optional<Mp4Moof> read_moof(std::string_view moof) {
  std::optional<Mp4Moof> out;
  each_box(moof, [&](const Mp4Box &traf) {
    if (traf.type != "traf" || out) return;
    Mp4Moof m;
    bool timed = false, whole = false;
    each_box(traf.content, [&](const Mp4Box &b) {
      if (b.type == "tfdt" && b.content.size() >= full + 8) {
        m.time = static_cast<std::int64_t>(number(b.content, full, 8));
        timed = true;
      }
      constexpr std::size_t first = full + 8, each = 16;
      if (b.type != "trun" || number(b.content, 1, 3) != 0xf01) return;
      const auto samples = static_cast<std::size_t>(number(b.content, full, 4));
      if (samples == 0 || b.content.size() < first || (b.content.size() - first) / each < samples) return;
      m.key = number(b.content, first + 8, 4) >> 16 != 0x101;
      for (std::size_t i = 0; i < samples; i++)
        m.duration += static_cast<std::int64_t>(number(b.content, first + i * each, 4));
      whole = true;
    });
    if (timed && whole) out = m;
  });
  return out;
}

std::optional<std::int64_t> read_clock(std::string_view prft) {
  constexpr std::int64_t from_1900_to_1970 = 2'208'988'800;
  constexpr std::uint64_t million = 1'000'000;
  if (prft.size() < full + 20 || number(prft, 0, 1) != 1) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(number(prft, full + 4, 4)) - from_1900_to_1970;
  const auto part = static_cast<std::int64_t>(number(prft, full + 8, 4) * million >> 32);
  return whole * static_cast<std::int64_t>(million) + part;
}

bool move_fragment(std::string &bytes, std::uint32_t sequence, std::int64_t by) {
  const auto moof = mp4_box(bytes);
  if (!moof || moof->type != "moof") return false;
  const char *const begin = bytes.data();
  std::size_t times = 0;
  const auto place = [&](const Mp4Box &b) { return static_cast<std::size_t>(b.content.data() - begin); };
  each_box(moof->content, [&](const Mp4Box &b) {
    if (b.type == "mfhd" && b.content.size() >= full + 4) put(bytes, place(b) + full, sequence, 4);
    if (b.type != "traf") return;
    each_box(b.content, [&](const Mp4Box &t) {
      if (t.type != "tfdt" || t.content.size() < full + 8) return;
      const auto time = static_cast<std::int64_t>(number(t.content, full, 8)) + by;
      put(bytes, place(t) + full, static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)), 8);
      times++;
    });
  });
  return times > 0;
}

std::string codecs_of(std::string_view init) {
  const auto at = init.find("avcC");
  if (at == init.npos || init.size() < at + 8) return {};
  char out[16];
  std::snprintf(out, sizeof out, "avc1.%06X", static_cast<unsigned>(number(init, at + 5, 3)));
  return out;
}

std::string stream_of(std::string_view init) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char c : init) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char out[20];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
  return out;
}

} // namespace vigil::monitor
