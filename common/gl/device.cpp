// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/device.h"

#include "common/error.h"
#include "common/gl/program.h"
#include "common/on_device_thread.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace vigil {
namespace {

class GlQueue final : public Queue {
 public:
  explicit GlQueue(const GlDevice &d) : device_(d) {}
  void wait() override {
    device_.gl.Finish();
    device_.readbacks().complete(device_.readbacks().submitted());
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
    readbacks_ = device_.readbacks().submitted();
  }
  void wait() override {
    constexpr GLuint64 second = 1000000000;
    while (fence_) {
      const GLenum status = device_.gl.ClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, second);
      if (status == GL_WAIT_FAILED) fail(Error::Kind::device, "waiting for OpenGL has failed");
      if (status != GL_TIMEOUT_EXPIRED) break;
    }
    device_.readbacks().complete(readbacks_);
  }

 private:
  const GlDevice &device_;
  GLsync fence_ = nullptr;
  std::uint64_t readbacks_ = 0; // that were submitted before
};

constexpr std::uintptr_t first_address = std::uintptr_t{1} << (sizeof(std::uintptr_t) * 8 - 4);
constexpr std::size_t alignment = 256;
constexpr std::size_t most_filled_in_order = 1 << 16; // bytes

// Of OpenGL ES, which names its extensions in one string.
bool has_extension(const GlFunctions &gl, std::string_view name) {
  const auto *all = reinterpret_cast<const char *>(gl.GetString(GL_EXTENSIONS));
  const std::string padded = text(" ", all ? all : "", " ");
  return padded.find(text(" ", name, " ")) != std::string::npos;
}

} // namespace

GlDevice::GlDevice(const GlLoader &loader)
    : gl(load_gl(loader)), next_address_(first_address), readbacks_(gl) {
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
  if (es_ ? !has_extension(gl, "GL_EXT_buffer_storage") : version_ < 44) gl.BufferStorage = nullptr;
  if (es_ && !has_extension(gl, "GL_EXT_disjoint_timer_query")) gl.QueryCounter = nullptr;
  gl.GetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_texture_);
  limits.compute =
      version_ >= (es_ ? 31 : 43) && gl.DispatchCompute && gl.BindImageTexture && gl.MemoryBarrier;
  if (limits.compute) {
    gl.GetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &limits.storage_buffers);
    gl.GetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &limits.invocations);
    gl.GetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &limits.shared_bytes);
    gl.GetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &limits.storage_alignment);
    GLint bytes = 0;
    gl.GetIntegerv(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    limits.storage_bytes = bytes < 0 ? INT32_MAX : bytes; // drivers may say 2^31
  }
  gl.GenVertexArrays(1, &vertex_array_);
  gl.GenBuffers(1, &parameters_);
}

GlDevice::~GlDevice() {
  programs_.clear();
  readbacks_.release();
  gl.DeleteVertexArrays(1, &vertex_array_);
  gl.DeleteBuffers(1, &parameters_);
  if (zeros_) gl.DeleteBuffers(1, &zeros_);
  for (const auto &[address, a] : allocations_) gl.DeleteBuffers(1, &a.buffer);
}

std::string GlDevice::name() const {
  const auto *renderer = reinterpret_cast<const char *>(gl.GetString(GL_RENDERER));
  return text(renderer ? renderer : "unknown", ", OpenGL ", es_ ? "ES " : "", version_ / 10, ".",
              version_ % 10);
}

void *GlDevice::allocate(std::size_t bytes) {
  Allocation a{0, (bytes + 3) / 4 * 4}; // shaders see words
  gl.GenBuffers(1, &a.buffer);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, a.buffer);
  gl.BufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(a.bytes > 0 ? a.bytes : 4), nullptr, GL_DYNAMIC_COPY);
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

GlDevice::Allocations::const_iterator GlDevice::find(const Allocations &all, const void *p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  auto found = all.upper_bound(address);
  if (found == all.begin()) return all.end();
  --found;
  return address - found->first < found->second.bytes ? found : all.end();
}
GlRange GlDevice::range_of(const void *p) const {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  for (const Allocations *all : {&allocations_, &host_allocations_})
    if (const auto found = find(*all, p); found != all->end())
      return {found->second.buffer, std::ptrdiff_t(address - found->first), found->second.bytes};
  fail(Error::Kind::bad_setting, "the address is not of this OpenGL device's memory");
}
bool GlDevice::sees(const void *host) const {
  const auto found = find(host_allocations_, host);
  return found != host_allocations_.end() && found->second.mapped;
}
void GlDevice::written(const void *p) const {
  const auto found = find(host_allocations_, p);
  if (found == host_allocations_.end() || found->second.mapped) return;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(p) - found->first,
                    bytes = found->second.bytes - before;
  readbacks_.submit(found->second.buffer, std::ptrdiff_t(before), {std::ptrdiff_t(bytes), bytes, 1},
                    reinterpret_cast<void *>(found->first + before), 0);
}

void GlDevice::copy(void *to, const void *from, std::size_t bytes) {
  const GlRange source = range_of(from), target = range_of(to);
  gl.BindBuffer(GL_COPY_READ_BUFFER, source.buffer);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, target.buffer);
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, source.offset, target.offset,
                       GLsizeiptr(bytes));
  gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  check("a copy");
  written(to);
}

void *GlDevice::allocate_host(std::size_t bytes) {
  Allocation a{0, (bytes + alignment) / alignment * alignment};
  const auto size = GLsizeiptr(a.bytes);
  gl.GenBuffers(1, &a.buffer);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, a.buffer);
  void *p = nullptr;
  if (gl.BufferStorage) {
    constexpr GLbitfield access =
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    gl.BufferStorage(GL_COPY_WRITE_BUFFER, size, nullptr, access | GL_CLIENT_STORAGE_BIT);
    p = gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access);
    if (reinterpret_cast<std::uintptr_t>(p) % 64 != 0) { // the least that OpenGL promises
      gl.UnmapBuffer(GL_COPY_WRITE_BUFFER);
      p = nullptr;
    }
    a.mapped = p != nullptr;
  } else {
    gl.BufferData(GL_COPY_WRITE_BUFFER, size, nullptr, GL_DYNAMIC_COPY);
    p = std::aligned_alloc(alignment, a.bytes);
  }
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  if (gl.GetError() != GL_NO_ERROR || !p) {
    if (!a.mapped) std::free(p);
    gl.DeleteBuffers(1, &a.buffer);
    fail(Error::Kind::no_memory, "no ", bytes, " bytes of memory are left");
  }
  host_allocations_[reinterpret_cast<std::uintptr_t>(p)] = a;
  return p;
}
void GlDevice::release_host(void *p) noexcept {
  const auto found = host_allocations_.find(reinterpret_cast<std::uintptr_t>(p));
  if (found == host_allocations_.end()) return;
  readbacks_.forget(p, found->second.bytes);
  gl.DeleteBuffers(1, &found->second.buffer); // which unmaps it
  if (!found->second.mapped) std::free(p);
  host_allocations_.erase(found);
}

const GlProgram &GlDevice::compute_program(std::initializer_list<GlSource> files,
                                           const std::string &definitions) const {
  std::string key = definitions;
  for (const GlSource &f : files) key.append("\n").append(f.path);
  auto &program = programs_[key];
  if (!program) program = std::make_unique<GlProgram>(GlProgram::compute(*this, files, definitions));
  return *program;
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
  if (sees(from) && (rows == 1 || to_stride == from_stride))
    return copy(to, from, std::size_t((rows - 1) * to_stride) + row_bytes);
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
  if (byte == 0 && bytes <= most_filled_in_order) { // a buffer that is mapped may have to be waited for
    if (!zeros_) {
      const std::vector<char> zeros(most_filled_in_order);
      gl.GenBuffers(1, &zeros_);
      gl.BindBuffer(GL_COPY_READ_BUFFER, zeros_);
      gl.BufferData(GL_COPY_READ_BUFFER, GLsizeiptr(zeros.size()), zeros.data(), GL_STATIC_COPY);
    }
    gl.BindBuffer(GL_COPY_READ_BUFFER, zeros_);
    gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, r.offset, GLsizeiptr(bytes));
    gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
  } else if (void *mapped = gl.MapBufferRange(GL_COPY_WRITE_BUFFER, r.offset, GLsizeiptr(bytes),
                                              GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT)) {
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

bool GlDevice::is_software() const {
  constexpr const char *renderers[] = {"llvmpipe", "softpipe", "swrast", "SwiftShader",
                                       "Software Rasterizer"};
  return std::ranges::any_of(renderers, [n = name()](const char *r) { return n.find(r) != n.npos; });
}

void on_device_thread(Device &device, const std::function<void()> &fn) {
  if (device.backend() == Backend::gl)
    static_cast<GlDevice &>(device).on_thread(fn);
  else
    fn();
}

} // namespace vigil
