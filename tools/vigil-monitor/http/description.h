// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace vigil::monitor {
extern const std::string api_description; // docs/api/openapi.json, compiled in
}
