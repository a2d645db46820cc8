// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/zivkovic.cuh"

namespace vigil::mog::cuda {

Kernels zivkovic_kernels(Precision precision, int channels) {
  switch (precision) {
  case Precision::double_:
    return channels == 3 ? zivkovic_kernels_for<DoubleStorage<3>, 3>()
                         : zivkovic_kernels_for<DoubleStorage<1>, 1>();
  case Precision::compact:
    return channels == 3 ? zivkovic_kernels_for<CompactStorage<3>, 3>()
                         : zivkovic_kernels_for<CompactStorage<1>, 1>();
  default:
    return channels == 3 ? zivkovic_kernels_for<SingleStorage<3>, 3>()
                         : zivkovic_kernels_for<SingleStorage<1>, 1>();
  }
}

} // namespace vigil::mog::cuda
