// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element that works in OpenCL, and perhaps in CUDA too, works; and how OpenCL reaches frames in the
// memory of CUDA and OpenGL: through CUDA where both are the same GPU (cuda_opencl_mapping.h), by itself
// where its driver shares textures (opencl_gl_mapping.h), else through the host.
#pragma once

#include "gst/memory/cuda_opencl_mapping.h"
#include "gst/memory/opencl_devices.h"
#include "gst/memory/opencl_gl_mapping.h"
#include "gst/properties.h"
#include "gst/transform/cuda_choice.h"
#include "gst/transform/device_selector.h"
#include "gst/video/caps.h"

#include <functional>
#include <string>

// For pad templates: the formats in system memory, and those in CUDA memory, which builds with CUDA take; and
// textures.
#define VIGIL_CL_CAPS(SYSTEM, CUDA)                                                                          \
  VIGIL_CUDA_CAPS(CUDA) VIGIL_GL_CAPS("{ RGBA }") GST_VIDEO_CAPS_MAKE(SYSTEM)

namespace vigil::gst {

// For elements that have a CUDA and an OpenCL backend.
enum class ClChoice { automatic, opencl, cuda };
GType cl_choice_type();

// For the property `stats` of elements that work in OpenCL.
inline constexpr const char *cl_stats_fields =
    "Structure: frames that came out; kernel-time-us of those that were worked on, the mean, and "
    "kernel-time-last-us, by the device's clock; bytes-host-to-device and bytes-device-to-host of "
    "pictures; bytes-results read back in addition; backend; device; and what the element adds";

// The property `device` of elements that work in OpenCL.
template <class S>
void add_cl_device(Properties<S> &p, std::string S::*field) {
  p.string("device", "Device",
           "The OpenCL device: its number, or a part of its or its platform's name; none: the first GPU, "
           "else the first accelerator, else the processor",
           field, Change::ready);
}

class OpenClSelector final : public DeviceSelector {
 public:
  struct DeviceRequest {
    std::string device;
    CudaChoice cuda;
    ClChoice backend = ClChoice::opencl;
  };
  // `wish` tells the settings; any thread may call it.
  OpenClSelector(GstElement *owner, std::function<DeviceRequest()> wish);

  void open() override;
  void close() noexcept override;
  std::string device_name() const override;
  void prepare(const FrameKind &) override;
  Device &device_for(const FrameKind &) override;
  bool is_elsewhere(GstBuffer *, const FrameKind &) override;
  void follow(GstBuffer *, const FrameKind &) override;
  std::unique_ptr<FrameMapping> make_mapping(const FrameKind &) override;
  bool may_replace() const override { return through_cuda() || shares_textures(); }
  const Device *cuda_device() const override { return cuda_device_.get(); }
  int cuda_device_id() const override { return wish_().cuda.device_id; }

 private:
  void open_cuda();
  void try_cuda();
  Device &choose(const FrameKind &) const;
  void follow_gl(GstBuffer *);
  // Whether CUDA hands the frames to OpenCL, and whether OpenCL shares their textures by itself.
  bool through_cuda() const {
    return working_ && working_->backend() == Backend::opencl && frames_.device &&
           (kind_.cuda_memory || (kind_.gl_memory && frames_.shared));
  }
  bool shares_textures() const { return working_ && working_ == gl_sharing_.device(); }
  void warn(const char *memory, const std::string &why);

  std::function<DeviceRequest()> wish_;
  ClChoice choice_ = ClChoice::opencl;
  std::shared_ptr<ClDevice> device_;
  std::unique_ptr<Device> cuda_device_; // in the context that is shared with neighbours, once frames need it
  ClGlSharing gl_sharing_;
  Device *working_ = nullptr; // what device_for() said last, and for which frames
  FrameKind kind_;
  CudaFrames frames_; // how OpenCL reaches them
};

} // namespace vigil::gst
