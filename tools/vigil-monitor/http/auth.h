// SPDX-License-Identifier: LGPL-2.1-or-later
// What a request says of where it comes from. Pure functions.
#pragma once

#include "server.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

// A proxy on this machine must not make everybody local: whether a header, even an empty one, says that
// somebody else asked.
bool is_forwarded(const Request &);

// The token of "Authorization: Bearer TOKEN"; it may be empty.
std::optional<std::string> bearer(const Request &);

// Empty when the request comes from this server's own page or from no page; else what is wrong. `hosts` are
// names that are allowed in addition to addresses and localhost.
std::string wrong_site(const Request &, const std::vector<std::string> &hosts);

std::optional<std::string> cookie(const Request &, std::string_view name);

// "bytes=0-99" of a file of `size` bytes to first and length; false: not satisfiable. Without or with another
// kind of Range: the whole.
struct ByteRange {
  std::uint64_t from = 0, length = 0;
  bool partial = false;
};
std::optional<ByteRange> parse_range(const std::string &header, std::uint64_t size);

} // namespace vigil::monitor
