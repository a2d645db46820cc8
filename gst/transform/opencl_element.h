// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of VigilClTransform, for the files that make it up (see opencl.h).
#pragma once

#include "common/error.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_context.h"
#include "gst/properties.h"
#include "gst/transform/backend.h"
#include "gst/transform/opencl_pipeline.h"

#include <mutex>
#include <optional>

GST_DEBUG_CATEGORY_EXTERN(vigil_opencl_debug);
#define GST_CAT_DEFAULT vigil_opencl_debug

namespace vigil::gst {

struct ClFlow {
  int async_depth = 0;
};
struct ClSettings {
  std::string device;
  ClFlow flow;
};

struct ClImpl {
  explicit ClImpl(GstElement *element) : gl(element) {}

  // Held for moments, by any thread.
  std::mutex settings_mutex;
  ClSettings settings;

  // From NULL to READY and back.
  ClChoice choice = ClChoice::opencl;
  std::shared_ptr<ClDevice> device;
  CudaContext cuda;                    // shared with neighbours, once frames are in CUDA memory
  std::unique_ptr<Device> cuda_device; // in that context
  GlContext gl;
  ClBesideGl beside_gl;
  bool warned = false;    // that frames go through the host
  HostCopies host_copies; // of textures

  // Held while a frame is worked on, never while one is pushed or a message is posted. Guards what follows.
  std::mutex work_mutex;
  std::unique_ptr<ClWork> work; // from start to stop, like the pipeline that uses it
  std::unique_ptr<ClPipeline> pipeline;
  Device *working = nullptr; // where both are
  FrameKind kind;
  ClStats last_stats;                // when there is none
  Backend backend = Backend::opencl; // as stats tell them, like the name
  std::string device_name;

  ClSettings snapshot() {
    const std::lock_guard lock(settings_mutex);
    return settings;
  }
};

inline ClImpl &cl_impl_of(gpointer self) {
  return *static_cast<VigilClTransform *>(self)->impl;
}
// The base class, whose functions ours go on to.
GstBaseTransformClass *cl_parent_class();
void install_cl_streaming(GstBaseTransformClass *);

// opencl_place.cpp. Errors are thrown.
void open_devices(VigilClTransform *);
void close_devices(VigilClTransform *) noexcept;
// Work and pipeline on the device that is there before there are caps. The caller holds work_mutex, as for the next ones.
void start_work(VigilClTransform *);
void stop_work(ClImpl &) noexcept;
// Frames of this kind come from now on; none is held. What it returns is to be posted as a warning, without the lock.
std::optional<Error> take_format(VigilClTransform *, const FrameKind &);
// Frames of another CUDA context come from now on, like this one; the same for the rest.
std::optional<Error> follow_context(VigilClTransform *, GstBuffer *);
// Whether textures of another OpenGL context come from now on, like this one, that OpenCL may share; and the same for those.
bool is_of_new_gl(ClImpl &, GstBuffer *);
std::optional<Error> follow_gl(VigilClTransform *, GstBuffer *);

} // namespace vigil::gst
