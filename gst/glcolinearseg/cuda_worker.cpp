// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/cuda_worker.h"

#include "gst/glcolinearseg/element.h" // its debug category

namespace vigil::gst::glcolinearseg {
namespace {

using colinearseg::Show;

rgba::Conversion conversion_for(const GstVideoInfo &info) {
  double kr = 0.299, kb = 0.114; // ITU-R BT.601, when the caps name no matrix
  gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &kr, &kb);
  return {rgba::matrix_for(kr, kb, info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255),
          !GST_VIDEO_INFO_HAS_ALPHA(&info)};
}

// The frame of one process() call, given back however that ends.
class Closed {
 public:
  explicit Closed(FrameSlot &slot) : slot_(slot) {}
  ~Closed() { slot_.close(); }
  Closed(const Closed &) = delete;
  Closed &operator=(const Closed &) = delete;

 private:
  FrameSlot &slot_;
};

} // namespace

CudaWorker::CudaWorker(Device &device, const FrameKind &in, const FrameKind &out, const Settings &s)
    : device_(device), queue_(device.make_queue()), converter_(rgba::make_cuda(device)), times_(&device) {
  const int width = GST_VIDEO_INFO_WIDTH(&in.info), height = GST_VIDEO_INFO_HEIGHT(&in.info);
  segmenter_ = colinearseg::make_cuda(device, {width, height}, s.learning.background_frames);
  grid_ = activity::grid_for(width, height);
  cells_ = DeviceBuffer(device, sizeof(activity::Cell) * grid_.cells());
  host_cells_ = HostBuffer(device, cells_.bytes());
  style_ = style_for(height);
  stats_.backend = "cuda";
  stats_.shaders = "none";
  stats_.device = device.name();
  set_kinds(in, out);
}

CudaWorker::~CudaWorker() {
  try {
    queue_->wait();
  } catch (const std::exception &e) {
    GST_WARNING("the device failed while frames were under way: %s", e.what());
  }
}

void CudaWorker::set_kinds(const FrameKind &in, const FrameKind &out) {
  queue_->wait();
  reader_ = std::make_unique<FrameSlot>(device_, in);
  writer_ = std::make_unique<FrameSlot>(device_, out);
  conversion_ = conversion_for(in.info);
  converts_ = GST_VIDEO_INFO_FORMAT(&in.info) != GST_VIDEO_FORMAT_RGBA;
  layout_ = CopyLayout(out.info);
  converted_ = converts_ ? DeviceBuffer(device_, layout_.bytes()) : DeviceBuffer();
}

void CudaWorker::set_background(const Picture &p, int learn_frames) {
  check_size(p);
  segmenter_->set_background(p.image(), learn_frames);
}

// With a target the frame goes there, else it becomes RGBA in memory of our own, unless it is that already.
ConstImage CudaWorker::as_rgba(ConstImage frame, const Image *target) {
  if (!converts_ && !target) return frame;
  const Image to = target ? *target : layout_.at(converted_.as());
  converter_->apply(frame, conversion_, to, *queue_);
  return to;
}

Found CudaWorker::count(const MotionSettings &motion) {
  auto *const counted = cells_.as<activity::Cell>();
  segmenter_->count(grid_, counted, *queue_);
  device_.download(host_cells_.as<void>(), counted, cells_.bytes(), *queue_);
  queue_->wait();
  stats_.bytes_results += cells_.bytes();
  return found_in({host_cells_.as<const activity::Cell>(), std::size_t(grid_.cells())}, grid_, motion);
}

Found CudaWorker::process(GstBuffer *in, GstBuffer *out, const Settings &s, ByteCounts &counts) {
  const Closed reading(*reader_), writing(*writer_);
  const ConstImage picture = reader_->open_for_reading(in, *queue_, counts);
  Image target;
  if (out) target = writer_->open_for_writing(out, *queue_);
  const Show show = show_for(s.output);
  const bool draws = out && s.output != Output::passthrough;
  times_.start(*queue_, stats_);
  const ConstImage frame = as_rgba(picture, out && !draws ? &target : nullptr);
  const bool learning = segmenter_->progress().learning();
  segmenter_->segment(frame, s.params, *queue_);
  stats_.constants = colinearseg::resolve(s.params, segmenter_->progress().noise);
  if (draws && show != Show::overlay) segmenter_->draw(show, frame, {}, style_, target, *queue_);
  times_.stop(*queue_);

  Found found;
  if (s.tuning.report && !learning) found = count(s.motion);
  if (draws && show == Show::overlay)
    segmenter_->draw(show, frame, boxes_to_draw(found), style_, target, *queue_);
  if (out) writer_->send(*queue_, counts);
  queue_->wait();
  stats_.frames++;
  return found;
}

Stats CudaWorker::stats() const {
  Stats s = stats_;
  s.bytes_results += segmenter_->bytes_read();
  s.progress = segmenter_->progress();
  return s;
}

} // namespace vigil::gst::glcolinearseg
