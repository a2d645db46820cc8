// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/cuda_opencl_frames.h"

#include "common/cuda/device.h"
#include "common/error.h"
#include "common/interop/cuda_opencl.h"
#include "common/opencl/device.h"
#include "gst/base/cuda.h"
#include "gst/base/video.h"

#include <utility>

namespace vigil::gst {
namespace {

// Where CUDA and OpenCL meet: both see the picture here, OpenCL between to_opencl() and to_cuda().
class Border {
 public:
  virtual ~Border() = default;
  virtual void *for_cuda() const = 0;
  virtual void *for_opencl() const = 0;
  virtual void to_opencl(bool with_picture, Queue &, ByteCounts &) = 0;
  virtual void to_cuda(bool with_picture, Queue &, ByteCounts &) = 0;
};

class SharedBorder final : public Border {
 public:
  SharedBorder(CudaDevice &cuda, ClDevice &cl, std::size_t bytes) : cl_(cl), memory_(cuda, cl, bytes) {}
  void *for_cuda() const override { return memory_.cuda(); }
  void *for_opencl() const override { return memory_.opencl(); }
  void to_opencl(bool, Queue &q, ByteCounts &) override { cl_.acquire(memory_.opencl(), q); }
  void to_cuda(bool, Queue &q, ByteCounts &) override { cl_.give_back(memory_.opencl(), q); }

 private:
  ClDevice &cl_;
  CudaClMemory memory_;
};

// Through host memory, which an OpenCL device on the processor uses in place.
class HostBorder final : public Border {
 public:
  HostBorder(ClDevice &cl, std::size_t bytes) : cl_(cl), bytes_(bytes), host_(cl, bytes) {
    if (cl.has_host_memory())
      in_place_ = ClHostMemory(cl, host_.as<void>(), bytes);
    else
      device_ = DeviceBuffer(cl, bytes);
  }
  void *for_cuda() const override { return host_.as<void>(); }
  void *for_opencl() const override { return device_ ? device_.as() : in_place_.address(); }
  void to_opencl(bool with_picture, Queue &q, ByteCounts &counts) override {
    if (!with_picture) return;
    counts.to_host += bytes_; // by CUDA
    if (!device_) return;
    cl_.upload(device_.as(), host_.as<void>(), bytes_, q);
    counts.to_device += bytes_;
  }
  void to_cuda(bool with_picture, Queue &q, ByteCounts &counts) override {
    if (!with_picture) return;
    counts.to_device += bytes_; // by CUDA
    if (!device_) return in_place_.to_host(static_cast<ClQueue &>(q));
    cl_.download(host_.as<void>(), device_.as(), bytes_, q);
    counts.to_host += bytes_;
  }

 private:
  ClDevice &cl_;
  std::size_t bytes_;
  HostBuffer host_;
  DeviceBuffer device_;
  ClHostMemory in_place_;
};

class CudaSlot final : public Slot {
 public:
  CudaSlot(ClDevice &cl, const FrameKind &kind, const CudaFrames &frames)
      : kind_(kind), cuda_(static_cast<CudaDevice &>(*frames.device)), shared_(frames.shared),
        copy_(kind.info), queue_(cuda_.make_queue()), event_(cuda_.make_event()) {
    if (shared_)
      border_ = std::make_unique<SharedBorder>(cuda_, cl, copy_.bytes());
    else
      border_ = std::make_unique<HostBorder>(cl, copy_.bytes());
  }
  ~CudaSlot() override { close(); }

  ConstImage open_for_reading(GstBuffer *buffer, Queue &queue, ByteCounts &counts) override {
    map(buffer, GST_MAP_READ);
    fetch();
    unmap(); // others may have it
    border_->to_opencl(true, queue, counts);
    return copy_.at(border_->for_opencl());
  }
  Image open_for_updating(GstBuffer *buffer, GstBuffer *other, Queue &queue, ByteCounts &counts) override {
    map(buffer, other ? GST_MAP_READ : GST_MAP_READWRITE);
    fetch();
    all_ = other != nullptr;
    if (other) {
      unmap();
      map(other, GST_MAP_WRITE);
    }
    border_->to_opencl(true, queue, counts);
    return copy_.at(border_->for_opencl());
  }
  Image open_for_writing(GstBuffer *buffer, Queue &queue) override {
    map(buffer, GST_MAP_WRITE);
    all_ = true;
    ByteCounts none;
    border_->to_opencl(false, queue, none);
    return copy_.at(border_->for_opencl());
  }
  void after_reading(Queue &queue) override {
    ByteCounts none;
    border_->to_cuda(false, queue, none);
  }
  void send(Queue &queue, ByteCounts &counts) override { send(queue, counts, everything()); }
  void send(Queue &queue, ByteCounts &counts, const Area &area) override {
    border_->to_cuda(true, queue, counts);
    area_ = all_ ? everything() : area;
    sent_ = true;
  }
  void finish() override {
    if (mapped_ && std::exchange(sent_, false)) copy(false, area_);
    close();
  }
  void close() noexcept override {
    sent_ = false;
    if (mapped_) unmap();
  }

 private:
  Area everything() const { return {0, 0, copy_.shape().width, copy_.shape().height}; }

  void map(GstBuffer *buffer, GstMapFlags flags) {
    if (!is_cuda_memory(buffer))
      fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
    const auto on_device = static_cast<GstMapFlags>(int(flags) | int(cuda_map_flag()));
    if (!gst_video_frame_map(&frame_, &kind_.info, buffer, on_device))
      fail(Error::Kind::bad_data, "a frame in CUDA memory cannot be mapped as the caps describe it");
    mapped_ = true;
    after_work_with(buffer, cuda_, *queue_, *event_);
  }
  void unmap() noexcept {
    gst_video_frame_unmap(&frame_);
    mapped_ = false;
  }

  void fetch() { copy(true, everything()); }
  // Between the frame and the border. Returns when it is done.
  void copy(bool to_border, const Area &area) {
    const Image frame = image_of(frame_), here = copy_.at(border_->for_cuda());
    for (int i = 0; i < plane_count(here.format); i++) {
      const int top = plane_rows(i, area.y), rows = plane_rows(i, area.height);
      const std::ptrdiff_t left = bytes_before(here, i, area);
      const std::size_t bytes = bytes_of(here, i, area);
      std::uint8_t *const there = frame.data[i] + top * frame.stride[i] + left, *const at =
                                                                                    here.data[i] +
                                                                                    top * here.stride[i] +
                                                                                    left;
      if (to_border && shared_)
        cuda_.copy(at, here.stride[i], there, frame.stride[i], bytes, rows, *queue_);
      else if (to_border)
        cuda_.download(at, here.stride[i], there, frame.stride[i], bytes, rows, *queue_);
      else if (shared_)
        cuda_.copy(there, frame.stride[i], at, here.stride[i], bytes, rows, *queue_);
      else
        cuda_.upload(there, frame.stride[i], at, here.stride[i], bytes, rows, *queue_);
    }
    queue_->wait();
  }

  FrameKind kind_;
  CudaDevice &cuda_;
  const bool shared_;
  CopyLayout copy_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> event_;
  std::unique_ptr<Border> border_;
  GstVideoFrame frame_{};
  bool mapped_ = false, sent_ = false;
  bool all_ = false; // of the buffer is new
  Area area_;
};

} // namespace

std::unique_ptr<Slot> make_cuda_slot(Device &opencl, const FrameKind &kind, const CudaFrames &frames) {
  return std::make_unique<CudaSlot>(static_cast<ClDevice &>(opencl), kind, frames);
}
std::string why_not_shared(Device &cuda, Device &opencl) {
  return vigil::why_not_shared(static_cast<CudaDevice &>(cuda), static_cast<ClDevice &>(opencl));
}

} // namespace vigil::gst
