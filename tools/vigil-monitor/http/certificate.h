// SPDX-License-Identifier: LGPL-2.1-or-later
// The certificate of the server, which may be read again while it runs.
#pragma once

#include <memory>
#include <string>

namespace vigil::monitor {

class Certificate {
 public:
  // PEM files. Throws Error::io, and Error::bad_data when one is empty or damaged or they do not belong
  // together.
  Certificate(const std::string &certificate_file, const std::string &key_file);
  ~Certificate();
  Certificate(const Certificate &) = delete;
  Certificate &operator=(const Certificate &) = delete;

  struct Parts; // of GnuTLS
  const Parts &parts() const { return *parts_; }

  // TLS 1.2 and newer, with forward secrecy and authenticated encryption alone.
  static const char *priorities();

 private:
  std::unique_ptr<Parts> parts_;
};

// New connections use it; one certificate for the process, since libmicrohttpd's question names no server.
// Those of before stay in memory: connections may still hold them.
void use_certificate(std::shared_ptr<const Certificate>);
void *certificate_question(); // for MHD_OPTION_HTTPS_CERT_CALLBACK

} // namespace vigil::monitor
