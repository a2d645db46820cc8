// SPDX-License-Identifier: LGPL-2.1-or-later
// Which device an OpenCL element works on, and how it reaches frames in CUDA memory.
#include "gst/transform/opencl_element.h"

#include <utility>

namespace vigil::gst {
namespace {

GstElement *element_of(VigilClTransform *self) {
  return GST_ELEMENT_CAST(self);
}
VigilClTransformClass *class_of(VigilClTransform *self) {
  return G_TYPE_INSTANCE_GET_CLASS(self, vigil_cl_transform_get_type(), VigilClTransformClass);
}

void open_cuda(VigilClTransform *self) {
  ClImpl &impl = cl_impl_of(self);
  if (!impl.cuda_device) impl.cuda_device = impl.cuda.open(element_of(self), -1);
}
// Where there is a device; OpenCL reaches textures by CUDA.
void try_cuda(VigilClTransform *self) {
  try {
    open_cuda(self);
  } catch (const Error &e) {
    GST_INFO_OBJECT(self, "without CUDA: %s", e.what());
  }
}
// Without OpenCL `automatic` works in CUDA, where there is that.
void open_opencl(VigilClTransform *self) {
  ClImpl &impl = cl_impl_of(self);
  const std::string selector = impl.snapshot().device;
  try {
    impl.device = share_cl_device(selector);
  } catch (const Error &e) {
    if (impl.choice != ClChoice::automatic || e.kind() != Error::Kind::no_device || !selector.empty()) throw;
    try_cuda(self);
    if (!impl.cuda_device) throw;
    GST_INFO_OBJECT(self, "works in CUDA: %s", e.what());
  }
}

// Where frames of this kind are worked on: the API that they are in, unless it is chosen.
// Textures are within CUDA's reach.
Device &device_for(const ClImpl &impl, const FrameKind &kind) {
  const bool near = kind.cuda_memory || (kind.gl_memory && impl.cuda_device);
  const bool cuda =
      impl.choice == ClChoice::cuda || (impl.choice == ClChoice::automatic && (near || !impl.device));
  if (cuda) return *impl.cuda_device;
  return kind.gl_memory && impl.beside_gl.device() ? *impl.beside_gl.device() : *impl.device;
}

void move_to(VigilClTransform *self, Device &device) {
  ClImpl &impl = cl_impl_of(self);
  if (impl.working == &device) return;
  stop_work(impl);
  auto work = class_of(self)->make_work(self, device);
  impl.pipeline = std::make_unique<ClPipeline>(device, *work, impl.last_stats);
  impl.work = std::move(work);
  impl.working = &device;
  impl.backend = device.backend();
  impl.device_name = device.name();
  GST_INFO_OBJECT(self, "works on %s", impl.device_name.c_str());
}

} // namespace

GType cl_choice_type() {
  static const GEnumValue values[] = {
      {int(ClChoice::automatic), "CUDA for frames in CUDA memory or where there is no OpenCL; else OpenCL",
       "auto"},
      {int(ClChoice::opencl), "OpenCL", "opencl"},
      {int(ClChoice::cuda), "CUDA; an error where no device is", "cuda"},
      {}};
  static const GType type = enum_type("VigilClBackend", values);
  return type;
}

void open_devices(VigilClTransform *self) {
  ClImpl &impl = cl_impl_of(self);
  const auto choice = class_of(self)->choice;
  impl.choice = choice ? choice(self) : ClChoice::opencl;
  if (impl.choice == ClChoice::cuda)
    open_cuda(self);
  else
    open_opencl(self);
  const Device &device = device_for(impl, {});
  const std::lock_guard lock(impl.work_mutex);
  impl.backend = device.backend();
  impl.device_name = device.name();
}

void close_devices(VigilClTransform *self) noexcept {
  ClImpl &impl = cl_impl_of(self);
  impl.cuda_device.reset();
  impl.beside_gl.close();
  impl.gl.close();
  impl.cuda.close();
  impl.device.reset();
}

void start_work(VigilClTransform *self) {
  ClImpl &impl = cl_impl_of(self);
  impl.warned = false;
  impl.host_copies = {};
  impl.last_stats = {};
  move_to(self, device_for(impl, {}));
}

void stop_work(ClImpl &impl) noexcept {
  if (impl.pipeline) {
    impl.pipeline->discard();
    impl.last_stats = impl.pipeline->stats();
  }
  impl.pipeline.reset();
  impl.work.reset();
  impl.working = nullptr;
}

std::optional<Error> take_format(VigilClTransform *self, const FrameKind &kind) {
  ClImpl &impl = cl_impl_of(self);
  if (kind.cuda_memory) open_cuda(self);
  if (kind.gl_memory) try_cuda(self);
  move_to(self, device_for(impl, kind));
  const bool beside_gl = impl.working == impl.beside_gl.device();
  std::optional<Error> warning;
  CudaFrames cuda;
  if ((kind.cuda_memory || kind.gl_memory) && impl.cuda_device && impl.backend == Backend::opencl &&
      !beside_gl) {
    cuda.device = impl.cuda_device.get();
    const std::string why = why_not_shared(*impl.cuda_device, *impl.device);
    cuda.shared = why.empty();
    if (!cuda.shared && !std::exchange(impl.warned, true))
      warning.emplace(Error::Kind::device, text("frames in ", kind.cuda_memory ? "CUDA" : "OpenGL",
                                                " memory go through the host: ", why));
  }
  impl.pipeline->set_format(kind, cuda, beside_gl ? impl.beside_gl.contexts() : nullptr);
  impl.kind = kind;
  return warning;
}

std::optional<Error> follow_context(VigilClTransform *self, GstBuffer *buffer) {
  ClImpl &impl = cl_impl_of(self);
  GST_INFO_OBJECT(self, "the frames are of another CUDA context: going over to it");
  stop_work(impl);
  impl.cuda_device = impl.cuda.adopt(buffer);
  return take_format(self, impl.kind);
}

bool is_of_new_gl(ClImpl &impl, GstBuffer *buffer) {
  return impl.kind.gl_memory && impl.backend == Backend::opencl && impl.pipeline &&
         !impl.pipeline->through_cuda() && impl.beside_gl.is_new(buffer, *impl.device);
}

std::optional<Error> follow_gl(VigilClTransform *self, GstBuffer *buffer) {
  ClImpl &impl = cl_impl_of(self);
  stop_work(impl);
  std::optional<Error> warning;
  try {
    impl.beside_gl.follow(buffer, *impl.device);
    GST_INFO_OBJECT(self, "OpenCL shares the frames' textures");
  } catch (const Error &e) {
    GST_INFO_OBJECT(self, "OpenCL does not share the frames' textures: %s", e.what());
    if (!std::exchange(impl.warned, true))
      warning.emplace(Error::Kind::device, text("frames in OpenGL memory go through the host: ", e.what()));
  }
  if (auto other = take_format(self, impl.kind)) return other;
  return warning;
}

} // namespace vigil::gst
