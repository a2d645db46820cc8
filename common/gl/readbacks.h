// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies from buffer objects to host memory that run behind the device's work: the thread of the context
// submits them and goes on. All calls are made on the thread where the context is current.
#pragma once

#include "common/gl/functions.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace vigil {

class GlReadbacks {
 public:
  explicit GlReadbacks(const GlFunctions &gl) : gl_(gl) {}
  GlReadbacks(const GlReadbacks &) = delete;
  GlReadbacks &operator=(const GlReadbacks &) = delete;

  struct Rows {
    std::ptrdiff_t stride; // bytes from one row to the next
    std::size_t bytes;     // of a row
    int count;
  };
  // Rows of a buffer from `offset` on. The host memory is written by complete(), not before.
  void submit(GLuint buffer, std::ptrdiff_t offset, const Rows &from, void *to, std::ptrdiff_t to_stride);
  std::uint64_t submitted() const { return submitted_; } // so far
  // Moves the first `count` of all that were submitted to the host, and forgets them. Waits for the device
  // where it is not there yet.
  void complete(std::uint64_t count);
  // Leaves out what was to be written to this memory.
  void forget(const void *memory, std::size_t bytes);
  // The staging buffers; the context is about to go.
  void release();

 private:
  struct Staging {
    GLuint buffer = 0;
    std::size_t bytes = 0;
  };
  struct Pending {
    Staging staging;
    Rows rows;
    char *to;
    std::ptrdiff_t to_stride;
  };
  Staging take(std::size_t bytes);
  const GlFunctions &gl_;
  std::deque<Pending> pending_;
  std::vector<Staging> free_;
  std::uint64_t submitted_ = 0;
};

} // namespace vigil
