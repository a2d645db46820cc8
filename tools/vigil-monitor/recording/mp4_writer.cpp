// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mp4_writer.h"

#include <algorithm>
#include <string_view>

namespace vigil::monitor {
namespace {

class Boxes {
 public:
  template <class F>
  void box(std::string_view type, F content) {
    const std::size_t at = out_.size();
    u32(0);
    out_ += type;
    content();
    const auto size = static_cast<std::uint32_t>(out_.size() - at);
    for (int i = 0; i < 4; i++) out_[at + std::size_t(i)] = static_cast<char>(size >> (24 - 8 * i));
  }
  template <class F>
  void full(std::string_view type, std::uint32_t version, std::uint32_t flags, F content) {
    box(type, [&] {
      u32(version << 24 | flags);
      content();
    });
  }
  void bytes(std::string_view s) { out_ += s; }
  void zeros(std::size_t n) { out_.append(n, '\0'); }
  void u8(unsigned v) { out_ += static_cast<char>(v); }
  void u16(unsigned v) {
    u8(v >> 8);
    u8(v);
  }
  void u32(std::uint32_t v) {
    u16(v >> 16);
    u16(v & 0xffff);
  }
  void u64(std::uint64_t v) {
    u32(static_cast<std::uint32_t>(v >> 32));
    u32(static_cast<std::uint32_t>(v));
  }
  std::size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

bool is_sound(const Mp4Track &t) {
  return t.codec == Mp4Track::Codec::aac || t.codec == Mp4Track::Codec::opus;
}

void matrix(Boxes &b) {
  for (const std::uint32_t v : {0x10000u, 0u, 0u, 0u, 0x10000u, 0u, 0u, 0u, 0x40000000u}) b.u32(v);
}

// A descriptor of MPEG-4 systems with a length of one byte each; a setup is a few bytes long.
void esds(Boxes &b, const Mp4Track &t) {
  const std::string setup = t.setup.substr(0, 64);
  const auto n = static_cast<unsigned>(setup.size());
  b.full("esds", 0, 0, [&] {
    b.u8(3), b.u8(3 + 2 + 13 + 2 + n + 3), b.u16(0), b.u8(0); // ES
    b.u8(4), b.u8(13 + 2 + n);                                // decoder
    b.u8(0x40), b.u8(0x15), b.zeros(3), b.u32(0), b.u32(0);   // AAC, sound; sizes and rates unknown
    b.u8(5), b.u8(n), b.bytes(setup);
    b.u8(6), b.u8(1), b.u8(2); // as MP4 has it
  });
}

void sample_entry(Boxes &b, const Mp4Track &t) {
  using Codec = Mp4Track::Codec;
  const auto sound = [&](const auto &setup) {
    b.zeros(6), b.u16(1);
    b.zeros(8);
    b.u16(static_cast<unsigned>(t.channels)), b.u16(16), b.u32(0);
    b.u32(static_cast<std::uint32_t>(std::clamp(t.rate, 0, 0xffff)) << 16);
    setup();
  };
  const auto pictures = [&](const char *setup) {
    b.zeros(6), b.u16(1);
    b.zeros(16);
    b.u16(static_cast<unsigned>(t.width)), b.u16(static_cast<unsigned>(t.height));
    b.u32(0x480000), b.u32(0x480000), b.u32(0), b.u16(1); // 72 dots an inch
    b.zeros(32), b.u16(24), b.u16(0xffff);
    b.box(setup, [&] { b.bytes(t.setup); });
  };
  switch (t.codec) {
  case Codec::h264:
    return b.box("avc1", [&] { pictures("avcC"); });
  case Codec::h265:
    return b.box("hvc1", [&] { pictures("hvcC"); });
  case Codec::aac:
    return b.box("mp4a", [&] { sound([&] { esds(b, t); }); });
  case Codec::opus:
    return b.box("Opus", [&] {
      sound([&] {
        b.box("dOps", [&] {
          b.u8(0), b.u8(static_cast<unsigned>(t.channels)), b.u16(static_cast<unsigned>(t.pre_skip));
          b.u32(static_cast<std::uint32_t>(t.rate)), b.u16(0), b.u8(0);
        });
      });
    });
  }
}

void track(Boxes &b, const Mp4Track &t, unsigned number) {
  const bool sound = is_sound(t);
  b.box("trak", [&] {
    b.full("tkhd", 0, 3, [&] {
      b.zeros(8), b.u32(number), b.u32(0), b.u32(0), b.zeros(8);
      b.u16(0), b.u16(0), b.u16(sound ? 0x100 : 0), b.u16(0);
      matrix(b);
      b.u32(static_cast<std::uint32_t>(t.width) << 16), b.u32(static_cast<std::uint32_t>(t.height) << 16);
    });
    b.box("mdia", [&] {
      b.full("mdhd", 0, 0, [&] { b.zeros(8), b.u32(mp4_timescale), b.u32(0), b.u16(0x55c4), b.u16(0); });
      b.full("hdlr", 0, 0, [&] { b.u32(0), b.bytes(sound ? "soun" : "vide"), b.zeros(12), b.u8(0); });
      b.box("minf", [&] {
        if (sound)
          b.full("smhd", 0, 0, [&] { b.u32(0); });
        else
          b.full("vmhd", 0, 1, [&] { b.zeros(8); });
        b.box("dinf", [&] { b.full("dref", 0, 0, [&] { b.u32(1), b.full("url ", 0, 1, [] {}); }); });
        b.box("stbl", [&] {
          b.full("stsd", 0, 0, [&] { b.u32(1), sample_entry(b, t); });
          b.full("stts", 0, 0, [&] { b.u32(0); });
          b.full("stsc", 0, 0, [&] { b.u32(0); });
          b.full("stsz", 0, 0, [&] { b.u32(0), b.u32(0); });
          b.full("stco", 0, 0, [&] { b.u32(0); });
        });
      });
    });
  });
}

} // namespace

std::string mp4_init(std::span<const Mp4Track> tracks) {
  Boxes b;
  b.box("ftyp", [&] { b.bytes("iso6"), b.u32(0), b.bytes("iso6isommp41"); });
  b.box("moov", [&] {
    b.full("mvhd", 0, 0, [&] {
      b.zeros(8), b.u32(mp4_timescale), b.u32(0), b.u32(0x10000), b.u16(0x100), b.zeros(10);
      matrix(b);
      b.zeros(24), b.u32(static_cast<std::uint32_t>(tracks.size()) + 1);
    });
    unsigned number = 0;
    for (const Mp4Track &t : tracks) track(b, t, ++number);
    b.box("mvex", [&] {
      for (unsigned n = 1; n <= number; n++)
        b.full("trex", 0, 0, [&] { b.u32(n), b.u32(1), b.u32(0), b.u32(0), b.u32(0); });
    });
  });
  return b.take();
}

std::string mp4_clock(std::int64_t utc) {
  constexpr std::uint64_t from_1900_to_1970 = 2'208'988'800;
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(utc, 0));
  constexpr std::uint64_t million = 1'000'000;
  Boxes b;
  b.full("prft", 1, 0, [&] {
    b.u32(1), b.u32(static_cast<std::uint32_t>(us / million + from_1900_to_1970));
    b.u32(static_cast<std::uint32_t>(((us % million << 32) + million - 1) /
                                     million)); // up: so it comes back as it was
    b.u64(0);
  });
  return b.take();
}

std::string mp4_fragment_head(std::uint32_t sequence, std::span<const Mp4Run> runs) {
  constexpr std::uint32_t key = 0x02000000,
                          other = 0x01010000; // sample_depends_on, sample_is_non_sync_sample
  constexpr std::size_t box_head = 8, mfhd = 16, traf_head = 8 + 16 + 20 + 20, a_sample = 16;
  std::size_t moof = box_head + mfhd, data = 0;
  for (const Mp4Run &r : runs) {
    moof += traf_head + a_sample * r.samples.size();
    for (const Mp4Sample &s : r.samples) data += s.bytes;
  }
  Boxes b;
  std::size_t at = moof + box_head;
  b.box("moof", [&] {
    b.full("mfhd", 0, 0, [&] { b.u32(sequence); });
    for (const Mp4Run &r : runs)
      b.box("traf", [&] {
        b.full("tfhd", 0, 0x20000, [&] { b.u32(r.track); }); // offsets count from the moof
        b.full("tfdt", 1, 0, [&] { b.u64(static_cast<std::uint64_t>(std::max<std::int64_t>(r.time, 0))); });
        b.full("trun", 1, 0xf01, [&] {
          b.u32(static_cast<std::uint32_t>(r.samples.size())), b.u32(static_cast<std::uint32_t>(at));
          for (const Mp4Sample &s : r.samples) {
            b.u32(static_cast<std::uint32_t>(s.duration)), b.u32(s.bytes), b.u32(s.key ? key : other);
            b.u32(static_cast<std::uint32_t>(static_cast<std::int32_t>(s.shown_later)));
            at += s.bytes;
          }
        });
      });
  });
  b.u32(static_cast<std::uint32_t>(data + box_head));
  b.bytes("mdat");
  return b.take();
}

} // namespace vigil::monitor
