// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/opencl_selector.h"

#include "common/opencl/cache.h"
#include "gst/errors.h"
#include "gst/transform/debug.h"

#include <mutex>
#include <utility>

namespace vigil::gst {

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

OpenClSelector::OpenClSelector(GstElement *owner, std::function<DeviceRequest()> wish)
    : DeviceSelector(owner), wish_(std::move(wish)) {
  static std::once_flag once;
  std::call_once(once,
                 [] { set_cache_log([](const std::string &words) { GST_WARNING("%s", words.c_str()); }); });
}

void OpenClSelector::open_cuda() {
  if (!cuda_device_) cuda_device_ = cuda.open(owner_, cuda_device_id());
}
// Where there is a device; OpenCL reaches textures by CUDA.
void OpenClSelector::try_cuda() {
  try {
    open_cuda();
  } catch (const Error &e) {
    GST_INFO_OBJECT(owner_, "without CUDA: %s", e.what());
  }
}

// Without OpenCL `automatic` works in CUDA, where there is that.
void OpenClSelector::open() {
  const auto [selector, chosen_cuda, choice] = wish_();
  choice_ = choice;
  if (choice == ClChoice::cuda) return open_cuda();
  try {
    device_ = share_cl_device(selector);
  } catch (const Error &e) {
    if (choice != ClChoice::automatic || e.kind() != Error::Kind::no_device || !selector.empty()) throw;
    try_cuda();
    if (!cuda_device_) throw;
    GST_INFO_OBJECT(owner_, "works in CUDA: %s", e.what());
  }
}

void OpenClSelector::close() noexcept {
  working_ = nullptr;
  frames_ = {};
  cuda_device_.reset();
  gl_sharing_.close();
  gl.close();
  cuda.close();
  device_.reset();
}

std::string OpenClSelector::device_name() const {
  return choose({}).name();
}

// The API that the frames are in, unless it is chosen; textures are within CUDA's reach.
Device &OpenClSelector::choose(const FrameKind &kind) const {
  const bool near = kind.cuda_memory || (kind.gl_memory && cuda_device_);
  const bool in_cuda = choice_ == ClChoice::cuda || (choice_ == ClChoice::automatic && (near || !device_));
  if (in_cuda) {
    if (!cuda_device_) fail_without_device();
    return *cuda_device_;
  }
  return kind.gl_memory && gl_sharing_.device() ? *gl_sharing_.device() : *device_;
}

void OpenClSelector::warn(const char *memory, const std::string &why) {
  if (std::exchange(warned_, true)) return;
  warning_.emplace(Error::Kind::device, text("frames in ", memory, " memory go through the host: ", why));
}

void OpenClSelector::prepare(const FrameKind &kind) {
  if (kind.cuda_memory) open_cuda();
  if (kind.gl_memory) try_cuda();
}

Device &OpenClSelector::device_for(const FrameKind &kind) {
  working_ = &choose(kind);
  kind_ = kind;
  frames_ = {};
  if ((kind.cuda_memory || kind.gl_memory) && cuda_device_ && working_->backend() == Backend::opencl &&
      !shares_textures()) {
    frames_.device = cuda_device_.get();
    const std::string why = why_not_shared(*cuda_device_, *device_);
    frames_.shared = why.empty();
    if (!frames_.shared) warn(kind.cuda_memory ? "CUDA" : "OpenGL", why);
  }
  return *working_;
}

bool OpenClSelector::is_elsewhere(GstBuffer *buffer, const FrameKind &kind) {
  if (kind.cuda_memory && is_of_other_cuda(buffer)) return true;
  return kind.gl_memory && working_ && working_->backend() == Backend::opencl && !through_cuda() &&
         gl_sharing_.is_new(buffer, *device_);
}

void OpenClSelector::follow(GstBuffer *buffer, const FrameKind &kind) {
  working_ = nullptr;
  frames_ = {};
  if (kind.gl_memory) return follow_gl(buffer);
  GST_INFO_OBJECT(owner_, "the frames are of another CUDA context: going over to it");
  cuda_device_.reset();
  cuda_device_ = cuda.adopt(buffer);
}

void OpenClSelector::follow_gl(GstBuffer *buffer) {
  try {
    gl_sharing_.follow(buffer, *device_);
    GST_INFO_OBJECT(owner_, "OpenCL shares the frames' textures");
  } catch (const Error &e) {
    GST_INFO_OBJECT(owner_, "OpenCL does not share the frames' textures: %s", e.what());
    warn("OpenGL", e.what());
  }
}

std::unique_ptr<FrameMapping> OpenClSelector::make_mapping(const FrameKind &kind) {
  if (through_cuda()) return make_cuda_mapping(*working_, kind, frames_);
  if (shares_textures()) return make_texture_mapping(gl_sharing_.contexts(), kind);
  return std::make_unique<DeviceFrameMapping>(*working_, kind);
}

} // namespace vigil::gst
