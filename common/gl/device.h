// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenGL or OpenGL ES as a device. Everything here must be called on the thread where the device's context is
// current.
#pragma once

#include "common/device.h"
#include "common/gl/functions.h"
#include "common/gl/readbacks.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>

namespace vigil {

class GlProgram;
struct GlSource;

// Part of a buffer object: what an address in the device's memory stands for.
struct GlRange {
  GLuint buffer = 0;
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0; // of the whole buffer object, a multiple of 4
};

// What compute shaders need of a context. Tests lower it.
struct GlLimits {
  bool compute = false;           // OpenGL 4.3 or OpenGL ES 3.1
  int storage_buffers = 0;        // that one compute shader may use
  int invocations = 0;            // of a work group
  int shared_bytes = 0;           // of a work group
  std::int64_t storage_bytes = 0; // of a buffer that a shader sees
  int storage_alignment = 256;    // of the offset where a shader begins to see a buffer
};

class GlDevice : public Device {
 public:
  // For the context that is current on this thread, which must outlive the device. Throws Error::no_device
  // when it is older than OpenGL 3.3 and OpenGL ES 3.0.
  explicit GlDevice(const GlLoader &);
  ~GlDevice() override;

  Backend backend() const override { return Backend::gl; }
  std::string name() const override; // "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5"
  bool is_software() const;          // whether the driver draws and computes on the processor, by name()

  // Device memory is buffer objects. Their addresses are numbers that no host memory has: arithmetic works,
  // reading through them does not.
  void *allocate(std::size_t bytes) override;
  void release(void *) noexcept override;
  // Host memory that shaders may write. Where the driver has GL_BUFFER_STORAGE (OpenGL 4.4,
  // EXT_buffer_storage), it is a buffer object that stays mapped; else it has a buffer object of its own,
  // which is copied to it after each launch that writes there.
  void *allocate_host(std::size_t bytes) override;
  void release_host(void *) noexcept override;
  void upload(void *, const void *, std::size_t, Queue &) override;
  void download(void *, const void *, std::size_t, Queue &) override;
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void fill(void *, int, std::size_t, Queue &) override;
  std::unique_ptr<Queue> make_queue() override; // the context itself: all queues are one
  std::unique_ptr<Timer> make_timer() override; // throws Error::device where OpenGL ES has no timer queries
  std::unique_ptr<Event> make_event() override;
  // Runs fn where the context is current: see common/on_device_thread.h.
  virtual void on_thread(const std::function<void()> &fn) { fn(); }
  // Of an address in the device's memory, or in its host memory.
  GlRange range_of(const void *address) const;
  // Within the device's memory and its host memory, in order with the queue.
  void copy(void *to, const void *from, std::size_t bytes);
  // Whether this host memory is a buffer object itself, which the device reads and writes.
  bool sees(const void *host) const;
  // A shader has written the buffer object of this address. Where host memory is not the buffer object
  // itself, its bytes from the address on are copied there.
  void written(const void *address) const;
  GlReadbacks &readbacks() const { return readbacks_; }
  // A compute shader of these files, compiled on first use and kept as long as the device.
  const GlProgram &compute_program(std::initializer_list<GlSource>,
                                   const std::string &definitions = {}) const;

  GLuint parameters() const { return parameters_; } // the uniform buffer of launches

  GlFunctions gl;
  GlLimits limits;
  mutable int guards = 0; // GlComputeGuards that are there
  bool es() const { return es_; }
  int version() const { return version_; } // 45 for 4.5
  bool has_compute() const { return limits.compute; }
  bool has_timer() const { return gl.QueryCounter && gl.GetQueryObjectui64v && gl.GetQueryObjectuiv; }
  int largest_texture() const { return largest_texture_; }
  // Draws three vertices that cover the viewport; shaders make their positions from gl_VertexID.
  void draw_everywhere() const;
  // Takes no notice of errors that others left in this context.
  void forget_errors() const;
  // Throws Error::device (no_memory for that cause), naming `what`, when OpenGL has recorded an error or the
  // context is lost.
  void check(const char *what) const;
  // check() found that the GPU was reset, as OpenGL 4.5 and OpenGL ES 3.2 tell contexts that were made to be
  // reported. Nothing in the context can be used any more.
  bool lost() const { return lost_; }

 private:
  bool es_ = false;
  mutable bool lost_ = false;
  int version_ = 0;
  int largest_texture_ = 0;
  GLuint vertex_array_ = 0, parameters_ = 0;
  std::uintptr_t next_address_ = 0;
  struct Allocation {
    GLuint buffer;
    std::size_t bytes;
    bool mapped = false; // of host memory: the buffer object itself
  };
  using Allocations = std::map<std::uintptr_t, Allocation>; // by their first addresses
  static Allocations::const_iterator find(const Allocations &, const void *address);
  Allocations allocations_, host_allocations_;
  GLuint zeros_ = 0; // a buffer of zeros, from the first fill on
  mutable GlReadbacks readbacks_;
  mutable std::map<std::string, std::unique_ptr<GlProgram>> programs_;
};

// What open_gl() gives, of a wanted kind: OpenGL >= 3.3 (core), or OpenGL ES >= 3.0.
std::unique_ptr<GlDevice> open_egl(bool es);

// EGL's names of the context that is current on this thread: EGLContext, EGLDisplay. Null where it is not one
// of EGL's.
struct EglNames {
  void *context = nullptr, *display = nullptr;
};
EglNames current_egl();

} // namespace vigil
