// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/cpu/encode.h"

#include "common/cpu/targets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fisher/cpu/encode.cpp"
#include <hwy/foreach_target.h> // must come before the others

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::fisher::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int lanes = int(hn::MaxLanes(D()));
// Descriptors whose sums are held in registers together: two vectors each, and there are 16 or 32 registers.
constexpr int tile = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

// rows x (projected, padded)
template <int rows>
HWY_INLINE void project_tile(const Tables &t, const float *descriptors, float *x) {
  const D d;
  for (int k = 0; k < t.width; k += lanes) {
    V sum[rows];
    for (int i = 0; i < rows; i++) sum[i] = hn::Zero(d);
    const float *p = t.projection.data() + k;
    for (int e = 0; e < descriptor_length; e++, p += t.width) {
      const V weight = hn::LoadU(d, p);
      for (int i = 0; i < rows; i++)
        sum[i] = hn::MulAdd(hn::Set(d, descriptors[i * descriptor_length + e]), weight, sum[i]);
    }
    for (int i = 0; i < rows; i++) hn::StoreU(sum[i], d, x + std::ptrdiff_t{i} * t.width + k);
  }
}

void project(const Tables &t, const float *descriptors, const float *positions, int count, float *x) {
  constexpr int many = 2 * tile;
  int i = 0;
  for (; i + many <= count; i += many)
    project_tile<many>(t, descriptors + i * descriptor_length, x + std::ptrdiff_t{i} * t.width);
  for (; i < count; i++)
    project_tile<1>(t, descriptors + i * descriptor_length, x + std::ptrdiff_t{i} * t.width);
  for (i = 0; i < count; i++)
    std::copy_n(positions + 2 * i, 2, x + std::ptrdiff_t{i} * t.width + t.projected);
}

// Logarithms of prior times likelihood: rows x two vectors of components.
template <int rows>
HWY_INLINE void likelihood_tile(const Tables &t, const float *x, int component, float *out) {
  const D d;
  V first[rows], second[rows];
  for (int i = 0; i < rows; i++) first[i] = second[i] = hn::Zero(d);
  const float *p = t.panels.data() +
                   std::size_t(component / Tables::panel) * 2 * Tables::panel * t.dimension +
                   component % Tables::panel;
  for (int k = 0; k < t.dimension; k++, p += 2 * Tables::panel) {
    const V scale0 = hn::LoadU(d, p), scale1 = hn::LoadU(d, p + lanes);
    const V shift0 = hn::LoadU(d, p + Tables::panel), shift1 = hn::LoadU(d, p + Tables::panel + lanes);
    for (int i = 0; i < rows; i++) {
      const V v = hn::Set(d, x[std::ptrdiff_t{i} * t.width + k]);
      const V a = hn::MulSub(v, scale0, shift0), b = hn::MulSub(v, scale1, shift1);
      first[i] = hn::MulAdd(a, a, first[i]);
      second[i] = hn::MulAdd(b, b, second[i]);
    }
  }
  const V half = hn::Set(d, 0.5F);
  const float *c = t.constant.data() + component;
  for (int i = 0; i < rows; i++, out += t.height) {
    hn::StoreU(hn::NegMulAdd(half, first[i], hn::LoadU(d, c)), d, out + component);
    hn::StoreU(hn::NegMulAdd(half, second[i], hn::LoadU(d, c + lanes)), d, out + component + lanes);
  }
}

void likelihoods(const Tables &t, const float *x, int count, float *out) {
  for (int component = 0; component < t.height; component += 2 * lanes) {
    int i = 0;
    for (; i + tile <= count; i += tile)
      likelihood_tile<tile>(t, x + std::ptrdiff_t{i} * t.width, component,
                            out + std::ptrdiff_t{i} * t.height);
    for (; i < count; i++)
      likelihood_tile<1>(t, x + std::ptrdiff_t{i} * t.width, component, out + std::ptrdiff_t{i} * t.height);
  }
}

// Turns a row of logarithms into posteriors and sets bit i of the words of the components that count.
HWY_INLINE void posteriors(const Tables &t, float *q, int i, std::uint64_t *members) {
  const D d;
  V most = hn::LoadU(d, q);
  for (int j = lanes; j < t.height; j += lanes) most = hn::Max(most, hn::LoadU(d, q + j));
  most = hn::MaxOfLanes(d, most);
  // e^-30 is negligible compared with the largest, which is 1.
  const V nothing = hn::Set(d, -30.F);
  V sum = hn::Zero(d);
  for (int j = 0; j < t.height; j += lanes) {
    const V away = hn::Sub(hn::LoadU(d, q + j), most);
    V e = hn::Zero(d);
    if (!hn::AllTrue(d, hn::Lt(away, nothing))) e = hn::Exp(d, hn::Max(away, hn::Set(d, -80.F)));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, q + j);
  }
  const V factor = hn::Div(hn::Set(d, 1.F), hn::SumOfLanes(d, sum)),
          least = hn::Set(d, float(smallest_posterior));
  for (int j = 0; j < t.height; j += lanes) {
    const V v = hn::Mul(hn::LoadU(d, q + j), factor);
    const auto counts = hn::Ge(v, least);
    if (hn::AllFalse(d, counts)) continue;
    hn::StoreU(v, d, q + j);
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, counts, bytes);
    std::uint64_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits; bits &= bits - 1) members[j + std::countr_zero(bits)] |= std::uint64_t{1} << i;
  }
}

// Sums of `vectors` vectors of one component.
template <int vectors>
HWY_INLINE void sum_members(const Tables &t, const Scratch &s, int j, int k, std::uint64_t members,
                            bool fresh, float *u, float *v) {
  const D d;
  V scale[vectors], mean[vectors], su[vectors], sv[vectors];
  for (int n = 0; n < vectors; n++) {
    const std::size_t at = std::size_t(j) * t.width + k + n * lanes;
    scale[n] = hn::LoadU(d, t.scale.data() + at);
    mean[n] = hn::LoadU(d, t.mean.data() + at);
    su[n] = sv[n] = hn::Zero(d);
  }
  for (; members; members &= members - 1) {
    const int i = std::countr_zero(members);
    const V q = hn::Set(d, s.q[std::ptrdiff_t{i} * t.height + j]);
    const float *x = s.x + std::ptrdiff_t{i} * t.width + k;
    for (int n = 0; n < vectors; n++) {
      const V away = hn::Mul(hn::Sub(hn::LoadU(d, x + n * lanes), mean[n]), scale[n]),
              part = hn::Mul(q, away);
      su[n] = hn::Add(su[n], part);
      sv[n] = hn::Add(sv[n], hn::MulSub(part, away, q));
    }
  }
  for (int n = 0; n < vectors; n++) {
    float *const to_u = u + k + n * lanes, *const to_v = v + k + n * lanes;
    hn::StoreU(fresh ? su[n] : hn::Add(hn::LoadU(d, to_u), su[n]), d, to_u);
    hn::StoreU(fresh ? sv[n] : hn::Add(hn::LoadU(d, to_v), sv[n]), d, to_v);
  }
}

void weigh(const Tables &t, float weight, float *q) {
  const D d;
  for (int j = 0; j < t.height; j += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, q + j), hn::Set(d, weight)), d, q + j);
}

void add(const Tables &t, const float *descriptors, const float *positions, const float *weights, int count,
         const Scratch &s, const Sums &sums) {
  std::uint64_t members[max_components + Tables::panel];
  std::fill_n(members, t.height, 0);
  project(t, descriptors, positions, count, s.x);
  likelihoods(t, s.x, count, s.q);
  for (int i = 0; i < count; i++) {
    float *q = s.q + std::ptrdiff_t{i} * t.height;
    posteriors(t, q, i, members);
    if (weights) weigh(t, weights[i], q);
  }
  constexpr int many = HWY_TARGET <= HWY_AVX3 ? 6 : 3;
  for (int j = 0; j < t.components; j++) {
    if (!members[j]) continue;
    float *const u = sums.values + std::size_t(2) * j * t.width, *const v = u + t.width;
    const bool fresh = !sums.touched[j];
    sums.touched[j] = 1;
    int k = 0;
    for (; k + many * lanes <= t.width; k += many * lanes)
      sum_members<many>(t, s, j, k, members[j], fresh, u, v);
    for (; k < t.width; k += lanes) sum_members<1>(t, s, j, k, members[j], fresh, u, v);
  }
}

int vector_lanes() {
  return lanes;
}

double dot_product(const float *a, const float *b, int count) {
  const D d;
  double total = 0;
  constexpr int step = 512; // single precision only within
  for (int i = 0; i < count; i += step) {
    const int n = std::min(step, count - i);
    V sum = hn::Zero(d);
    int k = 0;
    for (; k + lanes <= n; k += lanes)
      sum = hn::MulAdd(hn::LoadU(d, a + i + k), hn::LoadU(d, b + i + k), sum);
    total += double(hn::GetLane(hn::SumOfLanes(d, sum)));
    for (; k < n; k++) total += double(a[i + k]) * b[i + k];
  }
  return total;
}

} // namespace
} // namespace vigil::fisher::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::fisher::cpu {

HWY_EXPORT(vector_lanes);
HWY_EXPORT(add);
HWY_EXPORT(dot_product);

Tables::Tables(const Codebook &c)
    : projected(c.projected), dimension(c.dimension()), components(c.components) {
  const auto up = [](int n, int unit) { return (n + unit - 1) / unit * unit; };
  width = up(dimension, HWY_DYNAMIC_DISPATCH(vector_lanes)());
  height = up(components, panel);
  projection.resize(std::size_t(descriptor_length) * width);
  std::vector<double> origin(dimension); // of x here, in the codebook's coordinates
  for (int k = 0; k < projected; k++)
    for (int e = 0; e < descriptor_length; e++) {
      const float p = c.projection[std::size_t(k) * descriptor_length + e];
      projection[std::size_t(e) * width + k] = p;
      origin[k] -= double(p) * c.mean[e];
    }
  // Finite, so that differences with it are no NaNs.
  constant.assign(height, -std::numeric_limits<float>::max() / 4);
  panels.resize(std::size_t(height) * 2 * dimension);
  scale.resize(std::size_t(components) * width);
  mean.resize(scale.size());
  u_factor.resize(components);
  v_factor.resize(components);
  for (int j = 0; j < components; j++) {
    const bool counts = c.priors[j] >= smallest_prior;
    double logarithm = counts ? std::log(double(c.priors[j])) : 0;
    for (int k = 0; k < dimension; k++) {
      const std::size_t from = std::size_t(j) * dimension + k;
      const double variance = c.variances[from], inverse = 1 / std::sqrt(variance),
                   centre = c.means[from] - origin[k];
      logarithm -= 0.5 * std::log(2 * std::numbers::pi * variance);
      const std::size_t at =
          std::size_t(j / panel) * 2 * panel * dimension + std::size_t(2) * panel * k + j % panel;
      panels[at] = scale[std::size_t(j) * width + k] = float(inverse);
      panels[at + panel] = float(centre * inverse);
      mean[std::size_t(j) * width + k] = float(centre);
    }
    if (!counts) continue;
    constant[j] = float(logarithm);
    u_factor[j] = float(1 / std::sqrt(double(c.priors[j])));
    v_factor[j] = float(1 / std::sqrt(2. * c.priors[j]));
  }
}

void add_block(const Tables &t, const float *descriptors, const float *positions, const float *weights,
               int count, const Scratch &s, const Sums &sums) {
  HWY_DYNAMIC_DISPATCH(add)(t, descriptors, positions, weights, count, s, sums);
}

double finish_component(const Tables &t, const Sums *sums, int parts, int j, double count, float *vector) {
  double squares = 0;
  for (int half = 0; half < 2; half++) {
    const double factor = (half ? t.v_factor : t.u_factor)[j] / count;
    float *out = vector + (std::size_t(half) * t.components + j) * t.dimension;
    for (int k = 0; k < t.dimension; k++) {
      double sum = 0;
      for (int i = 0; i < parts; i++)
        if (sums[i].touched[j]) sum += sums[i].values[(std::size_t(2) * j + half) * t.width + k];
      const double z = sum * factor;
      squares += std::abs(z);
      out[k] = float(std::copysign(std::sqrt(std::abs(z)), z));
    }
  }
  return squares;
}

double dot(const float *a, const float *b, int count) {
  return HWY_DYNAMIC_DISPATCH(dot_product)(a, b, count);
}

} // namespace vigil::fisher::cpu
#endif
