// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/opencl_pipeline.h"

#include "gst/transform/opencl_element.h"

#include <algorithm>

namespace vigil::gst {

// One frame that is held, and its memory; used again and again.
struct ClPipeline::Frame {
  Frame(Device &device, std::unique_ptr<Slot> slot, ClWork &work)
      : reader(std::move(slot)), result(work.make_result()), uploaded(device.make_event()),
        computed(device.make_event()), done(device.make_event()), timer(device.make_timer()) {}

  std::unique_ptr<Slot> reader, writer; // the latter when a frame was made
  std::unique_ptr<ClWork::Result> result;
  std::unique_ptr<Event> uploaded, computed, done;
  std::unique_ptr<Timer> timer;
  BufferPtr in, out;
  FrameTime time;
  ClUse use = ClUse::none;

  void close() noexcept {
    reader->close();
    if (writer) writer->close();
    in.reset();
    out.reset();
  }
};

ClPipeline::ClPipeline(Device &device, ClWork &work, const ClStats &before)
    : device_(device), work_(work), upload_(device.make_queue()), compute_(device.make_queue()),
      download_(device.make_queue()), stats_(before) {}

ClPipeline::~ClPipeline() {
  discard();
}

void ClPipeline::set_format(const FrameKind &kind, const CudaFrames &cuda,
                            std::shared_ptr<ClGlContexts> beside_gl) {
  discard();
  free_.clear();
  frames_.clear();
  kind_ = kind;
  cuda_ = cuda;
  beside_gl_ = std::move(beside_gl);
  work_.set_format(kind.info);
}

std::unique_ptr<Slot> ClPipeline::make_slot() {
  if (through_cuda()) return make_cuda_slot(device_, kind_, cuda_);
  if (beside_gl_) return make_texture_slot(beside_gl_, kind_);
  return std::make_unique<FrameSlot>(device_, kind_);
}

ClPipeline::Frame &ClPipeline::take_frame() {
  if (free_.empty()) {
    frames_.push_back(std::make_unique<Frame>(device_, make_slot(), work_));
    free_.push_back(frames_.back().get());
  }
  Frame &f = *free_.back();
  f.close(); // ends what an exception left half done
  return f;
}

void ClPipeline::submit(BufferPtr in, BufferPtr out, const FrameTime &time, ClUse use, bool overlap) {
  Frame &f = take_frame();
  f.time = time;
  f.use = use;
  if (use != ClUse::none) {
    // on a processor queues of their own would only wait for each other
    overlap = overlap && !shares_host_memory(device_);
    Queue &upload = overlap ? *upload_ : *compute_;
    Queue &download = overlap ? *download_ : *compute_;
    ConstImage picture;
    Image target;
    try {
      if (use == ClUse::change)
        picture = target = f.reader->open_for_updating(in.get(), out.get(), upload, stats_.pictures);
      else
        picture = f.reader->open_for_reading(in.get(), upload, stats_.pictures);
      if (use == ClUse::make) {
        if (!f.writer) f.writer = make_slot();
        target = f.writer->open_for_writing(out.get(), upload);
      }
      if (overlap) {
        f.uploaded->record(upload);
        compute_->after(*f.uploaded);
      }
      f.timer->start(*compute_);
      work_.run(picture, target, f.result.get(), *compute_);
      f.timer->stop(*compute_);
      if (overlap) {
        f.computed->record(*compute_);
        download.after(*f.computed);
      }
      if (use == ClUse::change)
        f.reader->send(download, stats_.pictures, work_.changed());
      else
        f.reader->after_reading(download);
      if (use == ClUse::make) f.writer->send(download, stats_.pictures);
      f.done->record(download);
    } catch (...) { // what was submitted must not outlive the buffers
      f.timer->stop(*compute_);
      discard();
      f.close();
      throw;
    }
  }
  f.in = std::move(in);
  f.out = std::move(out);
  free_.pop_back();
  held_.push_back(&f);
}

std::optional<ClPipeline::Finished> ClPipeline::next(std::size_t allowed) {
  if (held_.size() <= allowed) return {};
  Frame &f = *held_.front();
  if (f.use != ClUse::none) {
    f.done->wait();
    stats_.kernel_ms += stats_.kernel_last_ms = f.timer->milliseconds();
    stats_.worked++;
  }
  f.reader->finish();
  if (f.writer) f.writer->finish();
  Finished finished{f.out ? std::move(f.out) : std::move(f.in), f.time, f.use, f.result.get(), &f};
  f.close();
  stats_.frames++;
  held_.pop_front();
  return finished;
}

void ClPipeline::recycle(Frame *f) {
  const auto is_ours = [&](const auto &mine) { return mine.get() == f; };
  if (std::any_of(frames_.begin(), frames_.end(), is_ours)) free_.push_back(f); // not of a format before
}

void ClPipeline::discard() noexcept {
  try {
    for (Queue *q : {upload_.get(), compute_.get(), download_.get()}) q->wait();
  } catch (const std::exception &e) {
    GST_WARNING("the device failed while frames were dropped: %s", e.what());
  }
  for (Frame *f : held_) {
    f->close();
    free_.push_back(f);
  }
  held_.clear();
}

ClStats ClPipeline::stats() const {
  ClStats s = stats_;
  s.result_bytes += work_.result_bytes();
  return s;
}

} // namespace vigil::gst
