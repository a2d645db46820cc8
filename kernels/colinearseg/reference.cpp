// SPDX-License-Identifier: LGPL-2.1-or-later
// The formulas of colinearseg.h in double precision, one pixel after another, as plainly as they can be said.
#include "kernels/colinearseg/colinearseg.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::colinearseg {
namespace {

using Colour = std::array<double, 3>;

Colour colour_at(const ConstImage &image, int x, int y) {
  const std::uint8_t *p = image.plane(0).row(y) + 4 * x;
  if (image.format == PixelFormat::bgra) return {double(p[2]), double(p[1]), double(p[0])};
  return {double(p[0]), double(p[1]), double(p[2])};
}

// D2 of pixel (x, y), with darkness offset `offset`.
double evidence(const ConstImage &frame, const State &s, int x, int y, double offset) {
  double fore = offset, back = offset, cross = offset;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int u = std::clamp(x + dx, 0, s.config.width - 1), v = std::clamp(y + dy, 0, s.config.height - 1);
      const Colour f = colour_at(frame, u, v);
      const std::uint8_t *b = &s.background[3 * (std::size_t(v) * s.config.width + u)];
      for (int c = 0; c < 3; c++) {
        fore += f[c] * f[c];
        back += double(b[c]) * b[c];
        cross += f[c] * b[c];
      }
    }
  return (fore + back - std::sqrt((fore - back) * (fore - back) + 4 * cross * cross)) / 2;
}

// M of pixel (x, y).
int neighbours(const State &s, int x, int y) {
  const auto changed = [&](int u, int v) {
    return u >= 0 && v >= 0 && u < s.config.width && v < s.config.height &&
           s.mask[std::size_t(v) * s.config.width + u] != 0;
  };
  const int straight = changed(x - 1, y) + changed(x + 1, y) + changed(x, y - 1) + changed(x, y + 1);
  const int diagonal =
      changed(x - 1, y - 1) + changed(x + 1, y - 1) + changed(x - 1, y + 1) + changed(x + 1, y + 1);
  return 2 * straight + diagonal;
}

} // namespace

Reference::Reference(const Config &config, int learn_frames) : state_(empty_state(config, learn_frames)) {}

void Reference::set_background(ConstImage image, int learn_frames) {
  check_picture(image, state_.config);
  State s = empty_state(state_.config, learn_frames);
  s.learn_frames = 0;
  s.exact.clear();
  for (int y = 0; y < s.config.height; y++)
    for (int x = 0; x < s.config.width; x++)
      for (int c = 0; c < 3; c++)
        s.background[3 * (std::size_t(y) * s.config.width + x) + c] =
            static_cast<std::uint8_t>(colour_at(image, x, y)[c]);
  state_ = s;
}

void Reference::load(const State &s) {
  check_fits(s, state_.config);
  state_ = s;
}

void Reference::learn(ConstImage frame) {
  State &s = state_;
  s.learnt++;
  for (int y = 0; y < s.config.height; y++)
    for (int x = 0; x < s.config.width; x++)
      for (int c = 0; c < 3; c++) {
        const std::size_t i = 3 * (std::size_t(y) * s.config.width + x) + c;
        s.exact[i] += std::uint32_t(colour_at(frame, x, y)[c]);
        s.background[i] = static_cast<std::uint8_t>((s.exact[i] + s.learnt / 2) / s.learnt);
      }
  if (!s.learning()) s.exact.clear();
}

void Reference::measure(ConstImage frame) {
  const SampleGrid grid = sample_grid(state_.config);
  std::vector<std::uint32_t> samples;
  for (int j = 0; j < grid.rows; j++)
    for (int i = 0; i < grid.columns; i++) {
      const int x = std::min(grid.step / 2 + i * grid.step, state_.config.width - 1);
      const int y = std::min(grid.step / 2 + j * grid.step, state_.config.height - 1);
      samples.push_back(std::uint32_t(std::ceil(evidence(frame, state_, x, y, 0.))));
    }
  add_frame(state_.noise, samples);
}

void Reference::segment(ConstImage frame, const Params &params, Plane<std::uint8_t> mask) {
  State &s = state_;
  check_picture(frame, s.config);
  const int w = s.config.width, h = s.config.height;
  const bool learning = s.learning();
  if (s.measures_next()) measure(frame);
  if (learning) {
    learn(frame);
    for (int y = 0; y < h; y++) std::fill_n(mask.row(y), w, std::uint8_t{0});
    return;
  }

  const Constants c = resolve(params, s.noise);
  std::vector<double> d2(std::size_t(w) * h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) d2[std::size_t(y) * w + x] = evidence(frame, s, x, y, c.darkness_offset);

  for (int iteration = 0; iteration <= c.iterations; iteration++) {
    const double B = iteration == 0 ? c.temporal_compactness : c.compactness;
    for (const int position : permutation(c.seed, s.frames, iteration))
      for (int y = position / 2; y < h; y += 2)
        for (int x = position % 2; x < w; x += 2) {
          const double T = c.static_threshold + 12 * B - 2 * B * neighbours(s, x, y);
          s.mask[std::size_t(y) * w + x] = d2[std::size_t(y) * w + x] > T ? 255 : 0;
        }
  }
  s.frames++;

  for (int y = 0; y < h; y++) std::copy_n(&s.mask[std::size_t(y) * w], w, mask.row(y));
  if (c.adapt == 0) return;
  if (s.exact.empty())
    for (const std::uint8_t b : s.background) s.exact.push_back(std::uint32_t(b) << 16);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3 && !s.mask[std::size_t(y) * w + x]; k++) {
        const std::size_t i = 3 * (std::size_t(y) * w + x) + k;
        s.exact[i] = adapted(s.exact[i], int(colour_at(frame, x, y)[k]), c.adapt);
        s.background[i] = static_cast<std::uint8_t>((s.exact[i] + 32768) >> 16);
      }
}

} // namespace vigil::colinearseg
