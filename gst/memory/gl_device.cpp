// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_device.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace vigil::gst {
namespace {

class ThreadQueue final : public Queue {
 public:
  void wait() override {}
  void after(Event &) override {}
};
class ThreadEvent final : public Event {
 public:
  void record(Queue &) override {}
  void wait() override {}
};
class NoTimer final : public Timer {
 public:
  void start(Queue &) override {}
  void stop(Queue &) override {}
  bool ready() override { return true; }
  double milliseconds() override { return 0; }
};

} // namespace

GlContextDevice::GlContextDevice(GstGLContext *context)
    : GlDevice([context](const char *name) { return gst_gl_context_get_proc_address(context, name); }),
      context_(context), name_(GlDevice::name()) {}

std::shared_ptr<GlContextDevice> GlContextDevice::open(GstGLContext *context) {
  return open_as<GlContextDevice>(context);
}

void *GlContextDevice::allocate_host(std::size_t bytes) {
  void *p = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!p) fail(Error::Kind::no_memory, "no ", bytes, " bytes of memory are left");
  return p;
}
void GlContextDevice::release_host(void *p) noexcept {
  std::free(p);
}

std::unique_ptr<Queue> GlContextDevice::make_queue() {
  return std::make_unique<ThreadQueue>();
}
std::unique_ptr<Event> GlContextDevice::make_event() {
  return std::make_unique<ThreadEvent>();
}
std::unique_ptr<Timer> GlContextDevice::make_timer() {
  return std::make_unique<NoTimer>();
}

} // namespace vigil::gst
