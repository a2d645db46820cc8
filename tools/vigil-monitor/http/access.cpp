// SPDX-License-Identifier: LGPL-2.1-or-later
#include "access.h"

#include "../camera/utc.h"

#include <cstdio>

namespace vigil::monitor {

Access::Access(Tokens &tokens, Role local, int port, bool tls)
    : tokens_(tokens), local_(local), name_("vigil_session_" + std::to_string(port)), tls_(tls) {}

std::string Access::cookie_name(const Request &r) const {
  return (tls_ || r.header("x-forwarded-proto") == "https" ? "__Host-" : "") + name_;
}

std::string Access::set_cookie(const Request &r, const std::string &value, double seconds) const {
  const std::string name = cookie_name(r);
  char age[32];
  std::snprintf(age, sizeof age, "%.0f", seconds);
  return name + "=" + value + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + age +
         (name == name_ ? "" : "; Secure");
}

Visitor Access::visitor(const Request &r) {
  Visitor v;
  const auto is = [&](const Token &t) {
    v.role = t.role;
    v.name = t.name;
  };
  if (const auto given = bearer(r)) {
    if (const auto t = tokens_.find(*given))
      is(*t);
    else
      v.wrong = true;
  } else if (const auto id = cookie(r, cookie_name(r))) {
    if (const auto t = sessions_.find(*id, Utc::monotonic_seconds())) {
      is(*t);
      v.session = *id;
    } else {
      v.wrong = v.old_session = true;
    }
  }
  if (v.role == Role::none && r.loopback && local_ != Role::none && !is_forwarded(r)) {
    v.role = local_;
    v.name = "local";
  }
  return v;
}

std::optional<Access::SignedIn> Access::sign_in(const std::string &token, const Request &r) {
  const auto t = tokens_.find(token);
  if (!t) return std::nullopt;
  return SignedIn{*t, set_cookie(r, sessions_.begin(*t, Utc::monotonic_seconds()), Sessions::longest)};
}

std::string Access::sign_out(const Request &r) {
  if (const auto id = cookie(r, cookie_name(r))) sessions_.end(*id);
  return set_cookie(r, "", 0);
}

void Access::use(std::vector<Token> tokens) {
  tokens_.use(tokens);
  sessions_.keep_only(tokens);
}

} // namespace vigil::monitor
