// SPDX-License-Identifier: LGPL-2.1-or-later
// By Nettle, which GnuTLS is made of: GnuTLS itself has no key agreement before its version 3.8.2.
#include "p256.h"

#include "common/error.h"

#include <algorithm>
#include <cstdlib>
#include <gmp.h>
#include <gnutls/crypto.h>
#include <nettle/bignum.h>
#include <nettle/dsa.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <nettle/sha2.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t coordinate = 32; // bytes

class Integer {
 public:
  Integer() { mpz_init(value_); }
  explicit Integer(std::span<const std::uint8_t> bytes) {
    nettle_mpz_init_set_str_256_u(value_, bytes.size(), bytes.data());
  }
  ~Integer() { mpz_clear(value_); }
  Integer(const Integer &) = delete;
  Integer &operator=(const Integer &) = delete;
  mpz_ptr get() { return value_; }
  void put(std::uint8_t *to) const { nettle_mpz_get_str_256(coordinate, to, value_); }

 private:
  mpz_t value_;
};

class Scalar {
 public:
  explicit Scalar(std::span<const std::uint8_t> secret) {
    ecc_scalar_init(&value_, nettle_get_secp_256r1());
    Integer number(secret);
    good_ = ecc_scalar_set(&value_, number.get()) == 1;
  }
  ~Scalar() { ecc_scalar_clear(&value_); }
  Scalar(const Scalar &) = delete;
  Scalar &operator=(const Scalar &) = delete;
  bool good() const { return good_; }
  const ecc_scalar *get() const { return &value_; }

 private:
  ecc_scalar value_{};
  bool good_ = false;
};

class CurvePoint {
 public:
  CurvePoint() { ecc_point_init(&value_, nettle_get_secp_256r1()); }
  ~CurvePoint() { ecc_point_clear(&value_); }
  CurvePoint(const CurvePoint &) = delete;
  CurvePoint &operator=(const CurvePoint &) = delete;
  ecc_point *get() { return &value_; }
  void put(std::uint8_t *x, std::uint8_t *y) const { // y may be null
    Integer a, b;
    ecc_point_get(&value_, a.get(), b.get());
    a.put(x);
    if (y) b.put(y);
  }

 private:
  ecc_point value_{};
};

void random_of_nettle(void *, std::size_t size, std::uint8_t *to) {
  // Called by C in the middle of a signature: a weak one would give the key away.
  if (gnutls_rnd(GNUTLS_RND_KEY, to, size)) std::abort();
}

std::span<const std::uint8_t> bytes_of(std::string_view s) {
  return {reinterpret_cast<const std::uint8_t *>(s.data()), s.size()};
}

} // namespace

void fill_random(std::span<std::uint8_t> to) {
  if (gnutls_rnd(GNUTLS_RND_KEY, to.data(), to.size()))
    fail(Error::Kind::io, "this machine gives no random numbers");
}

P256Key P256Key::make() {
  std::array<std::uint8_t, secret_size> secret{};
  do fill_random(secret);
  while (!Scalar(secret).good());
  return P256Key(secret);
}

P256Key::P256Key(std::span<const std::uint8_t> secret) {
  if (secret.size() != secret_size) fail(Error::Kind::bad_data, secret.size(), " bytes are no key of P-256");
  const Scalar scalar(secret);
  if (!scalar.good()) fail(Error::Kind::bad_data, "these bytes are no key of P-256");
  std::copy(secret.begin(), secret.end(), secret_.begin());
  CurvePoint p;
  ecc_point_mul_g(p.get(), scalar.get());
  constexpr char uncompressed = 4;
  point_.assign(point_size, uncompressed);
  auto *to = reinterpret_cast<std::uint8_t *>(point_.data()) + 1;
  p.put(to, to + coordinate);
}

std::string P256Key::agree(std::string_view other) const {
  constexpr char uncompressed = 4;
  if (other.size() != point_size || other[0] != uncompressed)
    fail(Error::Kind::bad_data, "a public key of P-256 has 65 bytes and begins with 4");
  Integer x(bytes_of(other.substr(1, coordinate))), y(bytes_of(other.substr(1 + coordinate)));
  CurvePoint theirs, both;
  if (ecc_point_set(theirs.get(), x.get(), y.get()) != 1)
    fail(Error::Kind::bad_data, "the public key is no point of the curve P-256");
  const Scalar mine(secret_);
  ecc_point_mul(both.get(), mine.get(), theirs.get());
  std::string out(coordinate, '\0');
  both.put(reinterpret_cast<std::uint8_t *>(out.data()), nullptr);
  return out;
}

std::string P256Key::sign(std::string_view message) const {
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_ctx hash;
  sha256_init(&hash);
  sha256_update(&hash, message.size(), bytes_of(message).data());
  sha256_digest(&hash, sizeof digest, digest);
  const Scalar key(secret_);
  dsa_signature s;
  dsa_signature_init(&s);
  ecdsa_sign(key.get(), nullptr, random_of_nettle, sizeof digest, digest, &s);
  std::string out(2 * coordinate, '\0');
  auto *to = reinterpret_cast<std::uint8_t *>(out.data());
  nettle_mpz_get_str_256(coordinate, to, s.r);
  nettle_mpz_get_str_256(coordinate, to + coordinate, s.s);
  dsa_signature_clear(&s);
  return out;
}

} // namespace vigil::monitor
