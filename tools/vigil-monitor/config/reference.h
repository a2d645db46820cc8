// SPDX-License-Identifier: LGPL-2.1-or-later
// The meaning of each key of the configuration. docs/reference/monitor-yaml.md and vigil-monitor.yaml(5) are
// made of it by tools/config_reference.py.
#pragma once

#include <nlohmann/json.hpp>

namespace vigil::monitor {

// An array of {path, values, default, meaning}, in the order of the page. `values` comes from the reader of
// the configuration where it takes a number or a flag. `meaning` is Markdown; its links are relative to
// docs/reference. Throws std::logic_error when a key that the reader takes is missing here, or one here is
// not taken.
nlohmann::json configuration_reference();

} // namespace vigil::monitor
