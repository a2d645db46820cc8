// SPDX-License-Identifier: LGPL-2.1-or-later
// A first build in another process. Some compilers of OpenCL drivers do not report what they cannot do, but
// end the process (LLVM's "report_fatal_error"): PoCL 6 with LLVM 19 did it for a kernel of ours. Before a
// source is compiled for the first time for a device and driver, a helper program (vigil-cl-build) compiles
// it: if that is ended, the element has an error, and the program that it runs in goes on.
#pragma once

#include "common/opencl/device.h"

#include <string>

namespace vigil {

// Throws Error::device, with the compiler's last words, when it ended the helper. True when the helper ran,
// whose program may be in the cache of programs then: also when the helper
// reports an error, which the build in this process will report better. False when there is no helper, as in
// programs that are linked statically. Once for each source, device and driver, as the cache of programs
// remembers; the options of a first build stand for those of later ones.
bool try_build_elsewhere(const ClDevice &, const std::string &name, const std::string &source,
                         const std::string &options);

} // namespace vigil
