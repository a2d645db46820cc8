// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/gl_handover.h"

#include "common/error.h"
#include "gst/base/gl_thread.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace vigil::gst {
namespace {

// A frame and the thread that waits for it.
struct Ticket {
  Handover &frame;
  std::exception_ptr error;
  bool done = false;
  std::condition_variable turn; // done, or first in the line with nobody at the counter
};

// Those who want frames of one OpenGL context handed over. It goes with the context.
class Line {
 public:
  void wait_for(GstGLContext *, Ticket &);
  void at_once(Ticket &);

 private:
  // What a batch needs. Belongs to the thread of the OpenGL context.
  struct Counter {
    std::vector<Ticket *> tickets;
    std::vector<CudaGlCopies::Picture *> pictures;
    CudaGlCopies copies;
    void serve() noexcept;
  };
  void serve_all();
  void take();
  void next();
  std::mutex mutex_; // of what follows up to taken_, and of what Tickets say
  std::vector<Ticket *> waiting_;
  const Queue *last_ = nullptr; // of the batch before, where it was a single frame's
  bool taken_ = false;          // the first in the line has gone to serve
  Counter counter_;             // of who has taken it: its copies may be waited for by that one's thread
  Counter other_;               // of calls from the OpenGL thread itself
};

// One mapping for all.
void Line::Counter::serve() noexcept {
  pictures.clear();
  for (Ticket *t : tickets) {
    try {
      t->frame.open();
      pictures.push_back(&t->frame.picture);
    } catch (...) {
      t->error = std::current_exception();
    }
  }
  copies.run(pictures);
  for (Ticket *t : tickets) {
    t->frame.close();
    if (!t->error) t->error = t->frame.picture.error;
  }
}

// Those at the line's head and all others whose frames go to the same CUDA context.
void Line::take() {
  counter_.tickets.clear();
  counter_.tickets.reserve(waiting_.size());
  const CUctx_st *context = waiting_.front()->frame.cuda.context();
  for (Ticket *t : waiting_)
    if (t->frame.cuda.context() == context) counter_.tickets.push_back(t);
  std::erase_if(waiting_, [&](const Ticket *t) { return t->frame.cuda.context() == context; });
}

// A Ticket is gone as soon as it is done and the mutex is free.
void Line::serve_all() {
  {
    const std::lock_guard lock(mutex_);
    take();
  }
  counter_.serve();
  const std::lock_guard lock(mutex_);
  last_ = counter_.tickets.size() == 1 ? counter_.tickets[0]->frame.picture.queue : nullptr;
  for (Ticket *t : counter_.tickets) {
    t->done = true;
    t->turn.notify_one();
  }
  next();
}

void Line::next() {
  taken_ = false;
  if (!waiting_.empty()) waiting_.front()->turn.notify_one();
}

// The first in the line waits until the GPU is done with the batch before, then serves whoever has come by then. Where the batch
// before was its own and nobody else has come, there is nothing to gather.
void Line::wait_for(GstGLContext *context, Ticket &ticket) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&ticket);
  ticket.turn.wait(lock, [&] { return ticket.done || (!taken_ && waiting_.front() == &ticket); });
  if (ticket.done) return;
  taken_ = true;
  const bool alone = waiting_.size() == 1 && last_ == ticket.frame.picture.queue;
  lock.unlock();
  if (!alone) counter_.copies.wait();
  std::exception_ptr error;
  try {
    on_thread_of(context, [&] { serve_all(); });
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  if (ticket.done) return;
  std::erase(waiting_, &ticket); // nobody was served
  next();
  if (error) std::rethrow_exception(error);
  fail(Error::Kind::device, "the thread of an OpenGL context takes no work");
}

// The others cannot be waited for here: they wait for this thread.
void Line::at_once(Ticket &ticket) {
  other_.tickets.assign(1, &ticket);
  other_.serve();
}

Line &line_of(GstGLContext *context) {
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-handover");
  static std::mutex mutex; // no two make it
  const std::lock_guard lock(mutex);
  auto *line = static_cast<Line *>(g_object_get_qdata(G_OBJECT(context), quark));
  if (!line) {
    line = new Line;
    g_object_set_qdata_full(G_OBJECT(context), quark, line,
                            [](gpointer l) { delete static_cast<Line *>(l); });
  }
  return *line;
}

} // namespace

void hand_over(GstGLContext *context, Handover &frame) {
  Ticket ticket{frame, nullptr, false, {}};
  if (gst_gl_context_get_current() == context)
    line_of(context).at_once(ticket);
  else
    line_of(context).wait_for(context, ticket);
  if (ticket.error) std::rethrow_exception(ticket.error);
}

} // namespace vigil::gst
