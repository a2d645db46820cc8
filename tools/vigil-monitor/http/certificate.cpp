// SPDX-License-Identifier: LGPL-2.1-or-later
#include "certificate.h"

#include "common/error.h"
#include "common/file.h"
#include "common/guarded.h"

#include <array>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <mutex>
#include <utility>
#include <vector>

namespace vigil::monitor {

struct Certificate::Parts {
  std::array<gnutls_pcert_st, 16> chain{};
  unsigned length = 0;
  gnutls_privkey_t key = nullptr;
  ~Parts() {
    for (unsigned i = 0; i < length; i++) gnutls_pcert_deinit(&chain[i]);
    if (key) gnutls_privkey_deinit(key);
  }
};

namespace {

std::vector<std::uint8_t> pem(const std::string &file, const char *what) {
  constexpr std::size_t largest = 1 << 20;
  auto bytes = read_plain_file(file, what, 0, [&](auto) { return largest; });
  if (bytes.empty()) fail(Error::Kind::bad_data, what, " ", file, " is empty; write it again (PEM)");
  return bytes;
}

gnutls_datum_t datum(std::vector<std::uint8_t> &bytes) {
  return {bytes.data(), static_cast<unsigned>(bytes.size())};
}

struct InUse {
  std::mutex lock;
  std::vector<std::shared_ptr<const Certificate>> all; // the last one is asked for
};
InUse &in_use() {
  static InUse certificates;
  return certificates;
}

int question(gnutls_session_t, const gnutls_datum_t *, int, const gnutls_pk_algorithm_t *, int,
             gnutls_pcert_st **chain, unsigned *length, gnutls_privkey_t *key) {
  const std::lock_guard guard(in_use().lock);
  if (in_use().all.empty()) return -1;
  const Certificate::Parts &p = in_use().all.back()->parts();
  *chain = const_cast<gnutls_pcert_st *>(p.chain.data()); // GnuTLS only reads it
  *length = p.length;
  *key = p.key;
  return 0;
}

} // namespace

Certificate::Certificate(const std::string &certificate_file, const std::string &key_file)
    : parts_(std::make_unique<Parts>()) {
  auto certificate = pem(certificate_file, "the certificate"), key = pem(key_file, "the certificate's key");
  const auto good = [&](int status) {
    if (status < 0)
      fail(Error::Kind::bad_data, "the certificate ", certificate_file, " or its key ", key_file,
           " is refused: neither may be damaged, and they must belong together (PEM): ",
           gnutls_strerror(status));
  };
  const gnutls_datum_t c = datum(certificate), k = datum(key);
  gnutls_certificate_credentials_t both = nullptr;
  good(gnutls_certificate_allocate_credentials(&both));
  const int match = gnutls_certificate_set_x509_key_mem(both, &c, &k, GNUTLS_X509_FMT_PEM);
  gnutls_certificate_free_credentials(both);
  good(match);
  unsigned length = static_cast<unsigned>(parts_->chain.size());
  good(gnutls_pcert_list_import_x509_raw(parts_->chain.data(), &length, &c, GNUTLS_X509_FMT_PEM, 0));
  parts_->length = length;
  good(gnutls_privkey_init(&parts_->key));
  good(gnutls_privkey_import_x509_raw(parts_->key, &k, GNUTLS_X509_FMT_PEM, nullptr, 0));
}

Certificate::~Certificate() = default;

const char *Certificate::priorities() {
  return "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-AES-128-CBC:-AES-256-CBC:-CAMELLIA-128-CBC:"
         "-CAMELLIA-256-CBC:-3DES-CBC:-SHA1";
}

void use_certificate(std::shared_ptr<const Certificate> c) {
  const std::lock_guard guard(in_use().lock);
  in_use().all.push_back(std::move(c));
}

void *certificate_question() {
  return reinterpret_cast<void *>(guarded<question, -1>);
}

} // namespace vigil::monitor
