// SPDX-License-Identifier: LGPL-2.1-or-later
// Percent codes of addresses (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace vigil::monitor {

// A '%' that no two hexadecimal digits follow stays.
std::string percent_decoded(std::string_view);
// All but letters, digits and - _ . ~ becomes codes.
std::string percent_encoded(std::string_view);

} // namespace vigil::monitor
