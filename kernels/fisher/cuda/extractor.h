// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/cuda/device.h"
#include "kernels/fisher/cuda/sift.h"

namespace vigil::fisher::cuda {

class CudaExtractor final : public Extractor {
 public:
  CudaExtractor(CudaDevice &, int width, int height, const SiftParams &, int pictures);
  const float *positions() const override { return positions_.as<float>(); }
  void extract(const ConstImage &frame, float *descriptors, Queue &) override;

  // For the encoder: fills the cells of all scales of at most pictures() pictures, from which descriptors are
  // made. The caller has entered the device.
  void fill_cells(const Pictures &, Queue &);
  const Pyramid &pyramid() const { return pyramid_; }
  const CudaDevice &device() const { return device_; }

 private:
  CudaDevice &device_;
  Pyramid pyramid_{};
  DeviceBuffer tables_, positions_, scaled_, rows_, cells_;
};

} // namespace vigil::fisher::cuda
