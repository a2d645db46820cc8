// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element that has backends in CUDA, in compute shaders of OpenGL and on the CPU works. `automatic`
// takes
//   CUDA     where there is a device
//   OpenGL   where there is none, and OpenGL runs on a GPU that does the work
//   the CPU  elsewhere, after a warning that says why
#pragma once

#include "gst/properties.h"
#include "gst/transform/cuda_choice.h"
#include "gst/transform/device_selector.h"

#include <functional>
#include <string>

namespace vigil::gst {

GType compute_type();

// Whether this machine may have a GPU (`gl` is null), then whether this device of OpenGL is one.
bool is_gpu(const Device *gl);

class ComputeSelector final : public DeviceSelector {
 public:
  struct DeviceRequest {
    ComputeChoice backend = ComputeChoice::automatic;
    DeviceOptions options;
    bool in_gl = true; // OpenGL can do what is set
  };
  // `wish` tells the settings; any thread may call it. `try_out` throws where a device of OpenGL cannot do
  // the work. Tests replace is_gpu().
  ComputeSelector(GstElement *owner, std::function<DeviceRequest()> wish,
                  std::function<void(Device &)> try_out, std::function<bool(const Device *)> gpu = is_gpu)
      : DeviceSelector(owner), wish_(std::move(wish)), try_out_(std::move(try_out)), is_gpu_(std::move(gpu)) {
  }

  void open() override;
  void close() noexcept override;
  std::string device_name() const override { return device().name(); }
  void prepare(const FrameKind &) override;
  Device &device_for(const FrameKind &) override { return device(); }
  bool is_elsewhere(GstBuffer *, const FrameKind &) override;
  void follow(GstBuffer *, const FrameKind &) override;
  std::unique_ptr<FrameMapping> make_mapping(const FrameKind &) override;
  const Device *cuda_device() const override { return cuda_device_.get(); }
  int cuda_device_id() const override { return wish_().options.device_id; }

 private:
  Device &device() const;
  void try_gl();

  std::function<DeviceRequest()> wish_;
  std::function<void(Device &)> try_out_;
  std::function<bool(const Device *)> is_gpu_;
  ComputeChoice choice_ = ComputeChoice::automatic;
  std::string why_no_cuda_;                   // why; for `automatic` until it is decided
  std::unique_ptr<Device> cpu_, cuda_device_; // one of the two is there between open() and close()
  std::shared_ptr<Device> gl_device_;         // once there are frames
};

} // namespace vigil::gst
