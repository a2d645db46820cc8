// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/frames_in_flight.h"

#include "common/on_device_thread.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace vigil::gst {

FramesInFlight::FramesInFlight(Device &device, FrameProcessor &work, const Counts &before,
                               std::vector<BufferPtr> *gone)
    : device_(device), work_(work), queues_(device), ring_(device, work), counts_(before), gone_(gone) {}

FramesInFlight::Queues::Queues(Device &device)
    : upload(device.make_queue()), compute(device.make_queue()), download(device.make_queue()),
      computed(device.make_event()) {}

FramesInFlight::~FramesInFlight() {
  discard();
}

void FramesInFlight::let_go(BufferPtr &buffer) noexcept {
  try {
    if (buffer && gone_) gone_->push_back(std::move(buffer));
  } catch (const std::bad_alloc &) { // then it goes at once
  }
  buffer.reset();
}

void FramesInFlight::close(Frame &f) noexcept {
  f.reader->close();
  if (f.writer) f.writer->close();
  let_go(f.in);
  let_go(f.out);
  f.timed = 0;
  f.task.late = f.completed = false;
}

void FramesInFlight::set_format(const FrameKind &in, const FrameKind &out, MakeMapping make_mapping) {
  discard();
  ring_.set_format(in, out, std::move(make_mapping));
}

FrameProcessor::Plan FramesInFlight::begin(const FrameTime &time) {
  Frame &f = ring_.next();
  close(f); // ends what a frame that was begun and not submitted left
  f.task.time = time;
  f.task.plan = work_.plan(time, f.result.get());
  if (time.passes_by) {
    f.task.plan.apart = true; // the frames before it are worked on first
    f.task.plan.group = 1;
    if (f.task.plan.use == Use::inspect) f.task.plan.use = Use::none;
  }
  return f.task.plan;
}

void FramesInFlight::open(Frame &f, GstBuffer *in, GstBuffer *out, bool overlap) {
  // Frames that are already in the device's memory are not uploaded. On a processor queues of their own would
  // only wait for each other.
  overlap = overlap && !shares_host_memory(device_);
  f.uploads = overlap && !ring_.in().cuda_memory;
  Queue &upload = f.uploads ? *queues_.upload : *queues_.compute;
  f.queue = overlap ? queues_.download.get() : queues_.compute.get();
  f.task.out = {};
  f.task.out_texture = nullptr;
  if (f.use() == Use::modify)
    f.task.in = f.task.out = f.reader->map_update(in, out, upload, counts_.pictures);
  else
    f.task.in = f.reader->map_read(in, upload, counts_.pictures);
  f.task.in_texture = f.reader->texture();
  if (f.use() == Use::produce) {
    FrameMapping &writer = ring_.writer_of(f);
    f.task.out = writer.map_write(out, upload);
    f.task.out_texture = writer.texture();
    if (ring_.out().gl_memory && device_.backend() == Backend::cuda) {
      if (!f.own_queue) f.own_queue = device_.make_queue();
      f.queue = f.own_queue.get();
    }
  }
  if (f.uploads) f.uploaded->record(upload);
}

void FramesInFlight::submit(BufferPtr in, BufferPtr out, bool discont, bool overlap) {
  Frame &f = ring_.next();
  if (f.task.plan.apart) launch();
  if (f.use() != Use::none) {
    try {
      open(f, in.get(), out.get(), overlap);
    } catch (...) { // copies from and to these buffers may be under way
      wait_for_queues();
      close(f);
      let_go(in);
      let_go(out);
      throw;
    }
  }
  f.in = std::move(in);
  f.out = std::move(out);
  if (f.use() == Use::produce && !f.reader->holds_buffer()) let_go(f.in); // its picture has been copied
  f.discont = discont;
  ring_.take_next();
  pending_.push_back(&f);
  if (int(pending_.size()) >= f.task.plan.group) launch();
}

void FramesInFlight::launch() {
  if (pending_.empty()) return;
  try {
    jobs_.clear();
    Frame *first = nullptr;
    for (Frame *f : pending_) {
      if (f->use() == Use::none) continue;
      if (!first) first = f;
      if (f->uploads) queues_.compute->after(*f->uploaded);
      jobs_.push_back(&f->task);
    }
    if (first) {
      first->timer->start(*queues_.compute);
      if (first->task.time.passes_by) // it is alone
        work_.pass_by(first->task, *queues_.compute);
      else
        work_.run(jobs_, *queues_.compute);
      on_device_thread(device_, [&] {
        first->timer->stop(*queues_.compute);
        first->timed = int(jobs_.size());
        queues_.computed->record(*queues_.compute);
        for (Frame *f : pending_)
          if (f->use() != Use::none) write_back(*f);
      });
    }
  } catch (...) {
    discard(); // a group that failed once would fail with every further frame
    throw;
  }
  launched_.insert(launched_.end(), pending_.begin(), pending_.end());
  pending_.clear();
}

// What was computed to where it goes; a picture that is drawn late waits for complete().
void FramesInFlight::write_back(Frame &f) {
  if (f.queue != queues_.compute.get()) f.queue->after(*queues_.computed);
  if (!f.task.time.passes_by) work_.fetch(f.task, *f.queue);
  if (f.use() == Use::modify)
    f.reader->write_back(*f.queue, counts_.pictures, f.task.changed);
  else
    f.reader->after_reading(*f.queue);
  if (f.use() == Use::produce && !f.task.late)
    f.writer->begin_write_back(*f.queue, counts_.pictures, *f.done);
  else
    f.done->record(*f.queue);
  if (f.use() == Use::produce && !f.task.late && device_.backend() == Backend::cpu) { // all is done
    f.reader->close();
    let_go(f.in);
  }
}

void FramesInFlight::complete(Frame &f) {
  if (f.completed || f.use() == Use::none) return;
  if (!f.task.late && f.writer && f.use() == Use::produce) f.writer->end_write_back();
  f.done->wait();
  if (!f.task.time.passes_by) work_.complete(f.task, *f.queue);
  f.completed = true;
  if (f.task.late) f.writer->begin_write_back(*f.queue, counts_.pictures, *f.done);
}

std::optional<FramesInFlight::Finished> FramesInFlight::next(std::size_t allowed, bool all) {
  if (all) {
    launch();
    allowed = 0;
  }
  try {
    if (work_.completes_ahead()) // all but the newest have had time for their results
      for (Frame *f : launched_)
        if (f->task.late && (allowed == 0 || f != launched_.back())) complete(*f);
    if (launched_.empty() || (launched_.size() <= allowed && launched_.front()->use() != Use::none))
      return {};
    return finish_oldest();
  } catch (...) {
    discard(); // what is not whole must not go out
    throw;
  }
}

FramesInFlight::Finished FramesInFlight::finish_oldest() {
  Frame &f = *launched_.front();
  complete(f);
  if (f.use() != Use::none) {
    if (f.task.late) {
      f.writer->end_write_back();
      f.done->wait();
    }
    if (f.timed) {
      const double ms = f.timer->milliseconds();
      counts_.kernel_ms += ms;
      counts_.kernel_last_ms = ms / f.timed;
    }
    counts_.worked++;
    f.reader->finish();
    if (f.use() == Use::produce) f.writer->finish();
  }
  Finished finished{f.out ? std::move(f.out) : std::move(f.in), f.discont, &f.task, &f};
  close(f);
  counts_.frames++;
  launched_.pop_front();
  return finished;
}

void FramesInFlight::wait_for_queues() noexcept {
  // One that failed does not keep the others from being waited for.
  const auto wait = [](Queue *queue) {
    try {
      if (queue) queue->wait();
    } catch (const std::exception &e) {
      GST_WARNING("the device failed while frames were dropped: %s", e.what());
    }
  };
  for (Queue *q : {queues_.upload.get(), queues_.compute.get(), queues_.download.get()}) wait(q);
  ring_.for_each_own_queue([&](Queue &queue) { wait(&queue); });
}

void FramesInFlight::drop(std::deque<Frame *> &frames) noexcept {
  for (Frame *f : frames) {
    close(*f);
    ring_.give_back(f);
  }
  frames.clear();
}

void FramesInFlight::discard() noexcept {
  for (auto *frames : {&pending_, &launched_})
    for (Frame *f : *frames) {
      try {
        if (f->writer) f->writer->end_write_back();
      } catch (const std::exception &e) {
        GST_WARNING("a frame that is dropped was not copied: %s", e.what());
      }
    }
  wait_for_queues();
  drop(pending_);
  drop(launched_);
}

std::size_t FramesInFlight::inputs_held() const {
  const auto holds = [](const Frame *f) { return f->in != nullptr; };
  return std::size_t(std::count_if(pending_.begin(), pending_.end(), holds) +
                     std::count_if(launched_.begin(), launched_.end(), holds));
}

Counts FramesInFlight::counts() const {
  Counts c = counts_;
  c.result_bytes += work_.result_bytes();
  return c;
}

} // namespace vigil::gst
