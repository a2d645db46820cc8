// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of device.cpp and egl.cpp in builds without OpenGL.
#include "common/device.h"

#include "common/error.h"
#include "common/on_device_thread.h"

namespace vigil {

std::unique_ptr<Device> open_gl() {
  fail(Error::Kind::no_device, "this build has no OpenGL; build with -Dgl=enabled");
}
std::unique_ptr<Device> open_gl_es() {
  return open_gl();
}
void on_device_thread(Device &, const std::function<void()> &fn) {
  fn();
}

} // namespace vigil
