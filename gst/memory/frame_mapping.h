// SPDX-License-Identifier: LGPL-2.1-or-later
// GstBuffers as pictures in a device's memory. How a frame gets there:
//   system memory on the CPU                     it is mapped, and never copied
//   CUDA memory on a CUDA device                 it is mapped there, and never copied
//   system memory on a GPU                       it is copied through page-locked memory while the queue goes
//                                                on
//   system memory on an OpenCL device that shares it (a processor)   it is used in place, and never copied
//   CUDA memory on an OpenCL device              see cuda_opencl_mapping.h
//   OpenGL memory on a CUDA device of the same GPU   it is copied there, never to the host
//   any memory on an OpenGL context              see gl_mapping.h
//   OpenGL memory elsewhere                      GStreamer downloads and uploads it; then as system memory
#pragma once

#include "common/device.h"
#include "common/host_buffer.h"
#include "common/plane.h"
#include "gst/memory/gl_cuda.h"
#include "gst/video/gst_ptr.h"

#include <cstdint>
#include <gst/video/video.h>
#include <memory>

namespace vigil::gst {

// Bytes copied between host and device.
struct ByteCounts {
  std::uint64_t to_device = 0, to_host = 0;
  ByteCounts &operator+=(const ByteCounts &o) {
    to_device += o.to_device;
    to_host += o.to_host;
    return *this;
  }
};

// A part of a picture, in pixels; x and y are even.
struct Area {
  int x = 0, y = 0, width = 0, height = 0;
};

// Where the frames of some caps are, and where they are wanted.
struct FrameKind {
  GstVideoInfo info;
  bool cuda_memory = false, gl_memory = false; // what the caps say
};
// Throws Error::bad_setting when the caps do not describe a picture. Whether its format is one of ours is for
// who maps it to say.
FrameKind frame_kind(const GstCaps *);

// Where copies of a picture lie: plane behind plane, rows at multiples of 64 bytes.
class CopyLayout {
 public:
  CopyLayout() = default;
  explicit CopyLayout(const GstVideoInfo &);
  Image at(void *memory) const;
  const Image &shape() const { return image_; } // its addresses are null
  std::size_t bytes() const { return bytes_; }

 private:
  Image image_;
  std::size_t bytes_ = 0;
};
// One row of an area in plane `i` of a picture: where it begins in the picture's row, and how long it is.
std::ptrdiff_t bytes_before(const Image &, int i, const Area &);
std::size_t bytes_of(const Image &, int i, const Area &);

// Whether OpenCL uses host memory in place on this device.
bool shares_host_memory(Device &);

// One place for a frame; used again and again, without allocation.
class FrameMapping {
 public:
  virtual ~FrameMapping() = default;
  // Makes the buffer's picture readable for work that is submitted to `queue` from now on. The buffer must
  // live until close(), or until holds_buffer() is false. Throws Error::bad_data when the buffer is not what
  // the caps say.
  virtual ConstImage map_read(GstBuffer *, Queue &, ByteCounts &) = 0;
  // Does the same for work that changes the picture; call write_back() after it. Either the buffer is
  // writable, or `other` is given, which receives the result; only slots of make_cuda_mapping() and
  // make_texture_mapping() take one.
  virtual Image map_update(GstBuffer *, GstBuffer *other, Queue &, ByteCounts &) = 0;
  // Gives a picture that work in `queue` may fill. After submitting the work, call write_back(); once the
  // queue has completed, call finish() to store the result in the buffer.
  virtual Image map_write(GstBuffer *, Queue &) = 0;
  // Call after all work that reads the picture has been submitted.
  virtual void after_reading(Queue &) {}
  virtual void write_back(Queue &, ByteCounts &) = 0;
  // The same, where only this part of the picture was written.
  virtual void write_back(Queue &, ByteCounts &, const Area &) = 0;
  // write_back() in two steps, for several frames under way: a copy to a texture gathers with others' to a
  // batch until end_write_back() returns (see gl_cuda.h). `done` is recorded behind it; until then the queue,
  // which is this frame's own, must do nothing else.
  virtual void begin_write_back(Queue &queue, ByteCounts &counts, Event &done) {
    write_back(queue, counts);
    done.record(queue);
  }
  virtual void end_write_back() {}
  // Whether the buffer that was opened is still needed. False once a copy of its picture has been taken.
  virtual bool holds_buffer() const = 0;
  // In OpenGL: the buffer of the open picture's RGBA texture, which has no address. Null elsewhere.
  virtual GstBuffer *texture() const { return nullptr; }
  // Stores what was sent in the buffer and ends its use. The queue must have got past write_back().
  virtual void finish() { close(); }
  // Ends the use of the buffer.
  virtual void close() noexcept = 0;
};

class DeviceFrameMapping final : public FrameMapping {
 public:
  DeviceFrameMapping(Device &, const FrameKind &);
  DeviceFrameMapping(const DeviceFrameMapping &) = delete;
  DeviceFrameMapping &operator=(const DeviceFrameMapping &) = delete;
  ~DeviceFrameMapping() override;

  ConstImage map_read(GstBuffer *, Queue &, ByteCounts &) override;
  Image map_update(GstBuffer *, GstBuffer *other, Queue &, ByteCounts &) override;
  Image map_write(GstBuffer *, Queue &) override;
  void write_back(Queue &, ByteCounts &) override;
  void write_back(Queue &, ByteCounts &, const Area &) override;
  void begin_write_back(Queue &, ByteCounts &, Event &done) override;
  void end_write_back() override;
  bool holds_buffer() const override { return mapped_ || texture_; }
  void close() noexcept override; // and finish()

 private:
  struct Shared; // host memory as an OpenCL device sees it
  ConstImage open(GstBuffer *, GstMapFlags, Queue &, ByteCounts &);
  void map(GstBuffer *, GstMapFlags);
  Image share();
  void settle(Queue &);
  void copy_planes(bool to_staging, const Area &);
  Area everything() const { return {0, 0, copy_.shape().width, copy_.shape().height}; }
  bool takes_textures() const { return kind_.gl_memory && device_.backend() == Backend::cuda; }
  void *staging();

  Device &device_;
  FrameKind kind_;
  bool copied_; // to memory_ and from there, through staging_ or on the device
  CopyLayout copy_;
  HostBuffer staging_;
  DeviceBuffer memory_;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Event> event_;
  CopyToGl to_gl_;
  GstVideoFrame frame_{};
  GstBuffer *texture_ = nullptr; // the open frame, when it is copied on the device
  bool mapped_ = false, sent_ = false;
  Area sent_area_;
};

} // namespace vigil::gst
