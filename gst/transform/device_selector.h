// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an element works: its device, and the contexts of CUDA and OpenGL that it shares with its neighbours.
// Here it is decided when an element goes over to another context or device. What the element knows is taken
// along by the transform (FrameProcessor::export_state, import_state).
#pragma once

#include "common/error.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/frame_mapping.h"
#include "gst/memory/gl_context.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace vigil::gst {

// The ends of two messages about a missing GPU: of an error, and of the warning that the CPU takes its place.
inline constexpr const char *cpu_needs_no_gpu = "; backend=cpu runs without a GPU";
inline std::string cpu_serves(const std::string &why) {
  return why + ". The CPU does the work; backend=cpu is silent";
}

// Frames go between OpenGL's textures and a CUDA device through the host, where OpenGL runs on another GPU or
// on a processor: a warning says so, once.
class HostCopyWarning {
 public:
  void post(GstElement *, const Device &cuda);

 private:
  bool posted_ = false;
};

class DeviceSelector {
 public:
  explicit DeviceSelector(GstElement *owner) : gl(owner), owner_(owner) {}
  virtual ~DeviceSelector() = default;
  DeviceSelector(const DeviceSelector &) = delete;
  DeviceSelector &operator=(const DeviceSelector &) = delete;

  // From NULL to READY: opens the device that the settings name. Throws Error::no_device.
  virtual void open() = 0;
  // From READY to NULL; nothing is left on the device.
  virtual void close() noexcept = 0;
  // Any thread; called between open() and close() only.
  virtual std::string device_name() const = 0;

  // For the streaming thread. Asks neighbours for the contexts that frames of this kind need; no lock is
  // held. Comes before device_for(), except for the kind {}. Throws Error::no_device.
  virtual void prepare(const FrameKind &) {}
  // The device for frames of this kind; {}: before there are any. It stays until prepare(), follow() or
  // close().
  virtual Device &device_for(const FrameKind &) = 0;
  // Whether the frame is of another context than the device's, so that the element has to follow it. Throws
  // Error::bad_setting when the settings do not allow that.
  virtual bool is_elsewhere(GstBuffer *, const FrameKind &) = 0;
  // Goes over to the frame's context. Nothing is left on the device from before; device_for() tells the new
  // one.
  virtual void follow(GstBuffer *, const FrameKind &) = 0;
  // For frames on the device that device_for() gave last.
  virtual std::unique_ptr<FrameMapping> make_mapping(const FrameKind &) = 0;
  // Whether a slot takes another buffer for a picture that is changed (FrameMapping::map_update).
  virtual bool may_replace() const { return false; }
  // Whether what goes out to system memory is made in textures, which are downloaded when the next element
  // maps them.
  virtual bool makes_textures() const { return false; }
  // The CUDA device that frames go through, if any.
  virtual const Device *cuda_device() const = 0;
  // The property cuda-device-id; -1: any. Any thread.
  virtual int cuda_device_id() const = 0;
  // What is to be posted as a warning, once no lock is held.
  std::optional<Error> take_warning() { return std::exchange(warning_, {}); }

  // Posts once that frames go between OpenGL's textures and a CUDA device through the host, when the counts
  // tell so.
  void warn_of_host_copies(const FrameKind &, const ByteCounts &);
  void forget_warnings() {
    warned_ = false;
    host_copies_ = {};
  }

  // Whether CUDA memory is out of reach; any thread.
  bool without_cuda() const { return without_cuda_; }

  CudaContext cuda;
  GlContext gl;

 protected:
  // Whether the frame is in memory of another CUDA context. Throws Error::bad_setting when it is another
  // device's than cuda_device_id().
  bool is_of_other_cuda(GstBuffer *);

  GstElement *owner_;
  std::optional<Error> warning_;
  bool warned_ = false;
  HostCopyWarning host_copies_;
  std::atomic<bool> without_cuda_ = false;
};

} // namespace vigil::gst
