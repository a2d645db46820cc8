// SPDX-License-Identifier: LGPL-2.1-or-later
// The way through the picture, the same for both methods: tiles of a row, all frames of the group for each,
// so that a tile's state stays in cache; in a tile block by block, in a block vector by vector.
#if defined(VIGIL_MOG_CPU_WALK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_MOG_CPU_WALK_INL_H
#undef VIGIL_MOG_CPU_WALK_INL_H
#else
#define VIGIL_MOG_CPU_WALK_INL_H
#endif

#include "kernels/mog/cpu/lanes-inl.h"
#include "kernels/mog/cpu/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {

// The state of one vector of pixels.
template <class Stored>
struct Pixels {
  std::uint8_t *active;
  Stored *weights, *gaussians; // of component 0
  std::size_t weight_step, gaussian_step;
  Stored *weight(int k) const { return weights + k * weight_step; }
  Stored *gaussian(int k) const { return gaussians + k * gaussian_step; }
  Pixels at(int pixel) const {
    return {active + pixel, weights + pixel, gaussians + pixel, weight_step, gaussian_step};
  }
};

template <class Stored>
HWY_INLINE Pixels<Stored> block_at(const Memory &m, std::size_t block) {
  return {m.active + block * block_pixels, static_cast<Stored *>(m.weights) + m.layout.weight(0, block),
          static_cast<Stored *>(m.gaussians) + m.layout.gaussian(0, block), m.layout.weight_step,
          m.layout.gaussian_step};
}

// The learning rates of a block's pixels: one for all, or one for each.
template <class T>
struct Rates {
  T all = 0;
  const T *each = nullptr;
  alignas(64) T memory[block_pixels];

  HWY_INLINE Rates(const RateMap &map, double rate, int x, int y, int width) : all(static_cast<T>(rate)) {
    if (!map.map) return;
    const std::uint8_t *marks = map.map + std::ptrdiff_t(y / map.size) * map.columns;
    const int pieces = block_pixels / map.size; // both are powers of two
    bool differ = false;
    all = static_cast<T>(map.rate(rate, marks[x / map.size]));
    for (int i = 0; i < pieces; i++) {
      const int column = std::min((x + i * map.size) / map.size, (width - 1) / map.size);
      const T own = static_cast<T>(map.rate(rate, marks[column]));
      differ |= own != all;
      std::fill_n(memory + i * map.size, map.size, own);
    }
    if (differ) each = memory;
  }
};

// `Method` has: Codec, channels, a constructor (Config, Constants), and
//   V step(Pixels, const V *samples, V rates, dither)   the mask's values
template <class Method>
HWY_INLINE void apply_block(const Method &method, const Job &job, const Frame &frame, int x, int y,
                            std::size_t block) {
  using Codec = typename Method::Codec;
  using T = typename Codec::T;
  using V = typename Codec::V;
  const typename Codec::D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int count = std::min(block_pixels, job.config.width - x);

  Samples samples;
  load_samples(frame.step.frame, Method::channels, x, y, samples);
  const Rates<T> rates(job.rates, frame.step.learning_rate, x, y, job.config.width);
  const auto pixels = block_at<typename Codec::Stored>(job.memory, block);

  alignas(64) std::uint8_t part[block_pixels];
  std::uint8_t *out = frame.step.mask.row(y) + x;
  std::uint8_t *mask = count == block_pixels ? out : part;
  for (int i = 0; i < count; i += lanes) {
    V sample[Method::channels];
    for (int c = 0; c < Method::channels; c++) sample[c] = from_bytes(d, samples.channel[c] + i);
    const V rate = rates.each ? hn::Load(d, rates.each + i) : hn::Set(d, rates.all);
    const typename Codec::Dither dither(frame.number, block * block_pixels + i, rate);
    to_bytes(d, method.step(pixels.at(i), sample, rate, dither), mask + i);
  }
  if (mask == part) std::memcpy(out, part, count);
}

template <class Method>
void apply_rows(const Job &job, int first, int last) {
  const Layout &layout = job.memory.layout;
  constexpr int tile = 16; // blocks
  for (int y = first; y < last; y++)
    for (int from = 0; from < layout.blocks_a_row; from += tile)
      for (const Frame &frame : job.frames) {
        const Method method(job.config, frame.constants);
        const int to = std::min(from + tile, layout.blocks_a_row);
        for (int b = from; b < to; b++)
          apply_block(method, job, frame, b * block_pixels, y, std::size_t(y) * layout.blocks_a_row + b);
      }
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
