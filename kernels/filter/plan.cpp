// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/plan.h"

#include <algorithm>
#include <limits>

namespace vigil::filter {
namespace {

// Where nothing was measured (costs.h): what a stencil costs a pixel, in 0.001 ms for a frame of 1920x1080
// RGBA on an NVIDIA H200 (driver 580.159, 2026-11-21: gpucheck --test filter/random --bench): what a kernel
// with it takes beyond one that copies. Only ratios matter.
double cost_of(const StencilOp &s) {
  switch (s.kind) {
  case Kind::linear:
    return 9;
  case Kind::gradient:
    return 12;
  case Kind::median:
    return 16;
  case Kind::weights: // these two are estimates after the others
    return s.separable ? 2. * (2 * s.radius + 1) : 1. * (2 * s.radius + 1) * (2 * s.radius + 1);
  case Kind::bilateral:
    return 2. * (2 * s.radius + 1) * (2 * s.radius + 1);
  default:
    return 0.8 * 2 * (2 * s.radius + 1);
  }
}

// An offset in 1/2^bits of a level, as kernels take it: with 16 bits in 1/2^offset_bits, for 32 bits to do.
std::int32_t sent_offset(std::int64_t o, int full, int bits) {
  return std::int32_t(full > 255 ? o >> (bits - offset_bits) : o);
}

void append(Numbers &n, const Matrix &m, bool swapped, int full) {
  const auto channel = [&](int c) { return swapped && c != 1 ? 2 - c : c; };
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) n.values.push_back(m.m[channel(c)][channel(k)]);
  for (int c = 0; c < 3; c++) n.values.push_back(sent_offset(m.o[channel(c)], full, 16));
}

StencilOp stencil_of(const Stage &s, Numbers &n, int full) {
  StencilOp op{s.type->kind, radius_of(s), false, int(n.values.size()), {}};
  switch (op.kind) {
  case Kind::linear: {
    const Linear l = linear_of(s, full);
    n.values.insert(n.values.end(), l.k.begin(), l.k.end());
    n.values.push_back(sent_offset(l.offset, full, 12));
    op.absolute = l.absolute;
    break;
  }
  case Kind::gradient:
    n.values.push_back(gradient_amount(s));
    break;
  case Kind::gaussian:
    for (const int w : gaussian_weights(s)) n.values.push_back(w);
    op.separable = true;
    break;
  case Kind::box:
    op.separable = true;
    break;
  case Kind::weights: {
    const WeightsInUnits w = weights_of(s, full);
    op.separable = w.separable();
    for (const auto *part : {&w.all, &w.across, &w.down})
      n.values.insert(n.values.end(), part->begin(), part->end());
    n.values.push_back(sent_offset(w.offset, full, w.shift));
    n.values.push_back(w.shift);
    break;
  }
  case Kind::bilateral: {
    const BilateralTables t = bilateral_tables(s, full);
    n.values.insert(n.values.end(), t.spatial.begin(), t.spatial.end());
    n.values.insert(n.values.end(), t.range.begin(), t.range.end());
    break;
  }
  default:
    break;
  }
  return op;
}

} // namespace

std::string Shape::name() const {
  return rows ? text("rows, tile ", tile_width, "x", tile_height)
              : text("items ", local_x, "x", local_y, ", tile ", tile_width, "x", tile_height);
}

Operations operations_of(const Chain &chain, PixelFormat format) {
  check_format(chain, format);
  const int full = full_scale(format);
  Operations r;
  std::vector<PointOp> *points = &r.all.before;
  for (const Stage &s : chain) {
    Numbers &n = r.numbers;
    if (!fuses(s.type->kind))
      fail(Error::Kind::bad_setting, "the stage ", s.type->name, " is no part of a fused pass");
    if (s.type->kind == Kind::table) {
      // Tables in a row are one: stages store whole numbers.
      if (points->empty() || points->back().matrix) {
        points->push_back({false, int(n.tables.size())});
        for (int v = 0; v <= full; v++) n.tables.push_back(static_cast<std::uint16_t>(v));
      }
      for (int v = 0; v <= full; v++) {
        std::uint16_t &entry = n.tables[std::size_t(points->back().at + v)];
        entry = table_value(s, entry, full);
      }
    } else if (s.type->kind == Kind::matrix) {
      if (!is_colour(format)) continue;
      points->push_back({true, int(n.values.size())});
      append(n, matrix_of(s, full), format == PixelFormat::bgra, full);
    } else {
      r.all.stencils.push_back(stencil_of(s, n, full));
      points = &r.all.stencils.back().after;
    }
  }
  return r;
}

Tiles tiles_of(const Pass &p, const Shape &shape) {
  if (p.stencils.empty()) return {};
  int halo = 0;
  for (const StencilOp &s : p.stencils) halo += s.radius;
  const auto area = [&](int x, int y) {
    return std::size_t(shape.tile_width + 2 * x) * std::size_t(shape.tile_height + 2 * y);
  };
  Tiles t{{area(halo, halo), 0}, 0};
  for (std::size_t k = 0; k < p.stencils.size(); k++) {
    const StencilOp &s = p.stencils[k];
    halo -= s.radius;
    // The last one's results go to the picture at once, where a work-item has all channels.
    if (k + 1 < p.stencils.size() || shape.rows)
      t.values[(k + 1) % 2] = std::max(t.values[(k + 1) % 2], area(halo, halo));
    if (s.separable) t.sums = std::max(t.sums, area(halo, halo + s.radius));
  }
  return t;
}

std::size_t tile_bytes(const Pass &p, const Shape &shape, PixelFormat format) {
  const bool colour = is_colour(format);
  const std::size_t value = (colour ? (shape.rows ? 3 : 4) : 1) * (is_16_bit(format) ? 2 : 1),
                    channels = colour && !shape.rows ? 4 : 1;
  const Tiles t = tiles_of(p, shape);
  return (t.values[0] + t.values[1]) * value + t.sums * channels * sizeof(std::int32_t);
}

Shape fitting(const Shape &wanted, std::span<const Shape> others, const Pass &all, std::size_t local_bytes,
              PixelFormat format) {
  const auto fits = [&](const Shape &shape) {
    return shape.rows || std::all_of(all.stencils.begin(), all.stencils.end(), [&](const StencilOp &s) {
             return tile_bytes({{}, {s}}, shape, format) <= local_bytes;
           });
  };
  if (fits(wanted)) return wanted;
  const auto found = std::find_if(others.begin(), others.end(), fits);
  return found == others.end() ? wanted : *found;
}

Plan split(const Pass &all, const Shape &shape, const Costs &costs, PixelFormat format) {
  const std::size_t n = all.stencils.size();
  if (n == 0) return {all};
  const double tile = double(shape.tile_width) * shape.tile_height;
  // Cost of the stencils from i to j (without j) in one pass.
  const auto together = [&](std::size_t i, std::size_t j) {
    Pass p;
    p.stencils.assign(all.stencils.begin() + long(i), all.stencils.begin() + long(j));
    if (j - i > 1 && tile_bytes(p, shape, format) > costs.local_bytes)
      return std::numeric_limits<double>::infinity();
    double sum = costs.round_trip;
    int halo = 0;
    for (std::size_t k = j; k-- > i;) {
      const double cost = costs.stencils.empty() ? cost_of(all.stencils[k]) : costs.stencils[k];
      sum += cost * (shape.tile_width + 2 * halo) * (shape.tile_height + 2 * halo) / tile;
      halo += all.stencils[k].radius;
    }
    return sum;
  };
  // best[j]: the least cost of the first j stencils, the last pass of which begins at from[j].
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(n + 1);
  best[0] = 0;
  for (std::size_t j = 1; j <= n; j++)
    for (std::size_t i = 0; i < j; i++)
      if (const double c = best[i] + together(i, j); c < best[j]) {
        best[j] = c;
        from[j] = i;
      }
  Plan plan;
  for (std::size_t j = n; j > 0; j = from[j]) {
    Pass p;
    if (from[j] == 0) p.before = all.before;
    p.stencils.assign(all.stencils.begin() + long(from[j]), all.stencils.begin() + long(j));
    plan.insert(plan.begin(), p);
  }
  return plan;
}

} // namespace vigil::filter
