// SPDX-License-Identifier: LGPL-2.1-or-later
// A message of web push for one browser: encrypted by RFC 8291, so that the push service cannot read it, and
// signed by RFC 8292, so that it knows that the message is from the server that the browser has named.
#pragma once

#include "p256.h"

#include <string>
#include <string_view>

namespace vigil::monitor {

struct PushTarget {           // as the browser gave it
  std::string endpoint;       // https://...
  std::string p256dh, secret; // the browser's public key, 65 bytes, and its `auth`, 16 bytes
};

// Throws Error::bad_data when that is no https address, with a host that is a name or an address.
std::string push_origin(const std::string &endpoint); // https://host:port, without the usual port

constexpr std::size_t longest_push = 3900; // bytes of a message; services take 4096 with all that is added

// The body of the request, by aes128gcm (RFC 8188). Throws Error::bad_data on keys that are none, and on a
// message that is too long.
std::string encrypt_push(const PushTarget &, std::string_view message);
// The same with given random parts, for a test with known results.
std::string encrypt_push(const PushTarget &, std::string_view message, const P256Key &once,
                         std::string_view salt);

// The header Authorization. `contact`: mailto: or https:.
std::string push_authorization(const P256Key &, const std::string &origin, const std::string &contact,
                               double now);

} // namespace vigil::monitor
