// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/device.h"

namespace vigil {

const char *name_of(Backend b) {
  return b == Backend::cpu ? "cpu" : b == Backend::cuda ? "cuda" : "gl";
}

} // namespace vigil
