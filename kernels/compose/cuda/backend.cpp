// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/compose/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::compose {
namespace {

class CudaComposer final : public Composer {
 public:
  explicit CudaComposer(CudaDevice &device) : device_(device) {}

  void foreground(ConstImage frame, Plane<const std::uint8_t> mask, const Style &style, Image out,
                  Queue &queue) override {
    check_pictures(frame, mask, out);
    const CudaScope scope = device_.enter();
    launch_compose(frame, mask, foreground_layers(frame.format, style), out, stream_of(queue));
    cuda_check(cudaGetLastError(), "foreground picture");
  }

  void overlay(ConstImage frame, Plane<const std::uint8_t> mask, std::span<const DrawnBox> boxes,
               const Style &style, Image out, Queue &queue) override {
    check_pictures(frame, mask, out);
    const Layers layers = overlay_layers(frame.format, style);
    const Outlines outlines = outlines_of(boxes, style, frame.width, frame.height);
    const CudaScope scope = device_.enter();
    launch_compose(frame, mask, layers, out, stream_of(queue));
    cuda_check(cudaGetLastError(), "overlay picture");
    if (outlines.count == 0) return;
    launch_outlines(outlines, layers, out, stream_of(queue));
    cuda_check(cudaGetLastError(), "outlines of boxes");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Composer> make_cuda(Device &device) {
  return std::make_unique<CudaComposer>(device_cast<CudaDevice>(device));
}

} // namespace vigil::compose
