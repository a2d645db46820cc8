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

#include <algorithm>
#include <hwy/cache_control.h>

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

// A block's state as it was: of pixels outside of the frame it is put back. Few blocks need it, so that one
// object serves many.
template <class Stored>
class Kept {
 public:
  Kept(int components, int parts) : components_(components), parts_(parts) {}
  void keep(const Pixels<Stored> &block) {
    each(block, [](auto *state, auto *kept) { std::copy_n(state, block_pixels, kept); });
  }
  void put_back(const Pixels<Stored> &block, int first, int last) {
    each(block, [&](auto *state, auto *kept) { std::copy(kept + first, kept + last, state + first); });
  }

 private:
  template <class Fn>
  void each(const Pixels<Stored> &block, Fn fn) {
    fn(block.active, active_);
    for (int k = 0; k < components_; k++) {
      fn(block.weight(k), weights_[k]);
      for (int part = 0; part < parts_; part++) // variances, and a channel's means
        fn(block.gaussian(k) + part * block_pixels, gaussians_[k][part]);
    }
  }
  const int components_, parts_;
  std::uint8_t active_[block_pixels];
  Stored weights_[max_components][block_pixels], gaussians_[max_components][4][block_pixels];
};

// Asks for what every step of a block reads: the first component, and the weights of the next two. The last
// block asks for itself.
template <class Stored>
HWY_INLINE void ask_for(const Memory &m, int components, std::size_t block) {
  constexpr int line = 64 / sizeof(Stored); // values in a line of the cache
  const Pixels<Stored> next = block_at<Stored>(m, std::min(block, m.layout.blocks - 1));
  hwy::Prefetch(next.active);
  for (int i = 0; i < block_pixels * (1 + m.layout.channels); i += line) hwy::Prefetch(next.gaussian(0) + i);
  for (int k = 0; k < std::min(components, 3); k++)
    for (int i = 0; i < block_pixels; i += line) hwy::Prefetch(next.weight(k) + i);
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
HWY_INLINE void step_block(const Method &method, const Job &job, const Frame &frame, int x, int y,
                           std::size_t block, const Samples &samples, std::uint8_t *mask) {
  using Codec = typename Method::Codec;
  using T = typename Codec::T;
  using V = typename Codec::V;
  const typename Codec::D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int count = std::min(block_pixels, job.config.width - x);
  const Rates<T> rates(job.rates, frame.step.learning_rate, x, y, job.config.width);
  const auto pixels = block_at<typename Codec::Stored>(job.memory, block);
  ask_for<typename Codec::Stored>(job.memory, job.config.components, block + 1);
  for (int i = 0; i < count; i += lanes) {
    V sample[Method::channels];
    for (int c = 0; c < Method::channels; c++) sample[c] = from_bytes(d, samples.channel[c] + i);
    const V rate = rates.each ? hn::Load(d, rates.each + i) : hn::Set(d, rates.all);
    const typename Codec::Dither dither(frame.number, block * block_pixels + i, rate);
    to_bytes(d, method.step(pixels.at(i), sample, rate, dither), mask + i);
  }
}

// A block whose place in the frame is turned. Its labels stay where its pixels are in the model.
template <class Method>
void apply_turned_block(const Method &method, const Job &job, const Frame &frame, int x, int y,
                        std::size_t block, Kept<typename Method::Codec::Stored> &kept) {
  const Config &config = job.config;
  const int count = std::min(block_pixels, config.width - x);
  const Turned places(frame.shift, config.width, config.height);
  Samples samples;
  load_turned(frame.step.frame, Method::channels, places, x, y, samples);
  const auto pixels = block_at<typename Method::Codec::Stored>(job.memory, block);
  // Calls fn(first, last) of the pixels that are outside of the frame.
  const auto each_outside = [&](const auto &fn) {
    for (int i = 0; i < block_pixels; i += Turned::tile) {
      const Position at = places.of(x + i, y);
      const bool row_inside = at.y >= 0 && at.y < config.height;
      const int from = row_inside ? std::clamp(-at.x, 0, Turned::tile) : Turned::tile;
      const int to = std::clamp(config.width - at.x, from, Turned::tile);
      if (from > 0) fn(i, i + from);
      if (to < Turned::tile) fn(i + to, i + Turned::tile);
    }
  };
  bool inside = true;
  each_outside([&](int, int) { inside = false; });
  if (!inside) kept.keep(pixels);
  alignas(64) std::uint8_t part[block_pixels];
  step_block(method, job, frame, x, y, block, samples, part);
  each_outside([&](int first, int last) {
    kept.put_back(pixels, first, last);
    std::fill(part + first, part + last, std::uint8_t{0});
  });
  std::memcpy(frame.labels.row(y) + x, part, std::size_t(count));
}

template <class Method>
HWY_INLINE void apply_block(const Method &method, const Job &job, const Frame &frame, int x, int y,
                            std::size_t block, Kept<typename Method::Codec::Stored> &kept) {
  using Codec = typename Method::Codec;
  const int count = std::min(block_pixels, job.config.width - x);
  const int left = x + frame.shift.x, row = y + frame.shift.y; // in the frame
  const int from = std::clamp(-left, 0, count), to = std::clamp(job.config.width - left, 0, count);
  if (from >= to) return;
  const bool inside = to - from == count;

  Samples samples;
  if (inside)
    load_samples(frame.step.frame, Method::channels, left, row, samples);
  else
    load_clamped(frame.step.frame, Method::channels, left, row, samples);
  const auto pixels = block_at<typename Codec::Stored>(job.memory, block);
  if (!inside) kept.keep(pixels);
  alignas(64) std::uint8_t part[block_pixels];
  std::uint8_t *out = frame.step.mask.row(row) + left;
  std::uint8_t *mask = to - from == block_pixels ? out : part;
  step_block(method, job, frame, x, y, block, samples, mask);
  if (mask == part) std::memcpy(out + from, part + from, std::size_t(to - from));
  if (inside) return;
  kept.put_back(pixels, 0, from);
  kept.put_back(pixels, to, block_pixels);
}

// The label of row y of the frame where the model has no pixel.
inline void clear_uncovered(const Frame &frame, int y) {
  const Plane<std::uint8_t> &mask = frame.step.mask;
  const int x = frame.shift.x;
  const int from = std::clamp(x, 0, mask.width), to = std::clamp(mask.width + x, from, mask.width);
  std::fill(mask.row(y), mask.row(y) + from, std::uint8_t{0});
  std::fill(mask.row(y) + to, mask.row(y) + mask.width, std::uint8_t{0});
}

template <class Method>
void apply_rows(const Job &job, int first, int last) {
  const Layout &layout = job.memory.layout;
  constexpr int tile = 16; // blocks
  Kept<typename Method::Codec::Stored> kept(job.config.components, 1 + Method::channels);
  for (int y = first; y < last; y++)
    for (int from = 0; from < layout.blocks_a_row; from += tile)
      for (const Frame &frame : job.frames) {
        const Method method(job.config, frame.constants);
        const int to = std::min(from + tile, layout.blocks_a_row), row = y + frame.shift.y;
        if (frame.shift.is_turned()) {
          for (int b = from; b < to; b++)
            apply_turned_block(method, job, frame, b * block_pixels, y,
                               std::size_t(y) * layout.blocks_a_row + b, kept);
          continue;
        }
        if (row < 0 || row >= job.config.height) continue;
        if (from == 0 && frame.shift.x != 0) clear_uncovered(frame, row);
        for (int b = from; b < to; b++)
          apply_block(method, job, frame, b * block_pixels, y, std::size_t(y) * layout.blocks_a_row + b,
                      kept);
      }
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
