// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of a program that has played pipelines. exit() runs the destructors of libraries while threads of
// GStreamer and of drivers may still end. NVIDIA's libnvidia-eglcore (580.159.04) crashes then: a thread that
// ends locks a mutex that the destructor has freed (docs/measurements/log/2026-11/findings.md, G15).
#pragma once

#include <cstdio>
#include <cstdlib>

namespace vigil::tools {

// Ends the process without destructors. The caller has closed its files; what was printed is written here.
[[noreturn]] inline void leave(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

} // namespace vigil::tools
