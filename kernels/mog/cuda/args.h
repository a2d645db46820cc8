// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA kernels of mog are given, and their launchers. Seen by both compilers.
#pragma once

#include "kernels/mog/mog.h"

#include <cuda_runtime_api.h>

namespace vigil::mog::cuda {

inline constexpr int max_group = 32;

// One frame of a group. Addresses are the device's.
struct Frame {
  const std::uint8_t *plane[3];
  std::uint8_t *mask;
  int stride[3];
  int mask_stride;
  float rate;
  std::uint32_t number; // of the frame, for the compact precision's rounding
};

// `Real` is float or double: the constants of mog.h in the arithmetic that is used.
template <class Real>
struct Numbers {
  Real match2, background2, background_ratio, weight_threshold, complexity_prior;
  Real initial_variance, initial_weight, min_variance, max_variance, shadow_threshold;
  Real zero[3];
  bool detect_shadows;
  std::uint8_t shadow_value;
};

// The state: one array a value and component, all first components before all second ones (B, section III.B.2). Rows are
// `pitch` pixels apart, a multiple of 16, so that vectors of pixels are aligned in any row.
struct Store {
  void *gaussian; // zivkovic: mean and variance of a component together; mog: means, then variances
  void *weight;
  std::uint8_t *active; // zivkovic
  std::size_t plane;    // pixels a plane: pitch * height
  int pitch;
};

template <class Real, int Frames>
struct Args {
  Numbers<Real> c;
  Store store;
  RateMap rates;
  PixelFormat format;
  int width, height, components, count;
  Frame frame[Frames];
};

// Canonical arrays of mog::State in device memory.
struct Canonical {
  std::uint8_t *active;
  float *weight, *variance, *mean;
};

// The work that depends on how the state is stored; one object of functions for each method, precision and number of
// channels.
struct Kernels {
  std::size_t gaussian_bytes, weight_bytes; // a pixel and component
  void (*apply)(const Args<double, max_group> &, cudaStream_t);
  void (*background)(const Store &, const Config &, Image, cudaStream_t);
  void (*save)(const Store &, const Config &, Canonical, cudaStream_t);
  void (*load)(const Store &, const Config &, Canonical, cudaStream_t);
};
Kernels zivkovic_kernels(Precision, int channels);
Kernels mog_kernels(Precision);

// Arguments in the arithmetic and for the number of frames that a kernel takes.
template <class Real, int Frames>
Args<Real, Frames> convert(const Args<double, max_group> &a) {
  Args<Real, Frames> r{};
  r.c = {Real(a.c.match2),
         Real(a.c.background2),
         Real(a.c.background_ratio),
         Real(a.c.weight_threshold),
         Real(a.c.complexity_prior),
         Real(a.c.initial_variance),
         Real(a.c.initial_weight),
         Real(a.c.min_variance),
         Real(a.c.max_variance),
         Real(a.c.shadow_threshold),
         {Real(a.c.zero[0]), Real(a.c.zero[1]), Real(a.c.zero[2])},
         a.c.detect_shadows,
         a.c.shadow_value};
  r.store = a.store;
  r.rates = a.rates;
  r.format = a.format;
  r.width = a.width;
  r.height = a.height;
  r.components = a.components;
  r.count = a.count;
  for (int i = 0; i < a.count; i++) r.frame[i] = a.frame[i];
  return r;
}

} // namespace vigil::mog::cuda
