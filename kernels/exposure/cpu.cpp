// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure on the CPU. The estimate works on a few thousand samples, gathered once; frames are mapped by
// vectors of bytes in all threads, and only when there is something to undo.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/exposure/estimate.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exposure/cpu.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#ifndef VIGIL_EXPOSURE_GROUP
#define VIGIL_EXPOSURE_GROUP
namespace vigil::exposure {
// A row's bytes come in groups of four with a table each: R G B A, four of one plane, or U V U V.
struct Group {
  Table table[4];
  bool clips[4]; // the rule for clipped samples holds
};
} // namespace vigil::exposure
#endif

HWY_BEFORE_NAMESPACE();
namespace vigil::exposure::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void map_row(const std::uint8_t *from, const std::uint8_t *background, std::uint8_t *to, std::size_t bytes,
             const Group &g) {
  const hn::ScalableTag<std::uint16_t> d16;
  const hn::RebindToSigned<decltype(d16)> i16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  HWY_ALIGN std::uint16_t scales[HWY_MAX_BYTES / 2];
  HWY_ALIGN std::int16_t shifts[HWY_MAX_BYTES / 2];
  HWY_ALIGN std::uint8_t clips[HWY_MAX_BYTES / 2];
  for (std::size_t i = 0; i < lanes; i++) {
    scales[i] = static_cast<std::uint16_t>(g.table[i % 4].scale);
    shifts[i] = static_cast<std::int16_t>(g.table[i % 4].shift + 8);
    clips[i] = g.clips[i % 4] ? 255 : 0;
  }
  const auto scale = hn::Load(d16, scales);
  const auto shift = hn::Load(i16, shifts);
  const auto clip = hn::Load(d8, clips), high = hn::Set(d8, clipped_high), low = hn::Set(d8, clipped_low);
  const auto map = [&](auto y, auto b) {
    // y * scale / 256 is the upper half of (256 y) * scale.
    const auto product = hn::BitCast(i16, hn::MulHigh(hn::ShiftLeft<8>(hn::PromoteTo(d16, y)), scale));
    const auto v = hn::DemoteTo(d8, hn::ShiftRight<4>(hn::Add(product, shift)));
    const auto too_high = hn::And(hn::Eq(hn::Max(y, high), y), hn::Lt(v, b));
    const auto too_low = hn::And(hn::Eq(hn::Min(y, low), y), hn::Gt(v, b));
    return hn::IfThenElse(hn::And(hn::Or(too_high, too_low), hn::Ne(clip, hn::Zero(d8))), b, v);
  };
  std::size_t i = 0;
  for (; i + lanes <= bytes; i += lanes)
    hn::StoreU(map(hn::LoadU(d8, from + i), hn::LoadU(d8, background + i)), d8, to + i);
  if (i == bytes) return;
  HWY_ALIGN std::uint8_t y[HWY_MAX_BYTES / 2] = {}, b[HWY_MAX_BYTES / 2] = {}, v[HWY_MAX_BYTES / 2];
  std::memcpy(y, from + i, bytes - i);
  std::memcpy(b, background + i, bytes - i);
  hn::Store(map(hn::Load(d8, y), hn::Load(d8, b)), d8, v);
  std::memcpy(to + i, v, bytes - i);
}

} // namespace
} // namespace vigil::exposure::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::exposure {
namespace {

HWY_EXPORT(map_row);

class CpuExposure final : public Exposure {
 public:
  explicit CpuExposure(CpuDevice &device) : device_(device) {}

  ConstImage apply(const ConstImage &frame, const Shifted &shifted, int channels, const Image &out,
                   Queue &) override {
    check(frame, shifted.picture, channels, out);
    const ConstImage background = shifted.seen();
    estimate(frame, background, channels);
    if (told()) *told() = lines_;
    Table table[3];
    bool nothing = true;
    for (int c = 0; c < channels; c++) {
      table[c] = table_for(lines_.channel[c]);
      nothing &= table[c].is_identity();
    }
    if (nothing) return frame;
    for (int i = 0; i < plane_count(frame.format); i++) map_plane(frame, background, channels, out, i, table);
    return out;
  }
  const Lines *lines() const override { return &lines_; }
  void set(const Lines &l, Queue &) override { lines_ = l; }

 private:
  void estimate(const ConstImage &frame, const ConstImage &background, int channels) {
    const int step = step_for(frame.width, frame.height);
    for (int c = 0; c < channels; c++) {
      samples_.clear();
      for (int y = step / 2; y < frame.height; y += step)
        for (int x = step / 2; x < frame.width; x += step)
          samples_.add(sample(background, channels, c, x, y), sample(frame, channels, c, x, y));
      update(lines_, c, samples_, channel_kind(frame.format, c));
    }
  }

  void map_plane(const ConstImage &frame, const ConstImage &background, int channels, const Image &out, int i,
                 const Table *table) {
    Group g;
    bool copied = true;
    for (int k = 0; k < 4; k++) {
      const int c = channel_of(frame.format, channels, i, k);
      g.table[k] = c < 0 ? Table{} : table[c];
      g.clips[k] = c >= 0 && !g.table[k].is_identity() && may_clip(frame.format, channels, c);
      copied &= g.table[k].is_identity();
    }
    const auto bytes = static_cast<std::size_t>(row_bytes(frame.format, i, frame.width));
    const auto from = frame.plane(i), back = background.plane(i);
    const auto to = out.plane(i);
    constexpr int worthwhile = 1 << 16; // bytes
    device_.parallel(plane_rows(i, frame.height), std::max(worthwhile / int(bytes), 1),
                     [&](int first, int last) {
                       for (int y = first; y < last; y++)
                         if (copied)
                           std::memcpy(to.row(y), from.row(y), bytes);
                         else
                           HWY_DYNAMIC_DISPATCH(map_row)(from.row(y), back.row(y), to.row(y), bytes, g);
                     });
  }

  CpuDevice &device_;
  Lines lines_;
  Samples samples_;
};

} // namespace

std::unique_ptr<Exposure> make_cpu(Device &device) {
  return std::make_unique<CpuExposure>(device_cast<CpuDevice>(device));
}

} // namespace vigil::exposure
#endif
