// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sha256.h"

#include "common/error.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <unistd.h>
#include <vector>

namespace vigil::monitor {
namespace {

using Digest = std::array<std::uint8_t, 32>;

std::string hex_of(const Digest &digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

} // namespace

Sha256::Sha256() : hash_(nullptr) {
  gnutls_hash_hd_t hash = nullptr;
  if (const int error = gnutls_hash_init(&hash, GNUTLS_DIG_SHA256); error < 0)
    fail(Error::Kind::device, "SHA-256 is not available: ", gnutls_strerror(error));
  hash_ = hash;
}

Sha256::~Sha256() {
  gnutls_hash_deinit(static_cast<gnutls_hash_hd_t>(hash_), nullptr);
}

void Sha256::add(std::string_view bytes) {
  gnutls_hash(static_cast<gnutls_hash_hd_t>(hash_), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  Digest digest{};
  gnutls_hash_output(static_cast<gnutls_hash_hd_t>(hash_), digest.data());
  return hex_of(digest);
}

std::string sha256_of_file(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(Error::Kind::io, "cannot read ", path, ": ", std::strerror(errno));
  Sha256 sum;
  std::vector<char> block(1 << 20);
  ssize_t got = 0;
  while ((got = read(file, block.data(), block.size())) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) sum.add({block.data(), static_cast<std::size_t>(got)});
  const int why = errno;
  close(file);
  if (got < 0) fail(Error::Kind::io, "cannot read ", path, ": ", std::strerror(why));
  return sum.hex();
}

std::string signature(std::string_view key, std::string_view words) {
  Digest digest{};
  if (const int error = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data(), key.size(), words.data(),
                                         words.size(), digest.data());
      error < 0)
    fail(Error::Kind::device, "SHA-256 is not available: ", gnutls_strerror(error));
  return hex_of(digest);
}

bool same_signature(std::string_view a, std::string_view b) {
  return a.size() == b.size() && gnutls_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace vigil::monitor
