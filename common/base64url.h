// SPDX-License-Identifier: LGPL-2.1-or-later
// Bytes as text: base 64 of RFC 4648, 5, without padding.
#pragma once

#include <string>
#include <string_view>

namespace vigil {

std::string base64url(std::string_view);
// Throws Error::bad_data.
std::string from_base64url(std::string_view);

} // namespace vigil
