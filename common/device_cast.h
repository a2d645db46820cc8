// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/device.h"
#include "common/error.h"

namespace vigil {

// The device as its backend's own class, say CudaDevice. Throws Error::bad_setting, which names the device,
// when it is of another backend. The classes are final, so the check costs one comparison: it may stand in
// the way of every frame.
template <class T>
T &device_cast(Device &device) {
  if (auto *d = dynamic_cast<T *>(&device)) return *d;
  fail(Error::Kind::bad_setting, "this work cannot be done on the device ", device.name(),
       ", which is of the backend ", name_of(device.backend()),
       "; use a device of the backend that the work was made for");
}

} // namespace vigil
