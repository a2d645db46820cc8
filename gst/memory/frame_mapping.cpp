// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/frame_mapping.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_context.h"
#include "gst/video/caps.h"
#include "gst/video/formats.h"
#include "vigil-config.h"
#ifdef VIGIL_HAVE_OPENCL
#include "common/opencl/device.h"
#endif

#include <cstring>

namespace vigil::gst {
namespace {

constexpr std::ptrdiff_t stride_step = 64; // bytes; rows of copies start aligned for vector loads

GstMapFlags operator|(GstMapFlags a, GstMapFlags b) {
  return static_cast<GstMapFlags>(int(a) | int(b));
}

} // namespace

std::ptrdiff_t bytes_before(const Image &image, int i, const Area &a) {
  return row_bytes(image.format, i, a.x);
}
std::size_t bytes_of(const Image &image, int i, const Area &a) {
  return static_cast<std::size_t>(row_bytes(image.format, i, a.width));
}

#ifdef VIGIL_HAVE_OPENCL
bool shares_host_memory(Device &device) {
  return device.backend() == Backend::opencl && device_cast<ClDevice>(device).has_host_memory();
}
#else
bool shares_host_memory(Device &) {
  return false;
}
#endif

CopyLayout::CopyLayout(const GstVideoInfo &info) {
  image_.format = pixel_format(info);
  image_.width = GST_VIDEO_INFO_WIDTH(&info);
  image_.height = GST_VIDEO_INFO_HEIGHT(&info);
  for (int i = 0; i < plane_count(image_.format); i++) {
    const std::ptrdiff_t used = row_bytes(image_.format, i, image_.width);
    image_.stride[i] = (used + stride_step - 1) / stride_step * stride_step;
    bytes_ += static_cast<std::size_t>(image_.stride[i]) * plane_rows(i, image_.height);
  }
}

Image CopyLayout::at(void *memory) const {
  Image image = image_;
  auto *at = static_cast<std::uint8_t *>(memory);
  for (int i = 0; i < plane_count(image.format); i++) {
    image.data[i] = at;
    at += image.stride[i] * plane_rows(i, image.height);
  }
  return image;
}

FrameKind frame_kind(const GstCaps *caps) {
  FrameKind kind;
  if (!gst_video_info_from_caps(&kind.info, caps))
    fail(Error::Kind::bad_setting, "these caps do not describe a picture");
  check_frames(kind.info);
  kind.cuda_memory = is_cuda_caps(caps);
  kind.gl_memory = is_gl_caps(caps);
  return kind;
}

struct DeviceFrameMapping::Shared {
#ifdef VIGIL_HAVE_OPENCL
  ClHostMemory plane[3];
#endif
};

DeviceFrameMapping::DeviceFrameMapping(Device &device, const FrameKind &kind)
    : device_(device), kind_(kind), copied_(device.backend() != Backend::cpu && !kind.cuda_memory),
      copy_(kind.info), event_(device.make_event()) {
  if (shares_host_memory(device)) {
    copied_ = false;
    shared_ = std::make_unique<Shared>();
  }
  if (!copied_) return;
  if (!kind.gl_memory) staging();
  memory_ = DeviceBuffer(device, copy_.bytes());
}

DeviceFrameMapping::~DeviceFrameMapping() {
  close();
}

// Page-locked memory; frames of OpenGL seldom need it.
void *DeviceFrameMapping::staging() {
  if (!staging_.as<void>()) staging_ = HostBuffer(device_, copy_.bytes());
  return staging_.as<void>();
}

void DeviceFrameMapping::map(GstBuffer *buffer, GstMapFlags flags) {
  if (kind_.cuda_memory && !is_cuda_memory(buffer))
    fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
  if (kind_.gl_memory && !is_gl_memory(buffer))
    fail(Error::Kind::bad_data, "the caps promise OpenGL memory, but this frame is not in OpenGL memory");
  map_frame(frame_, kind_.info, buffer, kind_.cuda_memory ? flags | cuda_map_flag() : flags);
  mapped_ = true;
}

void DeviceFrameMapping::copy_planes(bool to_staging, const Area &a) {
  const Image outside = image_of(frame_), inside = copy_.at(staging());
  for (int i = 0; i < plane_count(inside.format); i++) {
    const std::ptrdiff_t from = bytes_before(inside, i, a);
    const int top = plane_rows(i, a.y), rows = plane_rows(i, a.height);
    for (int y = top; y < top + rows; y++) {
      std::uint8_t *in = inside.data[i] + y * inside.stride[i] + from,
                   *out = outside.data[i] + y * outside.stride[i] + from;
      std::memcpy(to_staging ? in : out, to_staging ? out : in, bytes_of(inside, i, a));
    }
  }
}

// The mapped frame's planes as the device's memory, which they are.
Image DeviceFrameMapping::share() {
  Image image = image_of(frame_);
#ifdef VIGIL_HAVE_OPENCL
  for (int i = 0; i < plane_count(image.format); i++) {
    const std::ptrdiff_t bytes =
        image.stride[i] * (plane_rows(i, image.height) - 1) + row_bytes(image.format, i, image.width);
    if (image.stride[i] < 0)
      fail(Error::Kind::bad_data,
           "frames whose rows go upwards in memory are not supported by OpenCL elements");
    shared_->plane[i] =
        ClHostMemory(device_cast<ClDevice>(device_), image.data[i], static_cast<std::size_t>(bytes));
    image.data[i] = static_cast<std::uint8_t *>(shared_->plane[i].address());
  }
#endif
  return image;
}

ConstImage DeviceFrameMapping::open(GstBuffer *buffer, GstMapFlags flags, Queue &queue, ByteCounts &counts) {
  sent_ = false;
  if (takes_textures() && copy_from_gl(buffer, kind_.info, device_, copy_.at(memory_.as()), queue)) {
    texture_ = buffer;
    return copy_.at(memory_.as());
  }
  map(buffer, flags);
  if (kind_.gl_memory) counts.to_host += copy_.bytes();
  if (shared_) return share();
  if (!copied_) {
    if (kind_.cuda_memory) after_work_with(buffer, device_, queue, *event_);
    return image_of(frame_);
  }
  copy_planes(true, everything());
  device_.upload(memory_.as(), staging(), copy_.bytes(), queue);
  counts.to_device += copy_.bytes();
  return copy_.at(memory_.as());
}

ConstImage DeviceFrameMapping::map_read(GstBuffer *buffer, Queue &queue, ByteCounts &counts) {
  const ConstImage image = open(buffer, GST_MAP_READ, queue, counts);
  if (copied_ && mapped_) { // others may have it
    gst_video_frame_unmap(&frame_);
    mapped_ = false;
  }
  return image;
}

Image DeviceFrameMapping::map_update(GstBuffer *buffer, GstBuffer *, Queue &queue, ByteCounts &counts) {
  const ConstImage image = open(buffer, GST_MAP_READWRITE, queue, counts);
  Image same{image.format, image.width, image.height, {}, {}};
  for (int i = 0; i < plane_count(image.format); i++) {
    same.data[i] = const_cast<std::uint8_t *>(image.data[i]); // mapped for writing, or our own copy
    same.stride[i] = image.stride[i];
  }
  return same;
}

Image DeviceFrameMapping::map_write(GstBuffer *buffer, Queue &queue) {
  sent_ = false;
  if (takes_textures() && gl_reaches_cuda(buffer, device_)) {
    texture_ = buffer;
    return copy_.at(memory_.as());
  }
  map(buffer, GST_MAP_WRITE);
  if (shared_) return share();
  if (copied_) return copy_.at(memory_.as());
  if (kind_.cuda_memory) after_work_with(buffer, device_, queue, *event_);
  return image_of(frame_);
}

// The host sees what was done to memory that is shared once the queue got here.
void DeviceFrameMapping::settle([[maybe_unused]] Queue &queue) {
#ifdef VIGIL_HAVE_OPENCL
  for (int i = 0; shared_ && i < plane_count(copy_.shape().format); i++)
    shared_->plane[i].to_host(static_cast<ClQueue &>(queue));
#endif
}

void DeviceFrameMapping::write_back(Queue &queue, ByteCounts &counts) {
  settle(queue);
  if (kind_.gl_memory && !texture_) counts.to_device += copy_.bytes();
  if (texture_) copy_to_gl(texture_, kind_.info, device_, copy_.at(memory_.as()), queue);
  if (!copied_ || texture_) return;
  device_.download(staging(), memory_.as(), copy_.bytes(), queue);
  counts.to_host += copy_.bytes();
  sent_area_ = everything();
  sent_ = true;
}

void DeviceFrameMapping::write_back(Queue &queue, ByteCounts &counts, const Area &a) {
  if (kind_.gl_memory) return write_back(queue, counts); // textures go as a whole
  settle(queue);
  if (!copied_) return;
  const Image host = copy_.at(staging()), device = copy_.at(memory_.as());
  for (int i = 0; i < plane_count(copy_.shape().format); i++) {
    const int rows = plane_rows(i, a.height);
    const std::ptrdiff_t at =
        plane_rows(i, a.y) * copy_.shape().stride[i] + bytes_before(copy_.shape(), i, a);
    const std::size_t bytes = bytes_of(copy_.shape(), i, a);
    device_.download(host.data[i] + at, copy_.shape().stride[i], device.data[i] + at, copy_.shape().stride[i],
                     bytes, rows, queue);
    counts.to_host += bytes * static_cast<std::size_t>(rows);
  }
  sent_area_ = a;
  sent_ = true;
}

void DeviceFrameMapping::begin_write_back(Queue &queue, ByteCounts &counts, Event &done) {
  if (texture_ && to_gl_.begin(texture_, kind_.info, device_, copy_.at(memory_.as()), queue, done)) return;
  write_back(queue, counts);
  done.record(queue);
}

void DeviceFrameMapping::end_write_back() {
  to_gl_.end();
}

void DeviceFrameMapping::close() noexcept {
  try {
    to_gl_.end();
  } catch (const std::exception &) { // who closes a frame that is not sent has given it up
  }
#ifdef VIGIL_HAVE_OPENCL
  if (shared_)
    for (ClHostMemory &m : shared_->plane) m = {};
#endif
  if (mapped_) {
    if (sent_) copy_planes(false, sent_area_);
    gst_video_frame_unmap(&frame_);
  }
  mapped_ = sent_ = false;
  texture_ = nullptr;
}

} // namespace vigil::gst
