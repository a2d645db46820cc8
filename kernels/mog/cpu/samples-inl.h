// SPDX-License-Identifier: LGPL-2.1-or-later
// A block's pixels, in any format, as up to three arrays of 64 bytes.
#if defined(VIGIL_MOG_CPU_SAMPLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_MOG_CPU_SAMPLES_INL_H
#undef VIGIL_MOG_CPU_SAMPLES_INL_H
#else
#define VIGIL_MOG_CPU_SAMPLES_INL_H
#endif

#include "common/turned.h"
#include "kernels/mog/cpu/job.h"

#include <algorithm>
#include <cstring>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Samples {
  const std::uint8_t *channel[3] = {};
  alignas(64) std::uint8_t bytes[3][2 * block_pixels];
  alignas(64) std::uint8_t padded[4 * block_pixels];
};

// `items` groups of `size` bytes at `p`; where that is less than `full` groups, a copy that repeats the last
// group, so that pixels outside the picture are like the last one inside.
HWY_INLINE const std::uint8_t *whole_block(const std::uint8_t *p, int items, int size, int full,
                                           std::uint8_t *copy) {
  if (items == full) return p;
  std::memcpy(copy, p, std::size_t(items) * size);
  for (int i = items; i < full; i++)
    std::memcpy(copy + i * size, p + std::ptrdiff_t(items - 1) * size, std::size_t(size));
  return copy;
}

HWY_INLINE void split_colours(const std::uint8_t *p, Samples &s) {
  const hn::CappedTag<std::uint8_t, 16> d;
  for (int i = 0; i < block_pixels; i += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<decltype(d)> v0, v1, v2, unused;
    hn::LoadInterleaved4(d, p + 4 * i, v0, v1, v2, unused);
    hn::Store(v0, d, s.bytes[0] + i);
    hn::Store(v1, d, s.bytes[1] + i);
    hn::Store(v2, d, s.bytes[2] + i);
  }
  for (int c = 0; c < 3; c++) s.channel[c] = s.bytes[c];
}

// mog.h's luma(); its sum fits 16 bits.
HWY_INLINE void mix_luma(const std::uint8_t *p, bool red_first, Samples &s) {
  const hn::CappedTag<std::uint8_t, 8> d;
  const hn::Rebind<std::uint16_t, decltype(d)> wide;
  const hn::Rebind<std::int16_t, decltype(d)> narrow;
  const auto first = hn::Set(wide, red_first ? 77 : 29), third = hn::Set(wide, red_first ? 29 : 77);
  for (int i = 0; i < block_pixels; i += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<decltype(d)> v0, v1, v2, unused;
    hn::LoadInterleaved4(d, p + 4 * i, v0, v1, v2, unused);
    auto sum = hn::Add(hn::Mul(hn::PromoteTo(wide, v0), first), hn::Set(wide, 128));
    sum = hn::Add(sum, hn::Mul(hn::PromoteTo(wide, v1), hn::Set(wide, 150)));
    sum = hn::Add(sum, hn::Mul(hn::PromoteTo(wide, v2), third));
    hn::Store(hn::DemoteTo(d, hn::BitCast(narrow, hn::ShiftRight<8>(sum))), d, s.bytes[0] + i);
  }
  s.channel[0] = s.bytes[0];
}

// Chroma: 32 values, each for two pixels.
HWY_INLINE void double_width(const std::uint8_t *p, std::uint8_t *out) {
  const hn::CappedTag<std::uint8_t, 16> d;
  for (int i = 0; i < block_pixels / 2; i += static_cast<int>(hn::Lanes(d))) {
    const auto v = hn::LoadU(d, p + i);
    hn::StoreInterleaved2(v, v, d, out + 2 * i);
  }
}
HWY_INLINE void double_pairs(const std::uint8_t *p, Samples &s) {
  const hn::CappedTag<std::uint8_t, 16> d;
  for (int i = 0; i < block_pixels / 2; i += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<decltype(d)> u, v;
    hn::LoadInterleaved2(d, p + 2 * i, u, v);
    hn::StoreInterleaved2(u, u, d, s.bytes[1] + 2 * i);
    hn::StoreInterleaved2(v, v, d, s.bytes[2] + 2 * i);
  }
}

// Pixels x..x+63 of row y, 0 <= x < width. An odd x lies in the middle of a chroma value's two pixels: then
// one value more is loaded, and the first pixel is left out.
HWY_INLINE void load_samples(const ConstImage &frame, int channels, int x, int y, Samples &s) {
  const int count = std::min(block_pixels, frame.width - x);
  const std::uint8_t *row = frame.plane(0).row(y);
  if (frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra) {
    const auto *p = whole_block(row + std::ptrdiff_t(4) * x, count, 4, block_pixels, s.padded);
    if (channels == 3)
      split_colours(p, s);
    else
      mix_luma(p, frame.format == PixelFormat::rgba, s);
    return;
  }
  s.channel[0] = whole_block(row + x, count, 1, block_pixels, s.bytes[0]);
  if (channels == 1) return;
  const int odd = x % 2, pairs = (count + odd + 1) / 2, full = std::min(pairs, block_pixels / 2);
  const bool one_more = pairs > full;
  if (frame.format == PixelFormat::nv12) {
    const std::uint8_t *p = frame.plane(1).row(y / 2) + (x - odd);
    double_pairs(whole_block(p, full, 2, block_pixels / 2, s.padded), s);
    for (int c = 1; c < 3; c++) s.bytes[c][block_pixels] = p[one_more ? block_pixels + c - 1 : c - 1];
  } else {
    for (int c = 1; c < 3; c++) {
      const std::uint8_t *p = frame.plane(c).row(y / 2) + x / 2;
      double_width(whole_block(p, full, 1, block_pixels / 2, s.padded), s.bytes[c]);
      s.bytes[c][block_pixels] = p[one_more ? block_pixels / 2 : 0];
    }
  }
  for (int c = 1; c < 3; c++) s.channel[c] = s.bytes[c] + odd;
}

// `place`: where pixel i is, the first of a piece of `size` pixels side by side.
template <class Place>
HWY_INLINE void load_pieces(const ConstImage &frame, int channels, int size, Samples &s, const Place &place) {
  const bool packed = frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra;
  const bool red_first = frame.format == PixelFormat::rgba;
  for (int c = 0; c < channels; c++) s.channel[c] = s.bytes[c];
  for (int first = 0; first < block_pixels; first += size) {
    const Position piece = place(first);
    const int y = std::clamp(piece.y, 0, frame.height - 1);
    const std::uint8_t *row = frame.plane(0).row(y);
    for (int i = first; i < first + size; i++) {
      const int at = std::clamp(piece.x + i - first, 0, frame.width - 1);
      const std::uint8_t *p = row + (packed ? std::ptrdiff_t(4) * at : at);
      if (channels == 1) {
        const int grey = packed ? luma(p[red_first ? 0 : 2], p[1], p[red_first ? 2 : 0]) : *p;
        s.bytes[0][i] = static_cast<std::uint8_t>(grey);
        continue;
      }
      for (int c = 0; c < (packed ? 3 : 1); c++) s.bytes[c][i] = p[c];
      if (packed) continue;
      for (int c = 1; c < 3; c++)
        s.bytes[c][i] = frame.format == PixelFormat::nv12 ? frame.plane(1).row(y / 2)[at / 2 * 2 + c - 1]
                                                          : frame.plane(c).row(y / 2)[at / 2];
    }
  }
}

// The same for any x: where the picture ends, its first or last pixel is repeated. For the few blocks that
// stick out of a shifted frame.
HWY_INLINE void load_clamped(const ConstImage &frame, int channels, int x, int y, Samples &s) {
  load_pieces(frame, channels, block_pixels, s, [&](int i) { return Position{x + i, y}; });
}
// The same of a block whose first pixel is (x, y), in a frame that is turned.
HWY_INLINE void load_turned(const ConstImage &frame, int channels, const Turned &places, int x, int y,
                            Samples &s) {
  load_pieces(frame, channels, Turned::tile, s, [&](int i) { return places.of(x + i, y); });
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
