// SPDX-License-Identifier: LGPL-2.1-or-later
// Words of the configuration: sizes, names, variables of the environment, addresses with passwords in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::monitor {

// "200GB" -> bytes; B, kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024. Throws
// Error::bad_setting.
std::uint64_t parse_size(std::string_view);
// 1234567 -> "1.23 MB"
std::string size_text(std::uint64_t bytes);

// 1 to 32 of A-Z a-z 0-9 _ -, so that a name can stand in paths, addresses and topics as it is.
bool is_name(std::string_view);

// Replaces each ${NAME} by that variable of the environment. Throws Error::bad_setting, naming a variable
// that is not set.
std::string expand_environment(std::string_view);

// "rtsp://user:secret@host/" -> "rtsp://user:***@host/", wherever addresses stand in the text, with a
// password in the query (password=, passwd=, pwd=, token=, user-pw=) as well.
std::string mask_credentials(std::string_view);

} // namespace vigil::monitor
