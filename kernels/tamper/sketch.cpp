// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/sketch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::tamper {
namespace {

struct Slope {
  float across, down;
};
float dot(Slope a, Slope b) {
  return a.across * b.across + a.down * b.down;
}

// Of a cell that is not at the border.
Slope slope_at(const Sketch &s, int column, int row) {
  const int n = s.layout.columns;
  const float *const v = s.mean.data() + std::ptrdiff_t(row) * n + column;
  return {v[1] - v[-1], v[n] - v[-n]};
}
Slope detail_at(const Sketch &s, int column, int row) {
  const std::size_t i = std::size_t(row) * std::size_t(s.layout.columns) + std::size_t(column);
  return {s.across[i], s.down[i]};
}

struct Sums {
  float ff = 0, bb = 0, fb = 0; // slopes
  float ee = 0, de = 0;         // detail
  float energy = 0, known_energy = 0, lasting = 0;
  int cells = 0;
  void operator+=(const Sums &o) {
    ff += o.ff;
    bb += o.bb;
    fb += o.fb;
    ee += o.ee;
    de += o.de;
    energy += o.energy;
    known_energy += o.known_energy;
    lasting += o.lasting;
    cells += o.cells;
  }
};

Sums sums_of(const Sketch &frame, const Sketch &known, int left, int top, int size) {
  const Layout &l = frame.layout;
  Sums s;
  for (int row = std::max(top, 1); row < std::min(top + size, l.rows - 1); row++)
    for (int column = std::max(left, 1); column < std::min(left + size, l.columns - 1); column++) {
      const Slope f = slope_at(frame, column, row), b = slope_at(known, column, row);
      const Slope d = detail_at(frame, column, row), e = detail_at(known, column, row);
      const std::size_t i = std::size_t(row) * std::size_t(l.columns) + std::size_t(column);
      s += {dot(f, f),       dot(b, b),       dot(f, b),        dot(e, e), dot(d, e),
            frame.energy[i], known.energy[i], known.lasting[i], 1};
    }
  return s;
}

// The correlation coefficient of the slopes where the known picture is moved by (dx, dy) cells.
float correlation(const Sketch &frame, const Sketch &known, int dx, int dy) {
  const Layout &l = frame.layout;
  double ff = 0, bb = 0, fb = 0;
  for (int row = std::max(1, 1 + dy); row < std::min(l.rows - 1, l.rows - 1 + dy); row++)
    for (int column = std::max(1, 1 + dx); column < std::min(l.columns - 1, l.columns - 1 + dx); column++) {
      const Slope f = slope_at(frame, column, row), b = slope_at(known, column - dx, row - dy);
      ff += double(dot(f, f));
      bb += double(dot(b, b));
      fb += double(dot(f, b));
    }
  return ff > 0 && bb > 0 ? float(fb / std::sqrt(ff * bb)) : 0.f;
}

// Where a parabola through three neighbours has its top, -0.5..0.5.
float top_of(float before, float at, float after) {
  const float bend = before - 2 * at + after;
  return bend < 0 ? std::clamp(0.5f * (before - after) / bend, -0.5f, 0.5f) : 0.f;
}

} // namespace

void sketch(const Layout &l, std::span<const Spot> spots, const Sketch &before, Sketch &out) {
  out.layout = l;
  for (std::vector<float> *v : {&out.mean, &out.across, &out.down, &out.energy, &out.lasting})
    v->resize(spots.size());
  const bool first = before.layout != l;
  const float samples = float(l.samples());
  for (std::size_t i = 0; i < spots.size(); i++) {
    out.mean[i] = float(spots[i].sum) / samples;
    out.across[i] = float(spots[i].across);
    out.down[i] = float(spots[i].down);
    out.energy[i] = out.across[i] * out.across[i] + out.down[i] * out.down[i];
    out.lasting[i] = first ? out.energy[i] : out.across[i] * before.across[i] + out.down[i] * before.down[i];
  }
}

void blend(Sketch &known, const Sketch &frame, float share) {
  const auto mix = [share](std::vector<float> &to, const std::vector<float> &from) {
    for (std::size_t i = 0; i < to.size(); i++) to[i] += share * (from[i] - to[i]);
  };
  mix(known.mean, frame.mean);
  mix(known.across, frame.across);
  mix(known.down, frame.down);
  mix(known.energy, frame.energy);
  mix(known.lasting, frame.lasting);
}

Comparison compare(const Sketch &frame, const Sketch &known) {
  const Layout &l = frame.layout;
  const int size = std::max(5, l.columns / 8);
  Comparison c;
  Sums textured, agreeing;
  int agree = 0;
  for (int top = 0; top + size <= l.rows; top += size)
    for (int left = 0; left + size <= l.columns; left += size) {
      const Sums s = sums_of(frame, known, left, top, size);
      if (s.bb < least_slope * least_slope * float(s.cells)) continue;
      c.textured++;
      textured += s;
      if (s.fb < least_agreement * std::sqrt(s.ff * s.bb) || s.fb <= 0) continue;
      agree++;
      agreeing += s;
    }
  if (c.textured == 0) return c;
  c.agreement = float(agree) / float(c.textured);
  c.structure = textured.ff / textured.bb;
  const float noise = agreeing.known_energy - agreeing.lasting;
  const float least = std::max(least_detail * least_detail * float(agreeing.cells), noise);
  if (agree >= least_blocks && agreeing.lasting >= least) {
    const float left = std::sqrt(std::max(agreeing.energy - noise, 0.f) / agreeing.lasting);
    c.sharpness = std::max(agreeing.de / agreeing.ee, left) / (agreeing.fb / agreeing.bb);
  }
  return c;
}

std::optional<ViewShift> find_shift(const Sketch &frame, const Sketch &known) {
  const Layout &l = frame.layout;
  const int far_x = l.columns / 3, far_y = l.rows / 3;
  float most = 0;
  int x = 0, y = 0;
  for (int dy = -far_y; dy <= far_y; dy++)
    for (int dx = -far_x; dx <= far_x; dx++)
      if (const float c = correlation(frame, known, dx, dy); c > most) {
        most = c;
        x = dx;
        y = dy;
      }
  if (most < least_agreement) return {};
  const auto at = [&](int dx, int dy) { return correlation(frame, known, x + dx, y + dy); };
  return ViewShift{(float(x) + top_of(at(-1, 0), most, at(1, 0))) * float(l.cell),
                   (float(y) + top_of(at(0, -1), most, at(0, 1))) * float(l.cell)};
}

} // namespace vigil::tamper
