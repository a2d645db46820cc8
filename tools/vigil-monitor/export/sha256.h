// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vigil::monitor {

// SHA-256 of bytes that come one after the other.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256 &) = delete;
  Sha256 &operator=(const Sha256 &) = delete;
  void add(std::string_view);
  std::string hex(); // of all that was added; begins anew

 private:
  void *hash_; // gnutls_hash_hd_t
};

// Of a whole file. Throws Error::io.
std::string sha256_of_file(const std::string &path);
// HMAC by SHA-256.
std::string signature(std::string_view key, std::string_view words);
// In a time that does not depend on where they differ.
bool same_signature(std::string_view, std::string_view);

} // namespace vigil::monitor
