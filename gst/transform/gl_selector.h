// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element that has an OpenGL, a CUDA and a CPU backend works. `automatic` takes
//   CUDA     for frames in CUDA memory
//   OpenGL   for all others, where it runs on a GPU
//   the CPU  where there is no OpenGL, or one that draws on the processor: that is slower than the CPU
//            backend. Formats that only OpenGL converts stay with OpenGL.
#pragma once

#include "gst/transform/cuda_choice.h"
#include "gst/transform/device_selector.h"

#include <functional>

namespace vigil::gst {

enum class GlChoice { automatic, opengl, cuda, cpu };

class GlSelector final : public DeviceSelector {
 public:
  struct DeviceRequest {
    GlChoice backend = GlChoice::automatic;
    CudaChoice cuda;
  };
  // `wish` tells the settings; any thread may call it.
  GlSelector(GstElement *owner, std::function<DeviceRequest()> wish)
      : DeviceSelector(owner), wish_(std::move(wish)) {}

  void open() override;
  void close() noexcept override;
  std::string device_name() const override { return device().name(); }
  void prepare(const FrameKind &) override;
  Device &device_for(const FrameKind &) override;
  bool is_elsewhere(GstBuffer *, const FrameKind &) override;
  void follow(GstBuffer *, const FrameKind &) override;
  std::unique_ptr<FrameMapping> make_mapping(const FrameKind &) override;
  bool makes_textures() const override { return working_ == Backend::gl; }
  const Device *cuda_device() const override { return cuda_device_.get(); }
  int cuda_device_id() const override { return wish_().cuda.device_id; }

  // Whether frames may be held while further ones come; any thread. Before there are frames that is not
  // known: true.
  bool holds_frames() const { return working_ != Backend::gl || !decided_; }

 private:
  Backend choose(const FrameKind &);
  void open_cuda();
  Device &device() const;

  std::function<DeviceRequest()> wish_;
  GlChoice choice_ = GlChoice::automatic;
  std::unique_ptr<Device> cpu_, cuda_device_; // the latter once frames need it
  std::shared_ptr<Device> gl_device_;         // likewise
  std::atomic<Backend> working_ = Backend::cpu;
  std::atomic<bool> decided_ = false; // working_ is for frames that came
};

} // namespace vigil::gst
