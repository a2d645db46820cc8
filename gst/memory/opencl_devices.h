// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCL devices that the elements of a process share.
#pragma once

#include "common/opencl/device.h"

#include <memory>
#include <string>

namespace vigil::gst {

// The device that `selector` means (see open_cl), shared by all who ask for it while any of them keeps it.
std::shared_ptr<ClDevice> share_cl_device(const std::string &selector);

} // namespace vigil::gst
