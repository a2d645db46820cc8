// SPDX-License-Identifier: LGPL-2.1-or-later
// Addresses that people type and devices name.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace vigil::monitor {

// The parts of an address, without user and password.
struct ServiceAddress {
  std::string scheme, host; // in small letters; an IPv6 address without brackets
  std::string url;          // whole
};
// Throws Error::bad_setting when it is none, or has characters that none has.
ServiceAddress parse_address(const std::string &);

// What an operator typed: HOST, HOST:PORT or the whole address of a device's service. Throws as above, and
// for other schemes than http and https.
ServiceAddress device_address(const std::string &);

// The address with these, percent-encoded. An empty user leaves it as it is.
std::string with_credentials(const std::string &url, const std::string &user, const std::string &password);

// User and password in an address, decoded; empty where there is none. Throws as parse_address().
std::pair<std::string, std::string> credentials_in(const std::string &url);

} // namespace vigil::monitor
