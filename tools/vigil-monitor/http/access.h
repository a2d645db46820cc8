// SPDX-License-Identifier: LGPL-2.1-or-later
// Who a request is from: by a token, a session, or because it comes from this machine.
#pragma once

#include "auth.h"
#include "failures.h"
#include "sessions.h"

#include <optional>

namespace vigil::monitor {

struct Visitor {
  Role role = Role::none;
  std::string name;         // of the token, or "local"
  std::string session;      // its id; empty: none
  bool wrong = false;       // gave a token or a session that is none
  bool old_session = false; // the wrong one was a cookie
};

class Access {
 public:
  // `local`: the role of requests from this machine that no proxy forwarded. `port` is the server's: cookies
  // do not tell ports apart (RFC 6265, 8.5), so that without it in the name two servers on one host would
  // sign each other's users out. By TLS the name begins with __Host-, which ties the cookie to this host (RFC
  // 6265bis).
  Access(Tokens &tokens, Role local, int port, bool tls);
  Visitor visitor(const Request &);

  // A session for whoever gives this token: the header Set-Cookie. Nothing: the token is wrong.
  struct SignedIn {
    Token token;
    std::string set_cookie;
  };
  std::optional<SignedIn> sign_in(const std::string &token, const Request &);
  std::string sign_out(const Request &); // the header Set-Cookie

  void use(std::vector<Token>); // tokens that were read again; sessions of others end
  Failures failures;

 private:
  std::string cookie_name(const Request &) const;
  std::string set_cookie(const Request &, const std::string &value, double seconds) const;
  Tokens &tokens_;
  Sessions sessions_;
  const Role local_;
  const std::string name_;
  const bool tls_;
};

} // namespace vigil::monitor
