// SPDX-License-Identifier: LGPL-2.1-or-later
// The Stats and Cameras of the API as Prometheus's text format.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace vigil::monitor {

std::string prometheus_text(const nlohmann::json &stats, const nlohmann::json &cameras,
                            std::uint64_t wrong_tokens);

} // namespace vigil::monitor
