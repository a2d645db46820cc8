// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys on the curve P-256 (secp256r1), as web push needs them: agreed secrets (ECDH) and signatures (ECDSA).
#pragma once

#include "common/base64url.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vigil::monitor {

class P256Key {
 public:
  static constexpr std::size_t secret_size = 32, point_size = 65;
  static P256Key make();
  // Throws Error::bad_data when these bytes are no secret key.
  explicit P256Key(std::span<const std::uint8_t> secret);

  std::string secret() const { return {secret_.begin(), secret_.end()}; }
  const std::string &point() const { return point_; } // of the public key: 4, x, y
  // What both sides can compute: from this key and the other's point. Throws Error::bad_data when that is no
  // point of the curve.
  std::string agree(std::string_view other_point) const;
  std::string sign(std::string_view message) const; // by SHA-256; r and s, 64 bytes

 private:
  std::array<std::uint8_t, secret_size> secret_{};
  std::string point_;
};

void fill_random(std::span<std::uint8_t>); // fit for keys

using vigil::base64url, vigil::from_base64url;

} // namespace vigil::monitor
