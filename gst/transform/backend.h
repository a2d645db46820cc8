// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element that has a CUDA and a CPU backend does its work: its properties, and the device they lead to.
#pragma once

#include "gst/memory/cuda_context.h"
#include "gst/memory/slots.h"
#include "gst/properties.h"

namespace vigil::gst {

enum class Choice { automatic, cuda, cpu };
GType backend_type();

struct Place {
  int cuda_device_id = -1;
  int threads = 0;
  bool operator==(const Place &) const = default;
};
inline constexpr auto place_table = std::tuple{
    param("cuda-device-id", "CUDA device",
          "Number of the CUDA device; -1: the one that the neighbours use, else the first",
          &Place::cuda_device_id, -1, 255),
    param("threads", "Threads", "Threads of the CPU backend; 0: as many as the machine runs at once",
          &Place::threads, 0, 1024),
};

// `automatic` takes the CPU where there is no CUDA device, after posting a warning that says why. Throws
// Error::no_device when `cuda` was asked for and none is there.
std::unique_ptr<Device> open_device(GstElement *, CudaContext &, Choice, const Place &);

// Whether a frame is in the memory of another CUDA context, of a device that `place` allows: the element has to go over to it
// (CudaContext::adopt). Throws Error::bad_setting when it is of another device.
bool needs_other_context(CudaContext &, const FrameKind &, GstBuffer *, const Place &);

// Frames between OpenGL's textures and a CUDA device, where OpenGL runs on another GPU or on a processor: they go through the
// host. warn() says so on the bus, once; with kind and counts, where they tell of it.
class HostCopies {
 public:
  void warn(GstElement *, const Device &cuda);
  void warn(GstElement *, const FrameKind &, const Device &, const ByteCounts &);

 private:
  bool warned_ = false;
};

} // namespace vigil::gst
