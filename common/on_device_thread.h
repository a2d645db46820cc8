// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenGL takes work on one thread alone, that of its context.
#pragma once

#include "common/device.h"

#include <functional>

namespace vigil {

// Runs fn on the thread where kernels may submit work to this device, and returns when fn has; what fn throws
// is thrown here. All devices but those of OpenGL contexts with a thread of their own take work from any
// thread: fn then runs at once. The functions of such a device, its queues, events and timers go to that
// thread by themselves. Do not wait for the device within fn: neighbours wait for the same thread.
void on_device_thread(Device &, const std::function<void()> &fn);

} // namespace vigil
