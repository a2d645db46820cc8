// SPDX-License-Identifier: LGPL-2.1-or-later
// Programs of our own that try out in a process apart what could end or block the process that asks: a
// compiler that aborts, a kernel that never ends. fork() alone would not do, since the driver's threads and
// locks do not survive it.
#pragma once

#include "common/opencl/device.h"
#include "common/own_file.h"

#include <optional>
#include <span>
#include <string>
#include <unistd.h>

namespace vigil {

// Compiles a program of OpenCL, and launches a kernel.
inline constexpr OwnFile cl_build_helper{"vigil-cl-build", "common", "VIGIL_CL_BUILD", X_OK};

// The number by which a program started now finds this device among cl_candidates().
std::optional<std::size_t> number_of(const ClDevice &);

struct HelperResult {
  bool ran = false;       // false: it could not be started, or nobody can tell how it ended
  int signal = 0;         // what ended it; 0: it ended by itself
  int status = 0;         // its exit status
  bool timed_out = false; // it was ended after `seconds`
  std::string words;      // the end of what it wrote to either output, 2000 characters at most
};
// Waits for it; `input` is its standard input.
HelperResult run_helper(const std::string &path, std::span<const std::string> arguments,
                        const std::string &input, double seconds);

} // namespace vigil
