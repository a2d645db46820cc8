// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in CUDA memory, and in OpenGL textures that CUDA reaches (gl_cuda.h), for elements that work in
// OpenCL. Where the OpenCL device is the frames' GPU and can import CUDA's memory, a frame is copied on the
// GPU into an allocation that both know, worked on there, and copied on the GPU into the buffer that goes on:
// no byte comes near the host. Otherwise it goes through the host. (libgstcuda's own memory cannot be
// exported before 1.24, so that the copies cannot be spared.) At the border the host waits: CUDA and OpenCL
// know nothing of each other's queues.
#pragma once

#include "gst/memory/frame_mapping.h"

#include <string>

namespace vigil::gst {

// How OpenCL reaches CUDA frames.
struct CudaFrames {
  Device *device = nullptr; // theirs
  bool shared = false;      // why_not_shared() said nothing; textures need it
};
// `opencl` is a ClDevice; both devices must outlive the slot.
std::unique_ptr<FrameMapping> make_cuda_mapping(Device &opencl, const FrameKind &, const CudaFrames &);
// Why the two devices cannot share memory, as the end of a sentence; empty when they can.
std::string why_not_shared(Device &cuda, Device &opencl);

} // namespace vigil::gst
