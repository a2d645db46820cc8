// SPDX-License-Identifier: LGPL-2.1-or-later
// The most probable background as a picture.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mog/cpu/picture.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mog/cpu/lanes-inl.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {

// The heaviest component's means in a block, rounded, as bytes; `none` where there is no component.
template <class Codec>
void heaviest_means(const Config &config, const Memory &memory, std::size_t block, const std::uint8_t *none,
                    std::uint8_t (*out)[block_pixels]) {
  using T = typename Codec::T;
  using V = typename Codec::V;
  const typename Codec::D d;
  const auto *weights = static_cast<const typename Codec::Stored *>(memory.weights);
  const auto *gaussians = static_cast<const typename Codec::Stored *>(memory.gaussians);
  for (int i = 0; i < block_pixels; i += static_cast<int>(hn::Lanes(d))) {
    const V active = from_bytes(d, memory.active + block * block_pixels + i);
    V best = hn::Set(d, T(config.method == Method::mog ? 0 : -1));
    V mean[3];
    for (int c = 0; c < config.channels; c++) mean[c] = hn::Set(d, T(none[c]));
    for (int k = 0; k < config.components; k++) {
      const auto live = hn::Lt(hn::Set(d, T(k)), active);
      if (hn::AllFalse(d, live)) break;
      const V w = Codec::weight(weights + memory.layout.weight(k, block) + i);
      const auto heavier = hn::And(live, hn::Gt(w, best));
      best = hn::IfThenElse(heavier, w, best);
      for (int c = 0; c < config.channels; c++) {
        const auto *p = gaussians + memory.layout.gaussian(k, block) + (1 + c) * block_pixels + i;
        mean[c] = hn::IfThenElse(heavier, Codec::mean(p), mean[c]);
      }
    }
    for (int c = 0; c < config.channels; c++) to_bytes(d, hn::Add(mean[c], hn::Set(d, T(0.5))), out[c] + i);
  }
}

HWY_INLINE void put_colours(const std::uint8_t (*v)[block_pixels], int count, std::uint8_t *out) {
  const hn::CappedTag<std::uint8_t, 16> d;
  alignas(64) std::uint8_t part[4 * block_pixels];
  std::uint8_t *whole = count == block_pixels ? out : part;
  for (int i = 0; i < block_pixels; i += static_cast<int>(hn::Lanes(d)))
    hn::StoreInterleaved4(hn::Load(d, v[0] + i), hn::Load(d, v[1] + i), hn::Load(d, v[2] + i),
                          hn::Set(d, 255), d, whole + 4 * i);
  if (whole == part) std::memcpy(out, part, std::size_t(4) * count);
}

template <class Codec>
void background_rows(const Config &config, const Memory &memory, const Image &out, int first, int last) {
  const bool rgb = out.format == PixelFormat::rgba || out.format == PixelFormat::bgra;
  const bool yuv = out.format == PixelFormat::nv12 || out.format == PixelFormat::i420;
  const std::uint8_t chroma = yuv ? 128 : 0;
  const std::uint8_t none[3] = {0, chroma, chroma};
  alignas(64) std::uint8_t value[3][block_pixels];
  if (config.channels == 1) std::memset(value[1], chroma, sizeof value[1] + sizeof value[2]);
  for (int y = first; y < last; y++)
    for (int b = 0; b < memory.layout.blocks_a_row; b++) {
      const int x = b * block_pixels, count = std::min(block_pixels, config.width - x);
      heaviest_means<Codec>(config, memory, std::size_t(y) * memory.layout.blocks_a_row + b, none, value);
      if (rgb) {
        if (config.channels == 1)
          for (int c = 1; c < 3; c++) std::memcpy(value[c], value[0], sizeof value[0]);
        put_colours(value, count, out.plane(0).row(y) + std::ptrdiff_t(4) * x);
        continue;
      }
      std::memcpy(out.plane(0).row(y) + x, value[0], std::size_t(count));
      if (y % 2 || !yuv) continue; // chroma is that of the top left pixel of its 2x2
      for (int c = 1; c < 3; c++) {
        const bool pairs = out.format == PixelFormat::nv12;
        std::uint8_t *p = pairs ? out.plane(1).row(y / 2) + x + c - 1 : out.plane(c).row(y / 2) + x / 2;
        for (int i = 0; i < count; i += 2) p[pairs ? i : i / 2] = value[c][i];
      }
    }
}

void background_any(const Config &config, const Memory &memory, const Image &out, int first, int last) {
  switch (config.precision) {
  case Precision::single:
    return background_rows<Plain<float>>(config, memory, out, first, last);
  case Precision::double_:
    return background_rows<Plain<double>>(config, memory, out, first, last);
  case Precision::compact:
    return background_rows<Compact>(config, memory, out, first, last);
  }
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::mog::cpu {
HWY_EXPORT(background_any);
void draw_background(const Config &config, const Memory &memory, const Image &out, int first, int last) {
  HWY_DYNAMIC_DISPATCH(background_any)(config, memory, out, first, last);
}
} // namespace vigil::mog::cpu
#endif
