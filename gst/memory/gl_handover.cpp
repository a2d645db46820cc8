// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_handover.h"

#include "common/error.h"
#include "gst/memory/gl_thread.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace vigil::gst {
namespace {

// The frames of one OpenGL context that are to be handed over, and who waits for them. It goes with the
// context.
class TransferQueue {
 public:
  void enqueue(GstGLContext *, Handover &);
  void wait_for(GstGLContext *, Handover &);

 private:
  // What a batch needs. Belongs to the thread of the OpenGL context.
  struct Batch {
    std::vector<Handover *> frames;
    std::vector<CudaGlCopies::Picture *> pictures;
    CudaGlCopies copies;
    void serve() noexcept;
  };
  void serve_all(const Handover &whose);
  void serve_alone(Handover &);
  void take(const CUctx_st *);
  void next();
  std::mutex mutex_; // of what follows up to taken_, and of Tickets
  std::vector<Handover *> waiting_;
  std::vector<Handover *> sleepers_; // those of them, or served by now, whose owners wait
  const Queue *last_ = nullptr;      // of the batch before, where it was a single frame's
  bool taken_ = false;               // one of the owners has gone to serve
  Batch batch_;                      // of who has taken it: its copies may be waited for by that one's thread
  Batch other_;                      // of calls from the OpenGL thread itself
};

// One mapping for all.
void TransferQueue::Batch::serve() noexcept {
  pictures.clear();
  for (Handover *f : frames) {
    try {
      f->open();
      pictures.push_back(&f->picture);
    } catch (...) {
      f->ticket.error = std::current_exception();
    }
  }
  copies.run(pictures);
  for (Handover *f : frames) {
    f->close();
    if (!f->ticket.error) f->ticket.error = f->picture.error;
  }
}

// All frames that go to this CUDA context.
void TransferQueue::take(const CUctx_st *context) {
  batch_.frames.clear();
  batch_.frames.reserve(waiting_.size());
  const auto same = [&](const Handover *f) { return f->cuda.context() == context; };
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(batch_.frames), same);
  std::erase_if(waiting_, same);
}

// A frame may be gone as soon as it is done and the mutex is free.
void TransferQueue::serve_all(const Handover &whose) {
  {
    const std::lock_guard lock(mutex_);
    take(whose.cuda.context());
  }
  batch_.serve();
  const std::lock_guard lock(mutex_);
  last_ = batch_.frames.size() == 1 ? batch_.frames[0]->picture.queue : nullptr;
  for (Handover *f : batch_.frames) {
    f->ticket.done = true;
    f->ticket.turn.notify_one();
  }
  next();
}

void TransferQueue::next() {
  taken_ = false;
  const auto serves = [](const Handover *f) { return !f->ticket.done; };
  const auto first = std::find_if(sleepers_.begin(), sleepers_.end(), serves);
  if (first != sleepers_.end()) (*first)->ticket.turn.notify_one();
}

// On the OpenGL thread. The others cannot be waited for: they wait for this thread.
void TransferQueue::serve_alone(Handover &frame) {
  other_.frames.assign(1, &frame);
  other_.serve();
  frame.ticket.done = true;
}

void TransferQueue::enqueue(GstGLContext *context, Handover &frame) {
  frame.ticket.done = false;
  frame.ticket.error = nullptr;
  frame.picture.error = nullptr;
  if (gst_gl_context_get_current() == context) return serve_alone(frame);
  const std::lock_guard lock(mutex_);
  waiting_.push_back(&frame);
}

// A thread that comes when no other serves waits until the GPU is done with the batch before, then serves all
// frames that have come by then. Where the batch before was its own and there is no other frame, there is
// nothing to gather.
void TransferQueue::wait_for(GstGLContext *context, Handover &frame) {
  std::unique_lock lock(mutex_);
  Handover::Ticket &ticket = frame.ticket;
  if (ticket.done) return;
  if (gst_gl_context_get_current() == context) {
    std::erase(waiting_, &frame);
    lock.unlock();
    return serve_alone(frame);
  }
  sleepers_.push_back(&frame);
  ticket.turn.wait(lock, [&] { return ticket.done || !taken_; });
  std::erase(sleepers_, &frame);
  if (ticket.done) return;
  taken_ = true;
  const bool alone = waiting_.size() == 1 && last_ == frame.picture.queue;
  lock.unlock();
  if (!alone) batch_.copies.wait();
  std::exception_ptr error;
  try {
    on_thread_of(context, [&] { serve_all(frame); });
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  if (ticket.done) return;
  std::erase(waiting_, &frame); // nobody was served
  next();
  if (error) std::rethrow_exception(error);
  fail(Error::Kind::device, "the thread of an OpenGL context takes no work");
}

TransferQueue &transfers_of(GstGLContext *context) {
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-handover");
  static std::mutex mutex; // no two make it
  const std::lock_guard lock(mutex);
  auto *queue = static_cast<TransferQueue *>(g_object_get_qdata(G_OBJECT(context), quark));
  if (!queue) {
    queue = new TransferQueue;
    g_object_set_qdata_full(G_OBJECT(context), quark, queue,
                            [](gpointer l) { delete static_cast<TransferQueue *>(l); });
  }
  return *queue;
}

} // namespace

void enqueue(GstGLContext *context, Handover &frame) {
  transfers_of(context).enqueue(context, frame);
}

void wait_for(GstGLContext *context, Handover &frame) {
  transfers_of(context).wait_for(context, frame);
  if (frame.ticket.error) std::rethrow_exception(frame.ticket.error);
}

void hand_over(GstGLContext *context, Handover &frame) {
  enqueue(context, frame);
  wait_for(context, frame);
}

} // namespace vigil::gst
