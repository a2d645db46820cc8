// SPDX-License-Identifier: LGPL-2.1-or-later
// A module of the detector's interface in a version that vigil-monitor does not know. It must never be asked
// for an engine.
#include <cstdlib>

extern "C" {
[[gnu::visibility("default")]] int vigil_network_engine_version() {
  return 1000;
}
[[gnu::visibility("default")]] void *vigil_make_network_engine() {
  std::abort();
}
}
