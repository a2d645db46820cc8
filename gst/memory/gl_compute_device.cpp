// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_compute_device.h"

#include "common/gl/compute.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace vigil::gst {
namespace {

constexpr int most_buffers = 8; // that a shader of cudamog's stages sees
constexpr std::chrono::microseconds first_pause{100}, longest_pause{2000};

// A point of the context's work.
class ComputeEvent final : public Event {
 public:
  explicit ComputeEvent(GlComputeDevice &d) : device_(d) {}
  ~ComputeEvent() override {
    if (fence_) give_back_on_thread_of(device_.context(), [this] { device_.gl.DeleteSync(fence_); });
  }
  void record(Queue &) override { record(); }
  void record() {
    device_.on_thread([this] {
      device_.gl.DeleteSync(fence_);
      fence_ = device_.gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      readbacks_ = device_.readbacks().submitted();
    });
  }
  void wait() override {
    if (!fence_) return;
    for (auto pause = first_pause; !reached(); pause = std::min(2 * pause, longest_pause))
      std::this_thread::sleep_for(pause);
  }

 private:
  // Moves what was read back to the host when it is there.
  bool reached() {
    bool there = false;
    on_thread_of(device_.context(), [&] {
      device_.forget_errors();
      const GLenum status = device_.gl.ClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
      device_.check("work in compute shaders");
      if (status == GL_WAIT_FAILED) fail(Error::Kind::device, "waiting for OpenGL has failed");
      if (status == GL_TIMEOUT_EXPIRED) return;
      device_.readbacks().complete(readbacks_);
      device_.check("results of compute shaders");
      there = true;
    });
    return there;
  }
  GlComputeDevice &device_;
  GLsync fence_ = nullptr;
  std::uint64_t readbacks_ = 0; // that were submitted before
};

// The context itself: all queues are one.
class ComputeQueue final : public Queue {
 public:
  explicit ComputeQueue(GlComputeDevice &d) : now_(d) {}
  void wait() override {
    now_.record();
    now_.wait();
  }
  void after(Event &) override {}

 private:
  ComputeEvent now_;
};

class ComputeTimer final : public Timer {
 public:
  explicit ComputeTimer(GlComputeDevice &d) : device_(d) {
    d.on_thread([this] { clock_ = device_.make_clock(); });
  }
  ~ComputeTimer() override {
    if (!give_back_on_thread_of(device_.context(), [this] { clock_.reset(); }))
      static_cast<void>(clock_.release());
  }
  void start(Queue &q) override {
    device_.on_thread([&] { clock_->start(q); });
  }
  void stop(Queue &q) override {
    device_.on_thread([&] { clock_->stop(q); });
  }
  bool ready() override {
    bool is_ready = false;
    device_.on_thread([&] { is_ready = clock_->ready(); });
    return is_ready;
  }
  double milliseconds() override {
    double ms = 0;
    device_.on_thread([&] { ms = clock_->milliseconds(); });
    return ms;
  }

 private:
  GlComputeDevice &device_;
  std::unique_ptr<Timer> clock_;
};

} // namespace

GlComputeDevice::GlComputeDevice(GstGLContext *context) : GlContextDevice(context) {
  need_compute(*this, most_buffers);
}

std::shared_ptr<GlComputeDevice> GlComputeDevice::open(GstGLContext *context) {
  return open_as<GlComputeDevice>(context);
}

void GlComputeDevice::on_thread(const std::function<void()> &fn) {
  on_thread_of(context(), [&] {
    if (depth_ > 0) return fn();
    struct Within {
      int &depth;
      explicit Within(int &d) : depth(d) { depth++; }
      ~Within() { depth--; }
    } const within(depth_);
    const GlComputeGuard guard(*this);
    fn();
    gl.Flush();
  });
}

void *GlComputeDevice::allocate(std::size_t bytes) {
  void *p = nullptr;
  on_thread([&] { p = GlDevice::allocate(bytes); });
  return p;
}
void GlComputeDevice::release(void *p) noexcept {
  give_back_on_thread_of(context(), [&] { GlDevice::release(p); });
}
void *GlComputeDevice::allocate_host(std::size_t bytes) {
  void *p = nullptr;
  on_thread([&] { p = GlDevice::allocate_host(bytes); });
  return p;
}
void GlComputeDevice::release_host(void *p) noexcept {
  give_back_on_thread_of(context(), [&] { GlDevice::release_host(p); });
}

void GlComputeDevice::upload(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                             std::size_t row_bytes, int rows, Queue &q) {
  on_thread([&] { GlDevice::upload(to, to_stride, from, from_stride, row_bytes, rows, q); });
}
void GlComputeDevice::download(void *to, std::ptrdiff_t to_stride, const void *from,
                               std::ptrdiff_t from_stride, std::size_t row_bytes, int rows, Queue &) {
  if (row_bytes == 0 || rows <= 0) return;
  on_thread([&] {
    if (sees(to) && (rows == 1 || to_stride == from_stride))
      return copy(to, from, std::size_t((rows - 1) * from_stride) + row_bytes);
    const GlRange r = range_of(from);
    readbacks().submit(r.buffer, r.offset, {from_stride, row_bytes, rows}, to, to_stride);
    check("a download");
  });
}
void GlComputeDevice::fill(void *to, int byte, std::size_t bytes, Queue &q) {
  on_thread([&] { GlDevice::fill(to, byte, bytes, q); });
}

std::unique_ptr<Queue> GlComputeDevice::make_queue() {
  return std::make_unique<ComputeQueue>(*this);
}
std::unique_ptr<Event> GlComputeDevice::make_event() {
  return std::make_unique<ComputeEvent>(*this);
}
std::unique_ptr<Timer> GlComputeDevice::make_timer() {
  if (!has_timer()) return GlContextDevice::make_timer();
  return std::make_unique<ComputeTimer>(*this);
}

} // namespace vigil::gst
