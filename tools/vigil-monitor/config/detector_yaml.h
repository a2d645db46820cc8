// SPDX-License-Identifier: LGPL-2.1-or-later
// The section `detector` of the configuration, as YAML.
#pragma once

#include "../detector/detector_config.h"
#include "yaml.h"

namespace vigil::monitor {

// Refuses what is wrong, and all of it in a build without networks. Whether the model can be used is known
// when it is loaded.
DetectorConfig read_detector(const YamlValue &);

} // namespace vigil::monitor
