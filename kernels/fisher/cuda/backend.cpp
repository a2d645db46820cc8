// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the two classes of the CUDA backend.
#include "common/device_cast.h"
#include "kernels/fisher/cuda/encoder.h"
#include "kernels/fisher/cuda/extractor.h"

namespace vigil::fisher {

std::unique_ptr<Extractor> make_cuda(Device &device, int width, int height, const SiftParams &params) {
  return std::make_unique<cuda::CudaExtractor>(device_cast<CudaDevice>(device), width, height, params);
}
std::unique_ptr<Encoder> make_cuda(Device &device, const Codebook &codebook, const Classifier &classifier,
                                   int capacity) {
  return std::make_unique<cuda::CudaEncoder>(device_cast<CudaDevice>(device), codebook, classifier, capacity);
}

} // namespace vigil::fisher
