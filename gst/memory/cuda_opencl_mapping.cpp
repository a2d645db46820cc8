// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/cuda_opencl_mapping.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "common/interop/cuda_opencl.h"
#include "common/opencl/device.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_cuda.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst {
namespace {

// Where CUDA and OpenCL meet: both see the picture here, OpenCL between to_opencl() and to_cuda().
class ExchangeBuffer {
 public:
  virtual ~ExchangeBuffer() = default;
  virtual void *for_cuda() const = 0;
  virtual void *for_opencl() const = 0;
  virtual void to_opencl(bool with_picture, Queue &, ByteCounts &) = 0;
  virtual void to_cuda(bool with_picture, Queue &, ByteCounts &) = 0;
};

class SharedExchange final : public ExchangeBuffer {
 public:
  SharedExchange(CudaDevice &cuda, ClDevice &cl, std::size_t bytes) : cl_(cl), memory_(cuda, cl, bytes) {}
  void *for_cuda() const override { return memory_.cuda(); }
  void *for_opencl() const override { return memory_.opencl(); }
  void to_opencl(bool, Queue &q, ByteCounts &) override { cl_.acquire(memory_.opencl(), q); }
  void to_cuda(bool, Queue &q, ByteCounts &) override { cl_.give_back(memory_.opencl(), q); }

 private:
  ClDevice &cl_;
  CudaClMemory memory_;
};

// Through host memory, which an OpenCL device on the processor uses in place.
class HostExchange final : public ExchangeBuffer {
 public:
  HostExchange(ClDevice &cl, std::size_t bytes) : cl_(cl), bytes_(bytes), host_(cl, bytes) {
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

class CudaMapping final : public FrameMapping {
 public:
  CudaMapping(ClDevice &cl, const FrameKind &kind, const CudaFrames &frames)
      : kind_(kind), cuda_(device_cast<CudaDevice>(*frames.device)), shared_(frames.shared), copy_(kind.info),
        queue_(cuda_.make_queue()), event_(cuda_.make_event()) {
    if (shared_)
      exchange_ = std::make_unique<SharedExchange>(cuda_, cl, copy_.bytes());
    else
      exchange_ = std::make_unique<HostExchange>(cl, copy_.bytes());
  }
  ~CudaMapping() override { close(); }

  ConstImage map_read(GstBuffer *buffer, Queue &queue, ByteCounts &counts) override {
    if (!fetch_texture(buffer)) {
      map(buffer, GST_MAP_READ);
      fetch(counts);
      unmap(); // others may have it
    }
    exchange_->to_opencl(true, queue, counts);
    return copy_.at(exchange_->for_opencl());
  }
  Image map_update(GstBuffer *buffer, GstBuffer *other, Queue &queue, ByteCounts &counts) override {
    all_ = other != nullptr;
    if (fetch_texture(buffer)) {
      open_target(other ? other : buffer);
    } else {
      map(buffer, other ? GST_MAP_READ : GST_MAP_READWRITE);
      fetch(counts);
      if (other) {
        unmap();
        open_target(other);
      }
    }
    exchange_->to_opencl(true, queue, counts);
    return copy_.at(exchange_->for_opencl());
  }
  Image map_write(GstBuffer *buffer, Queue &queue) override {
    open_target(buffer);
    all_ = true;
    ByteCounts none;
    exchange_->to_opencl(false, queue, none);
    return copy_.at(exchange_->for_opencl());
  }
  void after_reading(Queue &queue) override {
    ByteCounts none;
    exchange_->to_cuda(false, queue, none);
  }
  void write_back(Queue &queue, ByteCounts &counts) override { write_back(queue, counts, everything()); }
  void write_back(Queue &queue, ByteCounts &counts, const Area &area) override {
    exchange_->to_cuda(true, queue, counts);
    if (kind_.gl_memory && !texture_) counts.to_host += copy_.bytes();
    area_ = all_ ? everything() : area;
    sent_ = true;
  }
  bool holds_buffer() const override { return mapped_ || texture_; }
  void finish() override {
    const bool sent = std::exchange(sent_, false);
    if (mapped_ && sent) copy(false, area_);
    if (texture_ && sent) {
      copy_to_gl(texture_, kind_.info, cuda_, copy_.at(exchange_->for_cuda()), *queue_);
      queue_->wait();
    }
    close();
  }
  void close() noexcept override {
    sent_ = false;
    texture_ = nullptr;
    if (mapped_) unmap();
  }

 private:
  Area everything() const { return {0, 0, copy_.shape().width, copy_.shape().height}; }

  void map(GstBuffer *buffer, GstMapFlags flags) {
    if (kind_.cuda_memory && !is_cuda_memory(buffer))
      fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
    const auto on_device = static_cast<GstMapFlags>(int(flags) | int(cuda_map_flag()));
    map_frame(frame_, kind_.info, buffer, kind_.cuda_memory ? on_device : flags);
    mapped_ = true;
    if (kind_.cuda_memory) after_work_with(buffer, cuda_, *queue_, *event_);
  }
  void open_target(GstBuffer *buffer) {
    if (kind_.gl_memory && gl_reaches_cuda(buffer, cuda_))
      texture_ = buffer;
    else
      map(buffer, GST_MAP_WRITE);
  }
  // False for frames that are no textures, or not within CUDA's reach.
  bool fetch_texture(GstBuffer *buffer) {
    if (!kind_.gl_memory ||
        !copy_from_gl(buffer, kind_.info, cuda_, copy_.at(exchange_->for_cuda()), *queue_))
      return false;
    queue_->wait();
    return true;
  }
  void unmap() noexcept {
    gst_video_frame_unmap(&frame_);
    mapped_ = false;
  }

  void fetch(ByteCounts &counts) {
    copy(true, everything());
    if (kind_.gl_memory) counts.to_device += copy_.bytes();
  }
  // Between the frame and the exchange. Returns when it is done.
  void copy(bool to_border, const Area &area) {
    const Image frame = image_of(frame_), here = copy_.at(exchange_->for_cuda());
    for (int i = 0; i < plane_count(here.format); i++) {
      const int top = plane_rows(i, area.y), rows = plane_rows(i, area.height);
      const std::ptrdiff_t left = bytes_before(here, i, area);
      const std::size_t bytes = bytes_of(here, i, area);
      std::uint8_t *const there = frame.data[i] + top * frame.stride[i] + left, *const at =
                                                                                    here.data[i] +
                                                                                    top * here.stride[i] +
                                                                                    left;
      std::uint8_t *const to = to_border ? at : there, *const from = to_border ? there : at;
      const std::ptrdiff_t to_stride = to_border ? here.stride[i] : frame.stride[i],
                           from_stride = to_border ? frame.stride[i] : here.stride[i];
      // a texture out of reach was mapped in the host's memory; the exchange is there unless it is shared
      const bool to_host = to_border ? !shared_ : kind_.gl_memory,
                 from_host = to_border ? kind_.gl_memory : !shared_;
      if (to_host)
        cuda_.download(to, to_stride, from, from_stride, bytes, rows, *queue_);
      else if (from_host)
        cuda_.upload(to, to_stride, from, from_stride, bytes, rows, *queue_);
      else
        cuda_.copy(to, to_stride, from, from_stride, bytes, rows, *queue_);
    }
    queue_->wait();
  }

  FrameKind kind_;
  CudaDevice &cuda_;
  const bool shared_;
  CopyLayout copy_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> event_;
  std::unique_ptr<ExchangeBuffer> exchange_;
  GstVideoFrame frame_{};
  GstBuffer *texture_ = nullptr; // that gets what is sent
  bool mapped_ = false, sent_ = false;
  bool all_ = false; // of the buffer is new
  Area area_;
};

} // namespace

std::unique_ptr<FrameMapping> make_cuda_mapping(Device &opencl, const FrameKind &kind,
                                                const CudaFrames &frames) {
  return std::make_unique<CudaMapping>(device_cast<ClDevice>(opencl), kind, frames);
}
std::string why_not_shared(Device &cuda, Device &opencl) {
  return vigil::why_not_shared(device_cast<CudaDevice>(cuda), device_cast<ClDevice>(opencl));
}

} // namespace vigil::gst
