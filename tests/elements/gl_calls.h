// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands between all users of OpenGL in this process (GStreamer's elements and ours) and the driver: counts
// the pixels that are copied between host and textures, and plays a GPU reset, and drivers that refuse
// shaders, have low limits or compute wrong results.
#pragma once

#include <atomic>
#include <cstdint>

namespace vigil::test::gl_calls {

// To be called before the first context is made; contexts made after it are watched.
void watch();

inline std::atomic<std::uint64_t> pixels_read = 0;    // of textures, to the host
inline std::atomic<std::uint64_t> pixels_written = 0; // from the host
inline std::atomic<bool> reset = false;               // glGetGraphicsResetStatus reports one
inline std::atomic<bool> refuse_shaders = false;      // those with texelFetch do not compile
// Where a shader has this word, it gets the other one in its place; null: none does.
inline std::atomic<const char *> word = nullptr, other_word = "";
inline std::atomic<unsigned> lowered = 0; // glGetIntegerv gives 1 for this name

} // namespace vigil::test::gl_calls
