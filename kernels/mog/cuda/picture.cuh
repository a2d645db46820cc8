// SPDX-License-Identifier: LGPL-2.1-or-later
// What is done with a state now and then: the background picture, and the way from and to a State. A Codec's
//   component(store, K, k, spot)       gives component k of a pixel as single precision values, weight -1
//                                      where it is unused
//   put(store, K, k, spot, component)  sets it
// Nothing here needs the number of components at compile time.
#pragma once

#include "kernels/mog/cuda/job.cuh"

namespace vigil::mog::cuda {

template <int channels>
struct Component {
  float weight, mean[channels], variance;
};

__device__ __forceinline__ std::uint8_t rounded(float v) {
  return static_cast<std::uint8_t>(smaller(larger(floorf(v + 0.5f), 0.f), 255.f));
}

template <class Codec>
__global__ void __launch_bounds__(threads) background_kernel(Store store, int components, Image out) {
  constexpr int channels = Codec::channels;
  const Spot spot = spot_of<1>(store);
  const int x = spot.x, y = spot.y;
  if (x >= out.width || y >= out.height) return;
  const bool yuv = out.format == PixelFormat::nv12 || out.format == PixelFormat::i420;
  float best = -1, mean[3] = {0, yuv ? 128.f : 0.f, yuv ? 128.f : 0.f};
  for (int k = 0; k < components; k++) {
    const Component<channels> g = Codec::component(store, components, k, spot);
    if (!(g.weight > best)) continue;
    best = g.weight;
    if constexpr (channels == 3) {
      for (int c = 0; c < 3; c++) mean[c] = g.mean[c];
    } else {
      mean[0] = g.mean[0];
      if (!yuv) mean[1] = mean[2] = g.mean[0];
    }
  }
  std::uint8_t *first = out.plane(0).row(y);
  if (out.format == PixelFormat::rgba || out.format == PixelFormat::bgra) {
    const std::uint32_t word = rounded(mean[0]) | rounded(mean[1]) << 8 | rounded(mean[2]) << 16 | 255u << 24;
    vigil::store(first + 4 * static_cast<std::ptrdiff_t>(x), Bytes<4>{{word}}, 4);
    return;
  }
  first[x] = rounded(mean[0]);
  if (x % 2 || y % 2) return; // chroma is that of the top left pixel of its 2x2
  if (out.format == PixelFormat::nv12) {
    out.plane(1).row(y / 2)[x] = rounded(mean[1]);
    out.plane(1).row(y / 2)[x + 1] = rounded(mean[2]);
  } else if (out.format == PixelFormat::i420) {
    out.plane(1).row(y / 2)[x / 2] = rounded(mean[1]);
    out.plane(2).row(y / 2)[x / 2] = rounded(mean[2]);
  }
}

template <class Codec>
__global__ void __launch_bounds__(threads)
    save_kernel(Store store, int width, int height, int components, Canonical to) {
  constexpr int channels = Codec::channels;
  const Spot spot = spot_of<1>(store);
  const int x = spot.x, y = spot.y;
  if (x >= width || y >= height) return;
  const std::size_t n = static_cast<std::size_t>(width) * height, i = static_cast<std::size_t>(y) * width + x;
  int used = 0;
  for (int k = 0; k < components; k++) {
    const Component<channels> g = Codec::component(store, components, k, spot);
    const bool in_use = g.weight >= 0;
    used += in_use;
    to.weight[k * n + i] = in_use ? g.weight : 0;
    to.variance[k * n + i] = in_use ? g.variance : 0;
    for (int c = 0; c < channels; c++) to.mean[(k * channels + c) * n + i] = in_use ? g.mean[c] : 0;
  }
  to.active[i] = store.active ? spot.at<std::uint8_t>(store.active, 1, 0) : static_cast<std::uint8_t>(used);
}

template <class Codec>
__global__ void __launch_bounds__(threads)
    load_kernel(Store store, int width, int height, int components, Canonical from) {
  constexpr int channels = Codec::channels;
  const Spot spot = spot_of<1>(store);
  const int x = spot.x, y = spot.y;
  if (x >= width || y >= height) return;
  const std::size_t n = static_cast<std::size_t>(width) * height, i = static_cast<std::size_t>(y) * width + x;
  for (int k = 0; k < components; k++) {
    Component<channels> g;
    g.weight = from.weight[k * n + i];
    g.variance = from.variance[k * n + i];
    for (int c = 0; c < channels; c++) g.mean[c] = from.mean[(k * channels + c) * n + i];
    Codec::put(store, components, k, spot, g);
  }
  if (store.active) spot.at<std::uint8_t>(store.active, 1, 0) = from.active[i];
}

template <class Codec>
void draw_background(const Config &c, const Store &store, const Image &out, cudaStream_t stream) {
  launch(background_kernel<Codec>, Launch(c.width, c.height, 1), stream, store, c.components, out);
}
template <class Codec>
void save_state(const Config &c, const Store &store, const Canonical &to, cudaStream_t stream) {
  launch(save_kernel<Codec>, Launch(c.width, c.height, 1), stream, store, c.width, c.height, c.components,
         to);
}
template <class Codec>
void load_state(const Config &c, const Store &store, const Canonical &from, cudaStream_t stream) {
  launch(load_kernel<Codec>, Launch(c.width, c.height, 1), stream, store, c.width, c.height, c.components,
         from);
}

// Calls fn(std::integral_constant<int, K>) for the number of components.
template <class Fn>
void with_components(int components, Fn fn) {
  static_assert(max_components == 5);
  switch (components) {
  case 1:
    return fn(std::integral_constant<int, 1>{});
  case 2:
    return fn(std::integral_constant<int, 2>{});
  case 3:
    return fn(std::integral_constant<int, 3>{});
  case 4:
    return fn(std::integral_constant<int, 4>{});
  default:
    return fn(std::integral_constant<int, 5>{});
  }
}

} // namespace vigil::mog::cuda
