// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/mog.cuh"

namespace vigil::mog::cuda {
namespace {

template <class T>
__global__ void mog_background(Store store, int width, int height, int components, Image out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  const std::size_t i = std::size_t(y) * store.pitch + x;
  const T *weights = static_cast<const T *>(store.weight) + i,
          *means = static_cast<const T *>(store.gaussian) + i;
  auto heaviest = Cell<T>::weight(weights[0]);
  int best = 0;
  for (int k = 1; k < components; k++)
    if (const auto w = Cell<T>::weight(weights[k * store.plane]); w > heaviest) {
      heaviest = w;
      best = k;
    }
  const float m[1] = {float(Cell<T>::mean(means[best * store.plane]))};
  put_background(out, x, y, m, heaviest > 0);
}

template <class T, bool Load>
__global__ void mog_transfer(Store store, int width, int height, int components, Canonical canonical) {
  using Real = typename Cell<T>::Real;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  const std::size_t i = std::size_t(y) * store.pitch + x, n = std::size_t(width) * height,
                    at = std::size_t(y) * width + x;
  T *weights = static_cast<T *>(store.weight) + i, *means = static_cast<T *>(store.gaussian) + i;
  T *variances = means + components * store.plane;
  constexpr std::uint32_t nearest = 0x7f; // the random bits that round to nearest
  int active = 0;
  for (int k = 0; k < components; k++) {
    T &w = weights[k * store.plane], &m = means[k * store.plane], &v = variances[k * store.plane];
    if constexpr (Load) {
      w = Cell<T>::pack_weight(Real(min(canonical.weight[k * n + at], 1.f)), nearest);
      m = Cell<T>::pack_mean(Real(min(max(canonical.mean[k * n + at], 0.f), 255.f)), nearest);
      v = Cell<T>::pack_variance(Real(canonical.variance[k * n + at]), nearest);
    } else {
      canonical.weight[k * n + at] = float(Cell<T>::weight(w));
      canonical.mean[k * n + at] = float(Cell<T>::mean(m));
      canonical.variance[k * n + at] = float(Cell<T>::variance(v));
      active += Cell<T>::weight(w) > 0;
    }
  }
  if constexpr (!Load) canonical.active[at] = std::uint8_t(active);
}

dim3 tiles(int width, int height, int pixels = 1) {
  return {unsigned(width + 32 * pixels - 1) / (32 * pixels), unsigned(height + 3) / 4, 1};
}

template <class T, int V>
Kernels kernels_for() {
  using Real = typename Cell<T>::Real;
  const auto apply = [](const Args<double, max_group> &a, cudaStream_t stream) {
    const auto args = convert<Real, max_group>(a);
    const dim3 grid = tiles(a.width, a.height, V), block(32, 4);
    switch (a.components) {
    case 1:
      return mog_kernel<T, 1, V><<<grid, block, 0, stream>>>(args);
    case 2:
      return mog_kernel<T, 2, V><<<grid, block, 0, stream>>>(args);
    case 3:
      return mog_kernel<T, 3, V><<<grid, block, 0, stream>>>(args);
    case 4:
      return mog_kernel<T, 4, V><<<grid, block, 0, stream>>>(args);
    default:
      return mog_kernel<T, 5, V><<<grid, block, 0, stream>>>(args);
    }
  };
  const auto background = [](const Store &s, const Config &c, Image out, cudaStream_t stream) {
    mog_background<T>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, c.components, out);
  };
  const auto save = [](const Store &s, const Config &c, Canonical to, cudaStream_t stream) {
    mog_transfer<T, false>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, c.components, to);
  };
  const auto load = [](const Store &s, const Config &c, Canonical from, cudaStream_t stream) {
    mog_transfer<T, true>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, c.components, from);
  };
  return {2 * sizeof(T), sizeof(T), apply, background, save, load};
}

} // namespace

Kernels mog_kernels(Precision precision) {
  switch (precision) {
  case Precision::double_:
    return kernels_for<double, 2>();
  case Precision::compact:
    return kernels_for<std::uint16_t, 4>();
  default:
    return kernels_for<float, 4>();
  }
}

} // namespace vigil::mog::cuda
