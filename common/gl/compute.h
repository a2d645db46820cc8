// SPDX-License-Identifier: LGPL-2.1-or-later
// Launches of compute shaders on the device's memory. All calls are made on the thread where the device's
// context is current.
#pragma once

#include "common/gl/program.h"
#include "common/plane.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace vigil {

// What a launch changes in a context that is shared with others, put back when the guard goes: the program,
// the first uniform buffer and the storage buffers. Only the outermost of several guards does something.
class GlComputeGuard {
 public:
  static constexpr int storage_buffers = 8; // the most that a shader of ours uses
  explicit GlComputeGuard(const GlDevice &);
  ~GlComputeGuard();
  GlComputeGuard(const GlComputeGuard &) = delete;
  GlComputeGuard &operator=(const GlComputeGuard &) = delete;

 private:
  struct Binding {
    GLint buffer = 0;
    GLint64 start = 0, size = 0;
  };
  Binding binding(GLenum target, GLenum start, GLenum size, int index) const;
  void restore(GLenum target, int index, const Binding &) const;
  const GlDevice &device_;
  bool outermost_;
  GLint program_ = 0, uniform_buffer_ = 0, storage_buffer_ = 0;
  Binding parameters_;
  std::array<Binding, storage_buffers> storage_;
};

// Throws Error::no_device, saying what is missing, when the device cannot run a shader with that many storage
// buffers, or groups of 128 invocations.
void need_compute(const GlDevice &, int storage_buffers);

// A picture as shaders see it: see shaders/bytes.glsl. The planes are in storage buffers of their own.
struct GlPicture {
  std::int32_t format = 0, width = 0, height = 0;
  std::uint32_t offset[3] = {};
  std::int32_t stride[3] = {};
};

// One launch: bind what the shader reads and writes, then run it.
class GlLaunch {
 public:
  GlLaunch(const GlDevice &, const GlProgram &);
  // The storage buffer `slot` is the memory around this address, from which a shader's byte offsets count
  // once this one is added. Throws Error::bad_setting when a shader cannot see as far as `bytes` after it.
  std::uint32_t read(int slot, const void *address, std::size_t bytes = 1);
  std::uint32_t write(int slot, void *address, std::size_t bytes = 1);
  std::uint32_t read(int slot, const DeviceBuffer &b) { return read(slot, b.as(), b.bytes()); }
  std::uint32_t write(int slot, const DeviceBuffer &b) { return write(slot, b.as(), b.bytes()); }
  std::uint32_t read(int slot, const Plane<const std::uint8_t> &);
  std::uint32_t write(int slot, const Plane<std::uint8_t> &);
  // Planes in the slots from `slot` on, as many as the format has.
  GlPicture read(int slot, const ConstImage &);
  GlPicture write(int slot, const Image &);

  // `parameters`: the uniform block of binding 0, with members of four bytes alone. Work that is submitted
  // later sees what the shader wrote.
  template <class Parameters>
  void run(const Parameters &parameters, int groups_x, int groups_y = 1, int groups_z = 1) {
    static_assert(std::is_trivially_copyable_v<Parameters> && sizeof(Parameters) % 4 == 0);
    dispatch(&parameters, sizeof parameters, groups_x, groups_y, groups_z);
  }

 private:
  void dispatch(const void *parameters, std::size_t bytes, int x, int y, int z);
  const GlDevice &device_;
  GlComputeGuard guard_;
  std::array<const void *, GlComputeGuard::storage_buffers> written_{};
};

// Groups of `size` for `length`.
constexpr int gl_groups(int length, int size) {
  return (length + size - 1) / size;
}

} // namespace vigil
