// SPDX-License-Identifier: LGPL-2.1-or-later
// One item of `notify` in the configuration.
#pragma once

#include "notify.h"
#include "yaml.h"

#include <functional>

namespace vigil::monitor {

// Throws Error::bad_setting. `is_camera`: whether there is a camera of this name.
NotifyConfig read_notify(const YamlValue &, const std::function<bool(const std::string &)> &is_camera);

void read_push(const YamlValue &, PushConfig &);

} // namespace vigil::monitor
