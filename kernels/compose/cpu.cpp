// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures on the CPU: pairs of rows on all threads, SIMD compiled once for each instruction set and chosen
// at run time, then the outlines.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/compose/layers.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/compose/cpu.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::compose::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_SCALAR // vectors of one byte: words of four do better

constexpr int block_bytes = 4;

template <int pixel_bytes>
HWY_INLINE void blend_block(const Blends &b, const std::uint8_t *from, const std::uint8_t *mask,
                            std::uint8_t *to) {
  std::uint32_t v, out = 0;
  std::memcpy(&v, from, 4);
  for (int i = 0; i < 4; i++) {
    const std::uint8_t m = mask[i / pixel_bytes];
    const Blend &own = m == 255 ? b.foreground : m > 0 ? b.shadow : b.background;
    out |= own(v) & 0xffu << (8 * i);
  }
  std::memcpy(to, &out, 4);
}

#else

using Bytes = hn::CappedTag<std::uint8_t, 64>;
using Byte = hn::Vec<Bytes>;
using Halves = hn::Repartition<std::uint16_t, Bytes>;
using Words = hn::Repartition<std::uint32_t, Bytes>;

HWY_INLINE Byte apply(const Blend &blend, Byte v) {
  if (blend.copies()) return v;
  const Bytes d;
  const Halves halves;
  const Words words;
  const auto spread = [&](std::uint32_t w) HWY_ATTR { return hn::BitCast(halves, hn::Set(words, w)); };
  const auto scale = hn::Set(halves, std::uint16_t(blend.scale)), low = hn::Set(halves, 0xff);
  const auto both = hn::BitCast(halves, v);
  const auto even = hn::Add(hn::Mul(hn::And(both, low), scale), spread(blend.even));
  const auto odd = hn::Add(hn::Mul(hn::ShiftRight<8>(both), scale), spread(blend.odd));
  const auto blended = hn::Or(hn::ShiftRight<8>(even), hn::AndNot(low, odd));
  const auto keep = spread(blend.keep);
  return hn::BitCast(d, hn::Or(hn::And(both, keep), hn::AndNot(keep, blended)));
}

// The masks of a vector's pixels, once for each byte of a pixel.
template <int pixel_bytes>
HWY_INLINE Byte load_mask(const std::uint8_t *mask) {
  const Bytes d;
  if constexpr (pixel_bytes == 1) {
    return hn::LoadU(d, mask);
  } else {
    using Wide = std::conditional_t<pixel_bytes == 2, Halves, Words>;
    const Wide wide;
    const auto m = hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::uint8_t, Wide>(), mask));
    if constexpr (pixel_bytes == 2)
      return hn::BitCast(d, hn::Or(m, hn::ShiftLeft<8>(m)));
    else
      return hn::BitCast(d, hn::Mul(m, hn::Set(wide, 0x01010101)));
  }
}

template <int pixel_bytes>
HWY_INLINE void blend_block(const Blends &b, const std::uint8_t *from, const std::uint8_t *mask,
                            std::uint8_t *to) {
  const Bytes d;
  const Byte v = hn::LoadU(d, from), m = load_mask<pixel_bytes>(mask);
  const auto background = hn::Eq(m, hn::Zero(d));
  Byte out = apply(b.background, v);
  if (!hn::AllTrue(d, background)) {
    out = hn::IfThenElse(background, out, apply(b.shadow, v));
    out = hn::IfThenElse(hn::Eq(m, hn::Set(d, 255)), apply(b.foreground, v), out);
  }
  hn::StoreU(out, d, to);
}

constexpr int block_bytes = int(hn::MaxLanes(Bytes()));

#endif

template <int pixel_bytes>
void blend_row(const Blends &b, const std::uint8_t *from, const std::uint8_t *mask, int pixels,
               std::uint8_t *to) {
  constexpr int step = block_bytes / pixel_bytes;
  int x = 0;
  for (; x + step <= pixels; x += step)
    blend_block<pixel_bytes>(b, from + x * pixel_bytes, mask + x, to + x * pixel_bytes);
  if (x >= pixels) return;
  std::uint8_t bytes[block_bytes] = {}, masks[block_bytes] = {};
  const std::size_t rest = std::size_t(pixels - x), rest_bytes = rest * pixel_bytes;
  std::memcpy(bytes, from + x * pixel_bytes, rest_bytes);
  std::memcpy(masks, mask + x, rest);
  blend_block<pixel_bytes>(b, bytes, masks, bytes);
  std::memcpy(to + x * pixel_bytes, bytes, rest_bytes);
}

void blend(const Layer &layer, const std::uint8_t *from, const std::uint8_t *mask, int pixels,
           std::uint8_t *to) {
  switch (layer.pixel_bytes) {
  case 1:
    return blend_row<1>(layer.blends, from, mask, pixels, to);
  case 2:
    return blend_row<2>(layer.blends, from, mask, pixels, to);
  default:
    return blend_row<4>(layer.blends, from, mask, pixels, to);
  }
}

// The largest mask of each 2x2 pixels; the last ones are of one column when `width` is odd.
void reduce(const std::uint8_t *upper, const std::uint8_t *lower, int width, std::uint8_t *out) {
  for (int i = 0; i < width / 2; i++)
    out[i] = std::max({upper[2 * i], upper[2 * i + 1], lower[2 * i], lower[2 * i + 1]});
  if (width % 2) out[width / 2] = std::max(upper[width - 1], lower[width - 1]);
}

void compose_rows(const ConstImage &frame, const Plane<const std::uint8_t> &mask, const Layers &layers,
                  const Image &out, int first, int last) {
  for (int y = first; y < last; y++)
    blend(layers.plane[0], frame.plane(0).row(y), mask.row(y), frame.width, out.plane(0).row(y));
  for (int i = 1; i < plane_count(frame.format); i++) {
    const Layer &layer = layers.plane[i];
    for (int y = first; y < last; y += 2) {
      const std::uint8_t *upper = mask.row(y), *lower = mask.row(std::min(y + 1, frame.height - 1));
      const std::uint8_t *from = frame.plane(i).row(y / 2);
      std::uint8_t *to = out.plane(i).row(y / 2);
      constexpr int part = 512; // pixels of chroma at a time
      std::uint8_t largest[part];
      for (int x = 0; x < frame.plane(i).width; x += part) {
        const int width = std::min(2 * part, frame.width - 2 * x);
        reduce(upper + 2 * x, lower + 2 * x, width, largest);
        blend(layer, from + x * layer.pixel_bytes, largest, (width + 1) / 2, to + x * layer.pixel_bytes);
      }
    }
  }
}

} // namespace
} // namespace vigil::compose::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::compose {
namespace {

HWY_EXPORT(compose_rows);

void draw(const Rectangle &r, const Layer &layer, Plane<std::uint8_t> to) {
  for (int y = r.top; y < r.bottom; y++)
    for (int x = r.left; x < r.right; x++)
      for (int b = 0; b < layer.outline_bytes; b++) to.row(y)[x * layer.pixel_bytes + b] = layer.outline[b];
}

class CpuComposer final : public Composer {
 public:
  explicit CpuComposer(CpuDevice &device) : device_(device) {}

  void foreground(ConstImage frame, Plane<const std::uint8_t> mask, const Style &style, Image out,
                  Queue &) override {
    check_pictures(frame, mask, out);
    compose(frame, mask, foreground_layers(frame.format, style), out);
  }

  void overlay(ConstImage frame, Plane<const std::uint8_t> mask, std::span<const DrawnBox> boxes,
               const Style &style, Image out, Queue &) override {
    check_pictures(frame, mask, out);
    const Layers layers = overlay_layers(frame.format, style);
    compose(frame, mask, layers, out);
    const Outlines outlines = outlines_of(boxes, style, frame.width, frame.height);
    for (int i = 0; i < outlines.count; i++)
      for (int part = 0; part < Outline::parts; part++)
        for (int p = 0; p < plane_count(frame.format); p++) {
          const Rectangle r = outlines.outline[i].part(part);
          if (r.left >= r.right || r.top >= r.bottom) continue;
          draw(p > 0 ? Outline::touched(r) : r, layers.plane[p], out.plane(p));
        }
  }

 private:
  void compose(const ConstImage &frame, const Plane<const std::uint8_t> &mask, const Layers &layers,
               const Image &out) {
    constexpr int grain = 8; // pairs of rows
    device_.parallel((frame.height + 1) / 2, grain, [&](int first, int last) {
      HWY_DYNAMIC_DISPATCH(compose_rows)
      (frame, mask, layers, out, 2 * first, std::min(2 * last, frame.height));
    });
  }
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<Composer> make_cpu(Device &device) {
  return std::make_unique<CpuComposer>(device_cast<CpuDevice>(device));
}

} // namespace vigil::compose
#endif
