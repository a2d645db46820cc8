// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element that has a CUDA and a CPU backend works: its properties, and the device that they lead to.
#pragma once

#include "gst/properties.h"
#include "gst/transform/cuda_choice.h"
#include "gst/transform/device_selector.h"

#include <functional>
#include <memory>

namespace vigil::gst {

GType backend_type();

// The CUDA device that an element of this choice works on. Null: the CPU does, by choice, or since
// `automatic` found no CUDA device; then a warning was posted. Throws what else went wrong.
std::unique_ptr<Device> open_chosen_device(GstElement *, CudaContext &, BackendChoice, int device_id);

// `automatic` takes the CPU where there is no CUDA device, after posting a warning that says why.
class CudaSelector final : public DeviceSelector {
 public:
  struct DeviceRequest {
    BackendChoice backend = BackendChoice::automatic;
    DeviceOptions options;
  };
  // `wish` tells the settings; any thread may call it.
  CudaSelector(GstElement *owner, std::function<DeviceRequest()> wish)
      : DeviceSelector(owner), wish_(std::move(wish)) {}

  void open() override;
  void close() noexcept override;
  std::string device_name() const override { return device_->name(); }
  Device &device_for(const FrameKind &) override;
  bool is_elsewhere(GstBuffer *, const FrameKind &) override;
  void follow(GstBuffer *, const FrameKind &) override;
  std::unique_ptr<FrameMapping> make_mapping(const FrameKind &) override;
  const Device *cuda_device() const override;
  int cuda_device_id() const override { return wish_().options.device_id; }

 private:
  std::function<DeviceRequest()> wish_;
  std::unique_ptr<Device> device_;
};

} // namespace vigil::gst
