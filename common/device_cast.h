// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/device.h"
#include "common/error.h"

namespace vigil {

// The device as the backend's own class. Throws Error::bad_setting when it is of another backend.
template <class T>
T &device_cast(Device &device) {
  if (auto *d = dynamic_cast<T *>(&device)) return *d;
  fail(Error::Kind::bad_setting, "this work cannot be done on a device of the backend ",
       name_of(device.backend()));
}

} // namespace vigil
