// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/compute.h"

#include "common/error.h"

#include <algorithm>

namespace vigil {
namespace {

constexpr int largest_group = 128; // invocations of the largest work group of ours
constexpr int most_shared = 16384; // bytes, the least that OpenGL ES 3.1 promises

// The bytes that rows span.
std::size_t span_of(int rows, std::ptrdiff_t stride, std::ptrdiff_t row) {
  return std::size_t((rows - 1) * stride + row);
}

} // namespace

GlComputeGuard::Binding GlComputeGuard::binding(GLenum target, GLenum start, GLenum size, int index) const {
  Binding b;
  device_.gl.GetIntegeri_v(target, GLuint(index), &b.buffer);
  if (!b.buffer) return b;
  device_.gl.GetInteger64i_v(start, GLuint(index), &b.start);
  device_.gl.GetInteger64i_v(size, GLuint(index), &b.size);
  return b;
}

void GlComputeGuard::restore(GLenum target, int index, const Binding &b) const {
  const auto i = GLuint(index);
  const GLuint buffer = b.buffer && device_.gl.IsBuffer(GLuint(b.buffer)) ? GLuint(b.buffer) : 0;
  if (buffer && b.size > 0) // 0: it was bound whole
    device_.gl.BindBufferRange(target, i, buffer, GLintptr(b.start), GLsizeiptr(b.size));
  else
    device_.gl.BindBufferBase(target, i, buffer);
}

GlComputeGuard::GlComputeGuard(const GlDevice &d) : device_(d), outermost_(d.guards++ == 0) {
  if (!outermost_) return;
  d.forget_errors(); // of others: ours are checked for after each launch
  d.gl.GetIntegerv(GL_CURRENT_PROGRAM, &program_);
  d.gl.GetIntegerv(GL_UNIFORM_BUFFER_BINDING, &uniform_buffer_);
  d.gl.GetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &storage_buffer_);
  parameters_ = binding(GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE, 0);
  for (int i = 0; i < std::min(storage_buffers, d.limits.storage_buffers); i++)
    storage_[i] = binding(GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
                          GL_SHADER_STORAGE_BUFFER_SIZE, i);
}

GlComputeGuard::~GlComputeGuard() {
  device_.guards--;
  if (!outermost_) return;
  const GlFunctions &gl = device_.gl;
  const auto existing = [&](GLint buffer) { return gl.IsBuffer(GLuint(buffer)) ? GLuint(buffer) : 0; };
  for (int i = 0; i < std::min(storage_buffers, device_.limits.storage_buffers); i++)
    restore(GL_SHADER_STORAGE_BUFFER, i, storage_[i]);
  restore(GL_UNIFORM_BUFFER, 0, parameters_);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, existing(storage_buffer_));
  gl.BindBuffer(GL_UNIFORM_BUFFER, existing(uniform_buffer_));
  gl.UseProgram(program_ && gl.IsProgram(GLuint(program_)) ? GLuint(program_) : 0);
}

void need_compute(const GlDevice &d, int storage_buffers) {
  using enum Error::Kind;
  if (!d.has_compute())
    fail(no_device, "compute shaders need OpenGL 4.3 or OpenGL ES 3.1, but this is ", d.name(),
         "; use the CPU");
  if (d.limits.storage_buffers < storage_buffers)
    fail(no_device, "compute shaders see ", d.limits.storage_buffers, " storage buffers on ", d.name(),
         ", but ", storage_buffers, " are needed; use the CPU");
  if (d.limits.invocations < largest_group)
    fail(no_device, "work groups have up to ", d.limits.invocations, " invocations on ", d.name(), ", but ",
         largest_group, " are needed; use the CPU");
  if (d.limits.shared_bytes < most_shared)
    fail(no_device, "work groups share up to ", d.limits.shared_bytes, " bytes on ", d.name(), ", but ",
         most_shared, " are needed; use the CPU");
}

GlLaunch::GlLaunch(const GlDevice &d, const GlProgram &program) : device_(d), guard_(d) {
  program.use();
}

std::uint32_t GlLaunch::read(int slot, const void *address, std::size_t bytes) {
  const GlRange r = device_.range_of(address);
  const auto most = std::size_t(device_.limits.storage_bytes);
  std::ptrdiff_t start = 0;
  if (r.bytes > most) start = r.offset / device_.limits.storage_alignment * device_.limits.storage_alignment;
  const std::size_t seen = std::min(r.bytes - std::size_t(start), most / 4 * 4),
                    first = std::size_t(r.offset - start);
  if (first + bytes > seen)
    fail(Error::Kind::bad_setting, "shaders see ", seen, " bytes of a buffer on ", device_.name(), ", but ",
         first + bytes, " are needed; use the CPU, or smaller pictures");
  device_.gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, GLuint(slot), r.buffer, start, GLsizeiptr(seen));
  return std::uint32_t(first);
}

std::uint32_t GlLaunch::write(int slot, void *address, std::size_t bytes) {
  written_[std::size_t(slot)] = address;
  return read(slot, address, bytes);
}

std::uint32_t GlLaunch::read(int slot, const Plane<const std::uint8_t> &p) {
  return read(slot, p.data, span_of(p.height, p.stride, p.width));
}

std::uint32_t GlLaunch::write(int slot, const Plane<std::uint8_t> &p) {
  return write(slot, p.data, span_of(p.height, p.stride, p.width));
}

GlPicture GlLaunch::read(int slot, const ConstImage &p) {
  GlPicture seen{std::int32_t(p.format), p.width, p.height, {}, {}};
  for (int i = 0; i < plane_count(p.format); i++) {
    seen.offset[i] = read(slot + i, p.data[i],
                          span_of(plane_rows(i, p.height), p.stride[i], row_bytes(p.format, i, p.width)));
    seen.stride[i] = std::int32_t(p.stride[i]);
  }
  return seen;
}

GlPicture GlLaunch::write(int slot, const Image &p) {
  const GlPicture seen = read(slot, ConstImage(p));
  for (int i = 0; i < plane_count(p.format); i++) written_[std::size_t(slot + i)] = p.data[i];
  return seen;
}

void GlLaunch::dispatch(const void *parameters, std::size_t bytes, int x, int y, int z) {
  const GlFunctions &gl = device_.gl;
  gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, device_.parameters());
  gl.BufferData(GL_UNIFORM_BUFFER, GLsizeiptr(bytes), parameters, GL_STREAM_DRAW);
  gl.DispatchCompute(GLuint(x), GLuint(y), GLuint(z));
  gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  device_.check("a compute shader");
  for (const void *address : written_)
    if (address) device_.written(address);
}

} // namespace vigil
