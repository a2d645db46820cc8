// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/cuda_worker.h"

#include "gst/frames/formats.h"
#include "gst/glcolinearseg/element.h" // its debug category

namespace vigil::gst::glcolinearseg {
namespace {

using colinearseg::Show;

rgba::Conversion conversion_for(const GstVideoInfo &info) {
  const auto [kr, kb] = luma_weights(info);
  return {rgba::matrix_for(kr, kb, info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255),
          !GST_VIDEO_INFO_HAS_ALPHA(&info)};
}

} // namespace

// A frame that is under way, and its memory; used again and again.
struct CudaWorker::Frame {
  Frame(Device &device, const FrameKind &in_kind, const FrameKind &out_kind, const activity::Grid &grid)
      : reader(device, in_kind), writer(device, out_kind), queue(device.make_queue()),
        cells(device, sizeof(activity::Cell) * grid.cells()), host_cells(device, cells.bytes()),
        drawn(device.make_event()), done(device.make_event()) {}

  FrameSlot reader, writer;
  std::unique_ptr<Queue> queue; // on which it is sent
  DeviceBuffer cells;
  HostBuffer host_cells;
  std::unique_ptr<Event> drawn, done; // on the worker's queue, on its own one
  BufferPtr in, out;
  bool discont = false, written = false, boxed = false, counted = false, sent = false;
  Image target;
  FrameTime time;
  MotionSettings motion;
  Found found;

  void close() {
    writer.close();
    reader.close();
    in.reset();
    out.reset();
    found = {};
  }
};

CudaWorker::CudaWorker(Device &device, const FrameKind &in, const FrameKind &out, const Settings &s)
    : device_(device), queue_(device.make_queue()), converter_(rgba::make_cuda(device)), times_(&device) {
  const int width = GST_VIDEO_INFO_WIDTH(&in.info), height = GST_VIDEO_INFO_HEIGHT(&in.info);
  segmenter_ = colinearseg::make_cuda(device, {width, height}, s.learning.background_frames);
  grid_ = activity::grid_for(width, height);
  style_ = overlay_style(out.info);
  stats_.backend = "cuda";
  stats_.shaders = "none";
  stats_.device = device.name();
  set_kinds(in, out);
}

CudaWorker::~CudaWorker() {
  discard();
}

void CudaWorker::set_kinds(const FrameKind &in, const FrameKind &out) {
  discard();
  free_.clear();
  frames_.clear();
  in_ = in;
  out_ = out;
  conversion_ = conversion_for(in.info);
  converts_ = GST_VIDEO_INFO_FORMAT(&in.info) != GST_VIDEO_FORMAT_RGBA;
  layout_ = CopyLayout(out.info);
  converted_ = converts_ ? DeviceBuffer(device_, layout_.bytes()) : DeviceBuffer();
}

void CudaWorker::set_background(const Picture &p, int learn_frames) {
  check_size(p);
  segmenter_->set_background(p.image(), learn_frames);
}

CudaWorker::Frame &CudaWorker::free_frame() {
  if (free_.empty()) {
    frames_.push_back(std::make_unique<Frame>(device_, in_, out_, grid_));
    free_.push_back(frames_.back().get());
  }
  Frame &f = *free_.back();
  if (f.in) queue_->wait();
  f.close(); // ends what an exception left half done
  return f;
}

// With a target the frame goes there, else it becomes RGBA in memory of our own, unless it is that already.
ConstImage CudaWorker::as_rgba(ConstImage frame, const Image *target) {
  if (!converts_ && !target) return frame;
  const Image to = target ? *target : layout_.at(converted_.as());
  converter_->apply(frame, conversion_, to, *queue_);
  return to;
}

void CudaWorker::submit(Frame &f, const Settings &s) {
  const ConstImage picture = f.reader.open_for_reading(f.in.get(), *queue_, copied_);
  if (f.written) f.target = f.writer.open_for_writing(f.out.get(), *queue_);
  const bool draws = f.written && s.output != Output::passthrough;
  times_.start(*queue_, stats_);
  const ConstImage frame = as_rgba(picture, f.written && !draws ? &f.target : nullptr);
  const bool learning = segmenter_->progress().learning();
  segmenter_->segment(frame, s.params, *queue_);
  stats_.constants = colinearseg::resolve(s.params, segmenter_->progress().noise);
  if (draws) segmenter_->draw(show_for(s.output), frame, style_, f.target, *queue_);
  f.counted = s.tuning.report && !learning;
  f.boxed = draws && s.output == Output::overlay && f.counted;
  f.sent = false;
  if (f.counted) {
    segmenter_->count(grid_, f.cells.as<activity::Cell>(), *queue_);
    device_.download(f.host_cells.as<void>(), f.cells.as(), f.cells.bytes(), *queue_);
    stats_.bytes_results += f.cells.bytes();
  }
  times_.stop(*queue_);
  f.drawn->record(*queue_);
  stats_.frames++;
}

void CudaWorker::submit(BufferPtr in, BufferPtr out, bool written, const FrameTime &time, bool discont,
                        const Settings &s) {
  Frame &f = free_frame();
  f.in = std::move(in);
  f.out = std::move(out);
  f.written = written;
  f.time = time;
  f.discont = discont;
  f.motion = s.motion;
  submit(f, s);
  free_.pop_back();
  under_way_.push_back(&f);
  if (f.boxed) return;
  try {
    send(f);
  } catch (...) {
    discard(); // it would go out as it is otherwise
    throw;
  }
}

Found CudaWorker::found_of(const Frame &f) const {
  return found_in({f.host_cells.as<const activity::Cell>(), std::size_t(grid_.cells())}, grid_, f.motion);
}

// To where it goes out; an overlay gets its boxes before.
void CudaWorker::send(Frame &f) {
  if (f.sent) return;
  f.sent = true;
  f.queue->after(*f.drawn);
  if (f.boxed) {
    f.drawn->wait();
    f.found = found_of(f);
    segmenter_->outline(boxes_to_draw(f.found.boxes), style_, f.target, *f.queue);
  }
  if (f.written)
    f.writer.begin_send(*f.queue, copied_, *f.done);
  else
    f.done->record(*f.queue);
}

// All frames but the newest have had time for their counts: those are sent before the oldest is waited for.
std::optional<Finished> CudaWorker::next(std::size_t held) {
  try {
    return oldest(held);
  } catch (...) {
    discard(); // what is not whole would go out as it is otherwise
    throw;
  }
}

std::optional<Finished> CudaWorker::oldest(std::size_t held) {
  for (Frame *f : under_way_)
    if (held == 0 || f != under_way_.back()) send(*f);
  if (under_way_.size() <= held) return {};
  Frame &f = *under_way_.front();
  f.writer.end_send();
  f.done->wait();
  if (f.counted && !f.boxed) f.found = found_of(f);
  Finished finished{std::move(f.out), f.time, f.motion, std::move(f.found), f.discont};
  f.close();
  under_way_.pop_front();
  free_.push_back(&f);
  return finished;
}

void CudaWorker::discard() noexcept {
  const auto wait = [](const auto &fn) { // one that failed does not keep others from being waited for
    try {
      fn();
    } catch (const std::exception &e) {
      GST_WARNING("the device failed while frames were dropped: %s", e.what());
    }
  };
  wait([&] { queue_->wait(); });
  for (Frame *f : under_way_) {
    wait([&] { f->writer.end_send(); });
    wait([&] { f->queue->wait(); });
  }
  if (!free_.empty()) free_.back()->close(); // what an exception left half done
  for (Frame *f : under_way_) {
    f->close();
    free_.push_back(f);
  }
  under_way_.clear();
}

Stats CudaWorker::stats() const {
  Stats s = stats_;
  s.bytes_results += segmenter_->bytes_read();
  s.progress = segmenter_->progress();
  return s;
}

} // namespace vigil::gst::glcolinearseg
