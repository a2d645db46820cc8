// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/readbacks.h"

#include <algorithm>
#include <cstring>

namespace vigil {

GlReadbacks::Staging GlReadbacks::take(std::size_t bytes) {
  const auto fits = [&](const Staging &s) { return s.bytes >= bytes && s.bytes <= 2 * bytes + 4096; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  Staging s;
  if (found != free_.end()) {
    s = *found;
    free_.erase(found);
    gl_.BindBuffer(GL_COPY_WRITE_BUFFER, s.buffer);
    return s;
  }
  s.bytes = bytes;
  gl_.GenBuffers(1, &s.buffer);
  gl_.BindBuffer(GL_COPY_WRITE_BUFFER, s.buffer);
  gl_.BufferData(GL_COPY_WRITE_BUFFER, GLsizeiptr(bytes), nullptr, GL_STREAM_READ);
  return s;
}

void GlReadbacks::submit(GLuint buffer, std::ptrdiff_t offset, const Rows &from, void *to,
                         std::ptrdiff_t to_stride) {
  if (from.bytes == 0 || from.count <= 0) return;
  const auto span = std::size_t((from.count - 1) * from.stride) + from.bytes;
  const Staging staging = take(span);
  gl_.BindBuffer(GL_COPY_READ_BUFFER, buffer);
  gl_.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, offset, 0, GLsizeiptr(span));
  gl_.BindBuffer(GL_COPY_READ_BUFFER, 0);
  gl_.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  pending_.push_back({staging, from, static_cast<char *>(to), to_stride});
  submitted_++;
}

void GlReadbacks::complete(std::uint64_t count) {
  while (submitted_ - pending_.size() < count && !pending_.empty()) {
    const Pending p = pending_.front();
    pending_.pop_front();
    free_.push_back(p.staging);
    if (!p.to) continue;
    const auto span = GLsizeiptr(std::size_t((p.rows.count - 1) * p.rows.stride) + p.rows.bytes);
    gl_.BindBuffer(GL_COPY_READ_BUFFER, p.staging.buffer);
    if (const auto *mapped =
            static_cast<const char *>(gl_.MapBufferRange(GL_COPY_READ_BUFFER, 0, span, GL_MAP_READ_BIT))) {
      for (int y = 0; y < p.rows.count; y++)
        std::memcpy(p.to + y * p.to_stride, mapped + y * p.rows.stride, p.rows.bytes);
      gl_.UnmapBuffer(GL_COPY_READ_BUFFER);
    }
    gl_.BindBuffer(GL_COPY_READ_BUFFER, 0);
  }
}

void GlReadbacks::forget(const void *memory, std::size_t bytes) {
  const auto *const begin = static_cast<const char *>(memory);
  for (Pending &p : pending_)
    if (p.to >= begin && p.to < begin + bytes) p.to = nullptr;
}

void GlReadbacks::release() {
  for (const Pending &p : pending_) free_.push_back(p.staging);
  pending_.clear();
  for (const Staging &s : free_) gl_.DeleteBuffers(1, &s.buffer);
  free_.clear();
}

} // namespace vigil
