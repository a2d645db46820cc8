// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/foliage.h"

#include <algorithm>
#include <cmath>

namespace vigil::scene {
namespace {

constexpr float pi = 3.14159265f;

// Of a tree against the light: some leaves let it through, others do not.
Rgb contrasting_leaf(Random &random) {
  return blend({24, 36, 20}, {190, 205, 130}, random.between(0, 1));
}

// How many twigs the crowns of a gale have: 0.3, sparse, to 1.2, dense.
float crown_density(std::uint32_t seed) {
  return 0.3f + 0.9f * float(mix(seed, 0x63726f77u) % 1000) / 1000;
}

Rgb leaf_colour(Random &random, float lit) {
  return blend({54, 84, 40}, {122, 156, 72}, lit) * random.between(0.82f, 1.15f);
}

} // namespace

Foliage::Foliage(const std::vector<Leaf> &leaves, std::uint32_t key, int width, int height, float swing,
                 float wind, float unit) {
  Bounds box{1e9f, 1e9f, -1e9f, -1e9f};
  for (const Leaf &l : leaves)
    for (const ScenePoint p :
         {l.shape.a, ScenePoint{l.shape.a.x + l.shape.along.x, l.shape.a.y + l.shape.along.y}})
      box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x),
             std::max(box.bottom, p.y)};
  // p and q stay below 1.1 swing, and gust() below 1.35 wind: together 1.1 * 1.35 * sqrt(2) = 2.1.
  const float reach = 2.1f * swing * wind + 2, edge = reach + 0.01f * unit;
  x_ = int(std::floor(std::max(-edge, box.left - edge)));
  y_ = int(std::floor(std::max(-edge, box.top - edge)));
  const int right = int(std::min(float(width) + edge, box.right + edge));
  const int bottom = int(std::min(float(height) + edge, box.bottom + edge));
  if (leaves.empty() || right < x_ + 2 || bottom < y_ + 2) return;
  width_ = right - x_;
  height_ = bottom - y_;
  const std::size_t n = std::size_t(width_) * std::size_t(height_);
  rgba_.assign(n * 4, 0);
  p_.resize(n);
  q_.resize(n);
  for (const Leaf &l : leaves) paint(l);
  for (int y = 0; y < height_; y++)
    for (int x = 0; x < width_; x++) {
      const float sx = float(x + x_) / unit, sy = float(y + y_) / unit;
      const float phase =
          2.6f * value_noise(key, sx * 9, sy * 9) + 1.3f * value_noise(key + 1, sx * 28, sy * 28);
      const float reach_here = swing * (0.75f + 0.35f * value_noise(key + 2, sx * 7, sy * 7));
      const std::size_t i = std::size_t(y) * std::size_t(width_) + std::size_t(x);
      p_[i] = reach_here * std::cos(phase);
      q_[i] = reach_here * std::sin(phase);
    }
  find_spans(int(reach) + 1, width);
}

void Foliage::paint(const Leaf &leaf) {
  Shape shape{Shape::Kind::capsule, {}, leaf.colour, 0, leaf.shape, {}};
  ScenePoint &a = shape.round.a;
  a = {a.x - float(x_), a.y - float(y_)};
  const ScenePoint end{a.x + leaf.shape.along.x, a.y + leaf.shape.along.y};
  const float r = std::max(leaf.shape.radius, leaf.shape.radius + leaf.shape.widening) + 1;
  const int first = std::max(1, int(std::min(a.x, end.x) - r)),
            last = std::min(width_ - 1, int(std::max(a.x, end.x) + r) + 1);
  const int top = std::max(1, int(std::min(a.y, end.y) - r)),
            low = std::min(height_ - 1, int(std::max(a.y, end.y) + r) + 1);
  const float colour[] = {std::min(leaf.colour.r, 255.f), std::min(leaf.colour.g, 255.f),
                          std::min(leaf.colour.b, 255.f), 255};
  constexpr int block = 64;
  float cover[block], shade[block];
  for (int y = top; y < low; y++)
    for (int start = first; start < last; start += block) {
      const int end_x = std::min(start + block, last);
      cover_row(shape, y, start, end_x, cover - start, shade - start);
      for (int x = start; x < end_x; x++) {
        const float share = cover[x - start];
        std::uint8_t *const pixel = &rgba_[(std::size_t(y) * std::size_t(width_) + std::size_t(x)) * 4];
        for (int c = 0; c < 4; c++)
          pixel[c] = std::uint8_t(float(pixel[c]) + (colour[c] - float(pixel[c])) * share + 0.5f);
      }
    }
}

// Leaves of row y show up to `reach` rows and columns away.
void Foliage::find_spans(int reach, int picture_width) {
  std::vector<Span> own(std::size_t(height_), Span{width_, 0});
  for (int y = 0; y < height_; y++)
    for (int x = 0; x < width_; x++)
      if (rgba_[(std::size_t(y) * std::size_t(width_) + std::size_t(x)) * 4 + 3]) {
        Span &s = own[std::size_t(y)];
        s = {std::min(s.first, x), x + 1};
      }
  spans_.resize(std::size_t(height_));
  for (int y = 0; y < height_; y++) {
    Span all{width_, 0};
    for (int near = std::max(0, y - reach); near <= std::min(height_ - 1, y + reach); near++)
      all = {std::min(all.first, own[std::size_t(near)].first),
             std::max(all.last, own[std::size_t(near)].last)};
    if (all.first >= all.last) continue;
    spans_[std::size_t(y)] = {std::max({0, x_, all.first - reach + x_}),
                              std::min({picture_width, x_ + width_, all.last + reach + x_})};
  }
}

bool Foliage::span(int y, int &first, int &last) const {
  if (y < y_ || y >= y_ + height_) return false;
  const Span &s = spans_[std::size_t(y - y_)];
  first = s.first;
  last = s.last;
  return first < last;
}

Foliage::Gust Foliage::gust(const Plot &plot, double t) {
  const float wind = plot.wind();
  if (plot.gale()) {
    const float strength = wind * plot.gusts(t);
    return {strength * plot.turbulence(11, 3 * t), strength * plot.turbulence(12, 2.5 * t)};
  }
  const double strength = wind * (0.7 + 0.3 * std::sin(0.9 * t));
  return {float(strength * (std::sin(2.7 * t) + 0.35 * std::sin(6.3 * t))),
          float(strength * (std::cos(2.7 * t) + 0.35 * std::cos(6.3 * t + 1)))};
}

void Foliage::row(int y, int first, int last, const Gust &gust, float *cover, float *r, float *g,
                  float *b) const {
  const std::size_t row = std::size_t(y - y_) * std::size_t(width_);
  for (int i = 0; i < last - first; i++) {
    const int x = first + i - x_;
    const float p = p_[row + std::size_t(x)], q = q_[row + std::size_t(x)];
    const float dx = p * gust.sine + q * gust.cosine, dy = 0.4f * (q * gust.sine - p * gust.cosine);
    const float sx = std::min(std::max(float(x) + dx, 0.f), float(width_ - 2));
    const float sy = std::min(std::max(float(y - y_) + dy, 0.f), float(height_ - 2));
    const int ix = int(sx), iy = int(sy);
    const float tx = sx - float(ix), ty = sy - float(iy);
    const std::uint8_t *const top = &rgba_[(std::size_t(iy) * std::size_t(width_) + std::size_t(ix)) * 4];
    const std::uint8_t *const low = top + std::size_t(width_) * 4;
    const float w00 = (1 - tx) * (1 - ty), w01 = tx * (1 - ty), w10 = (1 - tx) * ty, w11 = tx * ty;
    const auto sample = [&](int c) {
      return w00 * top[c] + w01 * top[c + 4] + w10 * low[c] + w11 * low[c + 4];
    };
    cover[i] = sample(3) * (1 / 255.f);
    if (!r) continue;
    r[i] = sample(0);
    g[i] = sample(1);
    b[i] = sample(2);
  }
}

std::vector<Foliage::Leaf> Foliage::twigs_of(Random &random, const Twigs &t) {
  std::vector<Leaf> leaves;
  for (int i = 0; i < t.count; i++) {
    const ScenePoint start{random.between(t.low.x, t.high.x), random.between(t.low.y, t.high.y)};
    const float away = std::hypot(start.x / std::max(std::abs(t.high.x), std::abs(t.low.x)),
                                  start.y / std::max(std::abs(t.high.y), std::abs(t.low.y)));
    if (away > random.between(0.55f, 1.05f)) continue;
    const float angle = random.between(-0.7f, 0.7f), lit = float(i) / float(t.count);
    const ScenePoint way{t.droop.x * std::cos(angle) - t.droop.y * std::sin(angle),
                         t.droop.x * std::sin(angle) + t.droop.y * std::cos(angle)};
    const float length = random.between(0.03f, 0.08f);
    for (float along = 0; along < 1; along += 0.09f) {
      const float turn = std::atan2(way.y, way.x) + random.between(-1.1f, 1.1f),
                  size = random.between(0.012f, 0.021f) * t.unit;
      const ScenePoint p{t.corner.x + t.unit * (start.x + along * length * way.x),
                         t.corner.y + t.unit * (start.y + along * length * way.y)};
      leaves.push_back(
          {capsule(p, 0.3f * size, {p.x + size * std::cos(turn), p.y + size * std::sin(turn)}, 0.06f * size),
           t.contrast ? contrasting_leaf(random)
                      : leaf_colour(random, 0.1f + 0.75f * lit * random.between(0.6f, 1))});
    }
  }
  return leaves;
}

std::vector<Foliage> Foliage::behind(const Plot &plot, std::uint32_t seed, int width, int height,
                                     const Camera &camera) {
  if (plot.pattern() != Pattern::street && plot.pattern() != Pattern::paving) return {};
  const std::uint32_t key = mix(seed, 0x68656467u);
  Random random(key);
  const float unit = std::max(float(height), float(width) * 0.5f);
  if (plot.gale()) { // crowns over the whole picture
    const Twigs crowns{int(1800 * crown_density(seed)),
                       {0.5f * float(width), 0},
                       {-1.2f, 0},
                       {1.2f, 1.1f},
                       {0.3f, 0.9f},
                       unit,
                       true};
    return {Foliage(twigs_of(random, crowns), key, width, height, 0.006f * unit, plot.wind(), unit)};
  }
  std::vector<Leaf> leaves;
  float from, to;
  if (!camera.visible_stretch({0, wall_distance - 0.4f}, {1, 0}, 1, from, to)) return {};
  // Two stretches of hedge with gaps in between, painted from the inside out.
  for (int layer = 0; layer < 3; layer++)
    for (float u = from; u < to; u += 0.011f) {
      if (value_noise(key + 5, u * 0.21f, 0.5f) < 0.05f) continue;
      const float top = 0.85f + 0.2f * value_noise(key + 6, u * 1.4f, 0.5f);
      const float y = top * std::sqrt(random.between(0, 1));
      const Camera::Seen s = camera.see({u + random.between(-0.05f, 0.05f), wall_distance - 0.5f, y});
      if (s.scale <= 0) continue;
      const float length = random.between(0.04f, 0.08f) * s.scale, angle = random.between(-pi, pi);
      leaves.push_back(
          {capsule(s.at, 0.45f * length,
                   {s.at.x + length * std::cos(angle), s.at.y + length * std::sin(angle)}, 0.12f * length),
           leaf_colour(random, 0.12f + 0.2f * float(layer) + 0.4f * y)});
    }
  return {Foliage(leaves, key, width, height, 0.0016f * unit, plot.wind(), unit)};
}

std::vector<Foliage> Foliage::in_front(const Plot &plot, std::uint32_t seed, int width, int height) {
  if (plot.pattern() == Pattern::wall || plot.pattern() == Pattern::checkers) return {};
  const std::uint32_t key = mix(seed, 0x6c656166u);
  Random random(key);
  const float unit = std::max(float(height), float(width) * 0.5f);
  std::vector<Foliage> clumps;
  const auto twigs = [&](int count, ScenePoint corner, ScenePoint low, ScenePoint high, ScenePoint droop) {
    clumps.push_back(Foliage(twigs_of(random, {count, corner, low, high, droop, unit}),
                             key + std::uint32_t(clumps.size()), width, height, 0.006f * unit, plot.wind(),
                             unit));
  };
  const float w = float(width), h = float(height);
  if (plot.gale()) { // a branch that hides some of the people
    twigs(int(500 * crown_density(seed)), {0, 0}, {0, 0}, {0.75f, 0.6f}, {0.5f, 0.85f});
    return clumps;
  }
  const bool windy = plot.wind() > 1.5f;
  twigs(windy ? 420 : 260, {0, 0}, {0, 0}, {windy ? 0.62f : 0.42f, windy ? 0.4f : 0.26f}, {0.5f, 0.85f});
  twigs(windy ? 320 : 170, {w, h}, {windy ? -0.5f : -0.3f, windy ? -0.3f : -0.2f}, {0, 0}, {-0.4f, -0.9f});
  if (windy) twigs(260, {w, 0}, {-0.45f, 0}, {0, 0.34f}, {-0.5f, 0.85f});
  return clumps;
}

} // namespace vigil::scene
