// SPDX-License-Identifier: LGPL-2.1-or-later
// Fisher vectors on a GPU: the classes and kernels are in the folder cuda/.
#include "common/error.h"
#include "kernels/fisher/cuda/encoder.h"
#include "kernels/fisher/cuda/extractor.h"

namespace vigil::fisher {
namespace {

CudaDevice &cuda_device(Device &device) {
  auto *d = dynamic_cast<CudaDevice *>(&device);
  if (!d) fail(Error::Kind::bad_setting, "Fisher vectors on a GPU need a CUDA device, not ", device.name());
  return *d;
}

} // namespace

std::unique_ptr<Extractor> make_cuda(Device &device, int width, int height, const SiftParams &params) {
  return std::make_unique<cuda::CudaExtractor>(cuda_device(device), width, height, params);
}
std::unique_ptr<Encoder> make_cuda(Device &device, const Codebook &codebook, const Classifier &classifier,
                                   int capacity) {
  return std::make_unique<cuda::CudaEncoder>(cuda_device(device), codebook, classifier, capacity);
}

} // namespace vigil::fisher
