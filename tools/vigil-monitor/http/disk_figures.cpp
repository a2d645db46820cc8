// SPDX-License-Identifier: LGPL-2.1-or-later
#include "disk_figures.h"

#include "../monitor.h"

namespace vigil::monitor {

DiskFigures::DiskFigures(Monitor &monitor) : monitor_(monitor), latest_([this] { return ask(); }) {}

void DiskFigures::set_limits(const StorageConfig &limits) {
  const std::lock_guard guard(lock_);
  limits_ = limits;
}

nlohmann::json DiskFigures::ask() {
  StorageConfig limits;
  {
    const std::lock_guard guard(lock_);
    limits = limits_;
  }
  const EventReader &store = monitor_.storage().reader();
  return {{"storage", monitor_.retention().stats(limits)},
          {"mqtt_outbox", store.waiting("mqtt")},
          {"webhook", store.waiting("webhook")}};
}

} // namespace vigil::monitor
