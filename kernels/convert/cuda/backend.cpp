// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/convert/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::convert {
namespace {

class CudaConverter final : public Converter {
 public:
  explicit CudaConverter(CudaDevice &device) : device_(device) {}
  void apply(ConstImage from, const Conversion &conversion, Image to, Queue &queue) override {
    check_pictures(from, to);
    const CudaScope scope = device_.enter();
    launch_conversion(from, conversion, to.plane(0), stream_of(queue));
    cuda_check(cudaGetLastError(), "conversion to RGBA");
  }

 private:
  CudaDevice &device_;
};

class CudaHighBytes final : public HighBytes {
 public:
  explicit CudaHighBytes(CudaDevice &device) : device_(device) {}
  void apply(ConstImage from, Image to, Queue &queue) override {
    check_high_bytes(from, to);
    const CudaScope scope = device_.enter();
    launch_high_bytes(from, to, stream_of(queue));
    cuda_check(cudaGetLastError(), "conversion to samples of 8 bits");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Converter> make_cuda(Device &device) {
  return std::make_unique<CudaConverter>(device_cast<CudaDevice>(device));
}

std::unique_ptr<HighBytes> make_high_bytes_cuda(Device &device) {
  return std::make_unique<CudaHighBytes>(device_cast<CudaDevice>(device));
}

} // namespace vigil::convert
