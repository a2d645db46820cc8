// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues, copies, events and clocks.
#include "common/opencl/device.h"

#include "common/error.h"

namespace vigil {
namespace {

class ClEvent final : public Event {
 public:
  void record(Queue &q) override {
    auto &queue = static_cast<ClQueue &>(q);
    cl_event e = nullptr;
    cl_check(clEnqueueMarkerWithWaitList(queue.get(), 0, nullptr, &e), "an event");
    event_ = ClEventHandle(e);
    queue.flush(); // others may wait for it before this queue is used again
  }
  void wait() override {
    if (!event_) return;
    const cl_event e = event_.get();
    cl_check(clWaitForEvents(1, &e), "waiting for the OpenCL device");
  }
  cl_event get() const { return event_.get(); }

 private:
  ClEventHandle event_;
};

cl_ulong profile(const ClEventHandle &e, cl_profiling_info what) {
  cl_ulong ns = 0;
  cl_check(clGetEventProfilingInfo(e.get(), what, sizeof ns, &ns, nullptr), "reading the device's clock");
  return ns;
}

} // namespace

ClQueue::ClQueue(const ClDevice &d) {
  cl_int code = CL_SUCCESS;
  queue_ = ClQueueHandle(clCreateCommandQueue(d.context(), d.id(), CL_QUEUE_PROFILING_ENABLE, &code));
  cl_check(code, "making an OpenCL queue");
}
void ClQueue::wait() {
  cl_check(clFinish(queue_.get()), "waiting for the OpenCL device");
}
void ClQueue::flush() const {
  cl_check(clFlush(queue_.get()), "handing work to the OpenCL device");
}
void ClQueue::after(Event &event) {
  const cl_event e = static_cast<ClEvent &>(event).get();
  if (e) cl_check(clEnqueueBarrierWithWaitList(queue_.get(), 1, &e, nullptr), "waiting for an event");
}
void ClQueue::note(cl_event e) {
  if (!timer_->first_) {
    clRetainEvent(e);
    timer_->first_ = ClEventHandle(e);
  }
  clRetainEvent(e);
  timer_->last_ = ClEventHandle(e);
}

void ClTimer::start(Queue &q) {
  first_ = ClEventHandle();
  last_ = ClEventHandle();
  static_cast<ClQueue &>(q).timer_ = this;
}
void ClTimer::stop(Queue &q) {
  auto &queue = static_cast<ClQueue &>(q);
  if (queue.timer_ == this) queue.timer_ = nullptr;
  queue.flush();
}
bool ClTimer::ready() {
  if (!last_) return true;
  cl_int status = CL_QUEUED;
  cl_check(clGetEventInfo(last_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
           "asking for an event");
  return status <= CL_COMPLETE;
}
double ClTimer::milliseconds() {
  if (!last_) return 0;
  const cl_event e = last_.get();
  cl_check(clWaitForEvents(1, &e), "waiting for the OpenCL device");
  return double(profile(last_, CL_PROFILING_COMMAND_END) - profile(first_, CL_PROFILING_COMMAND_START)) / 1e6;
}

std::unique_ptr<Queue> ClDevice::make_queue() {
  return std::make_unique<ClQueue>(*this);
}
std::unique_ptr<Timer> ClDevice::make_timer() {
  return std::make_unique<ClTimer>();
}
std::unique_ptr<Event> ClDevice::make_event() {
  return std::make_unique<ClEvent>();
}

void ClDevice::upload(void *to, const void *from, std::size_t bytes, Queue &q) {
  upload(to, std::ptrdiff_t(bytes), from, std::ptrdiff_t(bytes), bytes, 1, q);
}
void ClDevice::download(void *to, const void *from, std::size_t bytes, Queue &q) {
  download(to, std::ptrdiff_t(bytes), from, std::ptrdiff_t(bytes), bytes, 1, q);
}

namespace {

// One copy of rows as few commands: one when rows follow each other without a gap, one for a rectangle, or,
// where OpenCL has none of that shape (rows that run backwards or overlap), one a row.
template <class Plain, class Rectangle>
void copy_rows(std::ptrdiff_t device_stride, std::ptrdiff_t host_stride, std::size_t row_bytes, int rows,
               Plain plain, Rectangle rectangle) {
  if (row_bytes == 0 || rows <= 0) return;
  const auto row = std::ptrdiff_t(row_bytes);
  if (rows == 1 || (device_stride == row && host_stride == row))
    plain(0, row_bytes * std::size_t(rows));
  else if (device_stride >= row && host_stride >= row)
    rectangle();
  else
    for (int y = 0; y < rows; y++) plain(y, row_bytes);
}

} // namespace

void ClDevice::upload(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                      std::size_t row_bytes, int rows, Queue &q) {
  auto &queue = static_cast<ClQueue &>(q);
  const auto plain = [&](int y, std::size_t bytes) {
    const ClRange r = range_of(static_cast<char *>(to) + y * to_stride);
    queue.submit("an upload", [&](cl_event *e) {
      return clEnqueueWriteBuffer(queue.get(), r.memory, CL_FALSE, r.offset, bytes,
                                  static_cast<const char *>(from) + y * from_stride, 0, nullptr, e);
    });
  };
  const auto rectangle = [&] {
    const ClRange r = range_of(to);
    const std::size_t there[] = {r.offset, 0, 0}, here[] = {0, 0, 0},
                      region[] = {row_bytes, std::size_t(rows), 1};
    queue.submit("an upload", [&](cl_event *e) {
      return clEnqueueWriteBufferRect(queue.get(), r.memory, CL_FALSE, there, here, region,
                                      std::size_t(to_stride), 0, std::size_t(from_stride), 0, from, 0,
                                      nullptr, e);
    });
  };
  copy_rows(to_stride, from_stride, row_bytes, rows, plain, rectangle);
}
void ClDevice::download(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                        std::size_t row_bytes, int rows, Queue &q) {
  auto &queue = static_cast<ClQueue &>(q);
  const auto plain = [&](int y, std::size_t bytes) {
    const ClRange r = range_of(static_cast<const char *>(from) + y * from_stride);
    queue.submit("a download", [&](cl_event *e) {
      return clEnqueueReadBuffer(queue.get(), r.memory, CL_FALSE, r.offset, bytes,
                                 static_cast<char *>(to) + y * to_stride, 0, nullptr, e);
    });
  };
  const auto rectangle = [&] {
    const ClRange r = range_of(from);
    const std::size_t there[] = {r.offset, 0, 0}, here[] = {0, 0, 0},
                      region[] = {row_bytes, std::size_t(rows), 1};
    queue.submit("a download", [&](cl_event *e) {
      return clEnqueueReadBufferRect(queue.get(), r.memory, CL_FALSE, there, here, region,
                                     std::size_t(from_stride), 0, std::size_t(to_stride), 0, to, 0, nullptr,
                                     e);
    });
  };
  copy_rows(from_stride, to_stride, row_bytes, rows, plain, rectangle);
}
void ClDevice::copy(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                    std::size_t row_bytes, int rows, ClQueue &queue) {
  const auto plain = [&](int y, std::size_t bytes) {
    const ClRange a = range_of(static_cast<const char *>(from) + y * from_stride);
    const ClRange b = range_of(static_cast<char *>(to) + y * to_stride);
    queue.submit("a copy", [&](cl_event *e) {
      return clEnqueueCopyBuffer(queue.get(), a.memory, b.memory, a.offset, b.offset, bytes, 0, nullptr, e);
    });
  };
  const auto rectangle = [&] {
    const ClRange a = range_of(from), b = range_of(to);
    const std::size_t source[] = {a.offset, 0, 0}, target[] = {b.offset, 0, 0},
                      region[] = {row_bytes, std::size_t(rows), 1};
    queue.submit("a copy", [&](cl_event *e) {
      return clEnqueueCopyBufferRect(queue.get(), a.memory, b.memory, source, target, region,
                                     std::size_t(from_stride), 0, std::size_t(to_stride), 0, 0, nullptr, e);
    });
  };
  copy_rows(to_stride, from_stride, row_bytes, rows, plain, rectangle);
}
void ClDevice::fill(void *to, int byte, std::size_t bytes, Queue &q) {
  if (bytes == 0) return;
  auto &queue = static_cast<ClQueue &>(q);
  const ClRange r = range_of(to);
  const auto pattern = static_cast<cl_uchar>(byte);
  queue.submit("a fill", [&](cl_event *e) {
    return clEnqueueFillBuffer(queue.get(), r.memory, &pattern, sizeof pattern, r.offset, bytes, 0, nullptr,
                               e);
  });
}

} // namespace vigil
