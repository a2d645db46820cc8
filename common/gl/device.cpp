// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/device.h"

#include "common/error.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace vigil {
namespace {

class GlQueue final : public Queue {
 public:
  explicit GlQueue(const GlDevice &d) : device_(d) {}
  void wait() override {
    device_.gl.Finish();
    device_.check("work on the queue");
  }
  void after(Event &) override {} // there is one queue only

 private:
  const GlDevice &device_;
};

class GlTimer final : public Timer {
 public:
  explicit GlTimer(const GlDevice &d) : device_(d) { d.gl.GenQueries(2, query_); }
  ~GlTimer() override { device_.gl.DeleteQueries(2, query_); }
  void start(Queue &) override { device_.gl.QueryCounter(query_[0], GL_TIMESTAMP); }
  void stop(Queue &) override { device_.gl.QueryCounter(query_[1], GL_TIMESTAMP); }
  bool ready() override {
    GLuint available = 0;
    device_.gl.GetQueryObjectuiv(query_[1], GL_QUERY_RESULT_AVAILABLE, &available);
    return available != 0;
  }
  double milliseconds() override {
    GLuint64 begin = 0, end = 0;
    device_.gl.GetQueryObjectui64v(query_[0], GL_QUERY_RESULT, &begin);
    device_.gl.GetQueryObjectui64v(query_[1], GL_QUERY_RESULT, &end);
    return double(end - begin) / 1e6;
  }

 private:
  const GlDevice &device_;
  GLuint query_[2] = {};
};

class GlEvent final : public Event {
 public:
  explicit GlEvent(const GlDevice &d) : device_(d) {}
  ~GlEvent() override { device_.gl.DeleteSync(fence_); }
  void record(Queue &) override {
    device_.gl.DeleteSync(fence_);
    fence_ = device_.gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  void wait() override {
    constexpr GLuint64 second = 1000000000;
    while (fence_) {
      const GLenum status = device_.gl.ClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, second);
      if (status == GL_WAIT_FAILED) fail(Error::Kind::device, "waiting for OpenGL has failed");
      if (status != GL_TIMEOUT_EXPIRED) return;
    }
  }

 private:
  const GlDevice &device_;
  GLsync fence_ = nullptr;
};

constexpr std::uintptr_t first_address = std::uintptr_t{1} << (sizeof(std::uintptr_t) * 8 - 4);
constexpr std::size_t alignment = 256;

} // namespace

GlDevice::GlDevice(const GlLoader &loader) : gl(load_gl(loader)), next_address_(first_address) {
  const auto *version = reinterpret_cast<const char *>(gl.GetString(GL_VERSION));
  if (!version) fail(Error::Kind::no_device, "no OpenGL context is current on this thread");
  es_ = std::string_view(version).starts_with("OpenGL ES");
  GLint major = 0, minor = 0;
  gl.GetIntegerv(GL_MAJOR_VERSION, &major);
  gl.GetIntegerv(GL_MINOR_VERSION, &minor);
  version_ = 10 * major + minor;
  if (version_ < (es_ ? 30 : 33))
    fail(Error::Kind::no_device, "the OpenGL context is ", version,
         "; OpenGL 3.3 or OpenGL ES 3.0 is needed (a newer driver, or another GST_GL_API)");
  if (version_ < (es_ ? 32 : 45))
    gl.GetGraphicsResetStatus = nullptr; // drivers give addresses of what they lack
  gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_texture_);
  gl.GenVertexArrays(1, &vertex_array_);
}

GlDevice::~GlDevice() {
  gl.DeleteVertexArrays(1, &vertex_array_);
  for (const auto &[address, a] : allocations_) gl.DeleteBuffers(1, &a.buffer);
}

std::string GlDevice::name() const {
  const auto *renderer = reinterpret_cast<const char *>(gl.GetString(GL_RENDERER));
  return text(renderer ? renderer : "unknown", ", OpenGL ", es_ ? "ES " : "", version_ / 10, ".",
              version_ % 10);
}

bool GlDevice::has_compute() const {
  return version_ >= (es_ ? 31 : 43) && gl.DispatchCompute && gl.BindImageTexture && gl.MemoryBarrier;
}

void *GlDevice::allocate(std::size_t bytes) {
  Allocation a{0, bytes};
  gl.GenBuffers(1, &a.buffer);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, a.buffer);
  gl.BufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(bytes > 0 ? bytes : 1), nullptr, GL_DYNAMIC_COPY);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  if (gl.GetError() != GL_NO_ERROR) {
    gl.DeleteBuffers(1, &a.buffer);
    fail(Error::Kind::no_memory, "the OpenGL device has no ", bytes, " bytes of memory left");
  }
  const std::uintptr_t address = next_address_;
  next_address_ += (bytes + 2 * alignment) / alignment * alignment;
  allocations_[address] = a;
  return reinterpret_cast<void *>(address);
}
void GlDevice::release(void *p) noexcept {
  const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(p));
  if (found == allocations_.end()) return;
  gl.DeleteBuffers(1, &found->second.buffer);
  allocations_.erase(found);
}
GlRange GlDevice::range_of(const void *p) const {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  auto found = allocations_.upper_bound(address);
  if (found != allocations_.begin()) {
    --found;
    if (address - found->first < found->second.bytes)
      return {found->second.buffer, std::ptrdiff_t(address - found->first)};
  }
  fail(Error::Kind::bad_setting, "the address is not of this OpenGL device's memory");
}

void *GlDevice::allocate_host(std::size_t bytes) {
  void *p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (!p) fail(Error::Kind::no_memory, "no ", bytes, " bytes of memory are left");
  return p;
}
void GlDevice::release_host(void *p) noexcept {
  std::free(p);
}

void GlDevice::upload(void *to, const void *from, std::size_t bytes, Queue &q) {
  upload(to, 0, from, 0, bytes, 1, q);
}
void GlDevice::download(void *to, const void *from, std::size_t bytes, Queue &q) {
  download(to, 0, from, 0, bytes, 1, q);
}
void GlDevice::upload(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                      std::size_t row_bytes, int rows, Queue &) {
  if (row_bytes == 0 || rows <= 0) return;
  const GlRange r = range_of(to);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, r.buffer);
  for (int y = 0; y < rows; y++)
    gl.BufferSubData(GL_COPY_WRITE_BUFFER, r.offset + y * to_stride, GLsizeiptr(row_bytes),
                     static_cast<const char *>(from) + y * from_stride);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  check("an upload");
}
void GlDevice::download(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                        std::size_t row_bytes, int rows, Queue &) {
  if (row_bytes == 0 || rows <= 0) return;
  const GlRange r = range_of(from);
  gl.BindBuffer(GL_COPY_READ_BUFFER, r.buffer);
  const auto span = GLsizeiptr((rows - 1) * from_stride + std::ptrdiff_t(row_bytes));
  const auto *mapped =
      static_cast<const char *>(gl.MapBufferRange(GL_COPY_READ_BUFFER, r.offset, span, GL_MAP_READ_BIT));
  if (mapped) {
    for (int y = 0; y < rows; y++)
      std::memcpy(static_cast<char *>(to) + y * to_stride, mapped + y * from_stride, row_bytes);
    gl.UnmapBuffer(GL_COPY_READ_BUFFER);
  }
  gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
  check("a download");
}
void GlDevice::fill(void *to, int byte, std::size_t bytes, Queue &) {
  if (bytes == 0) return;
  const GlRange r = range_of(to);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, r.buffer);
  if (void *mapped = gl.MapBufferRange(GL_COPY_WRITE_BUFFER, r.offset, GLsizeiptr(bytes), GL_MAP_WRITE_BIT)) {
    std::memset(mapped, byte, bytes);
    gl.UnmapBuffer(GL_COPY_WRITE_BUFFER);
  }
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  check("a fill");
}

std::unique_ptr<Queue> GlDevice::make_queue() {
  return std::make_unique<GlQueue>(*this);
}
std::unique_ptr<Timer> GlDevice::make_timer() {
  if (!has_timer()) fail(Error::Kind::device, "this OpenGL has no timer queries");
  return std::make_unique<GlTimer>(*this);
}

std::unique_ptr<Event> GlDevice::make_event() {
  return std::make_unique<GlEvent>(*this);
}

void GlDevice::draw_everywhere() const {
  gl.BindVertexArray(vertex_array_);
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

void GlDevice::forget_errors() const {
  for (int i = 0; i < 16; i++) { // a lost context never stops reporting it
    const GLenum e = gl.GetError();
    if (e == GL_NO_ERROR) return;
    if (e == GL_CONTEXT_LOST) lost_ = true;
  }
}

void GlDevice::check(const char *what) const {
  const GLenum e = gl.GetError();
  if (e == GL_CONTEXT_LOST || (gl.GetGraphicsResetStatus && gl.GetGraphicsResetStatus() != GL_NO_ERROR))
    lost_ = true;
  if (lost_)
    fail(Error::Kind::device, what,
         ": the GPU was reset and the OpenGL context is lost; stop the pipeline (state NULL) "
         "and start it again");
  if (e == GL_NO_ERROR) return;
  if (e == GL_OUT_OF_MEMORY) fail(Error::Kind::no_memory, what, ": the OpenGL device has no memory left");
  fail(Error::Kind::device, what, ": OpenGL error 0x", std::hex, e, " on ", name());
}

} // namespace vigil
