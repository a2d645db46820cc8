// SPDX-License-Identifier: LGPL-2.1-or-later
#include "access.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../export/sha256.h"
#include "../passwords.h"
#include "common/error.h"
#include "http_util.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace vigil::monitor {

Access::Access(Tokens &tokens, Users &users, Sessions &sessions, Role local, int port, bool tls)
    : tokens_(tokens), users_(users), sessions_(sessions), local_(local),
      name_("vigil_session_" + std::to_string(port)), tls_(tls), rights_(rights()) {}

std::map<std::int64_t, Access::Rights> Access::rights() const {
  std::map<std::int64_t, Rights> out;
  for (const auto &u : users_.all()) out[u->id] = {u->role, users_.cameras_of(*u), u->password_version};
  return out;
}

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

std::string Visitor::owner() const {
  return user ? marks_of_user(user) : credential.empty() ? "local" : "token:" + name;
}

namespace {

std::string token_proof(const Token &t) {
  Sha256 hash;
  hash.add("push device of " + t.text);
  return hash.hex();
}

} // namespace

std::optional<VisibleCameras> Access::cameras_of(const std::string &owner,
                                                 const std::string &credential) const {
  constexpr std::string_view of_user = "user:";
  if (owner == "local") return local_ == Role::none ? std::nullopt : std::optional(VisibleCameras());
  if (!owner.starts_with(of_user))
    return tokens_.find_where([&](const Token &t) { return token_proof(t) == credential; })
               ? std::optional(VisibleCameras())
               : std::nullopt;
  const auto user = users_.find(std::strtoll(owner.c_str() + of_user.size(), nullptr, 10));
  if (!user || std::to_string(user->password_version) != credential) return std::nullopt;
  return users_.cameras_of(*user);
}

Visitor Access::visitor(const Request &r) {
  Visitor v;
  v.as_of = as_of_; // first: a change while this looks is one after it
  const auto is = [&](const Token &t) {
    v.role = t.role;
    v.name = t.name;
    v.credential = token_proof(t);
  };
  if (const auto given = bearer(r)) {
    if (const auto t = tokens_.find(*given))
      is(*t);
    else
      v.wrong = true;
  } else if (const auto word = cookie(r, cookie_name(r))) {
    const auto found = sessions_.find(*word, Utc::system_seconds());
    const auto user = found && !found->token ? users_.find(found->session.user) : nullptr;
    if (found && found->token) {
      is(*found->token);
    } else if (user && user->password_version == found->session.password_version) {
      is_user(v, *user);
    } else {
      v.wrong = v.old_session = true;
    }
    if (!v.wrong) v.session = found->session.id;
  }
  // A token or a session is judged alone: one that is dead makes nobody local.
  if (v.role == Role::none && !v.wrong && is_local(r)) {
    v.role = local_;
    v.name = "local";
  }
  return v;
}

bool Access::is_local(const Request &r) const {
  return r.loopback && local_ != Role::none && !is_forwarded(r);
}

void Access::is_user(Visitor &v, const StoredUser &user) const {
  v.role = role_of_user(user.role);
  v.name = user.name;
  v.user = user.id;
  v.credential = std::to_string(user.password_version);
  v.cameras = users_.cameras_of(user);
}

Visitor Access::visitor_of(const StoredUser &found) const {
  Visitor v;
  v.as_of = as_of_; // first, as above
  const auto user = users_.find(found.id);
  if (user && user->password_version == found.password_version) is_user(v, *user);
  return v;
}

bool Access::is_current(const Visitor &v, const Request &r) {
  if (v.as_of == as_of_) return true;
  const Visitor now = visitor(r);
  return now.role == v.role && now.session == v.session && now.user == v.user && now.cameras == v.cameras;
}

std::optional<Access::SignedIn> Access::sign_in(const std::string &token, const Request &r) {
  const auto t = tokens_.find(token);
  if (!t) return std::nullopt;
  const std::string word = sessions_.begin(*t, {r.client, r.header("user-agent")}, Utc::system_seconds());
  return SignedIn{t->role, t->name, set_cookie(r, word, Sessions::longest)};
}

std::shared_ptr<const StoredUser> Access::check_password(const std::string &name, const std::string &password,
                                                         const Request &r, Failures::Verdict &verdict) {
  if (!have_passwords()) refuse(501, no_passwords);
  constexpr std::size_t longest = 256;
  if (password.size() > longest) refuse(400, "a password has at most 256 characters");
  const std::string low = is_name(name) ? user_name(name) : "";
  const Turns::Turn turn(turns_, r.network);
  if (!turn) refuse(429, "too many sign in at once; try it again in some seconds");
  const double now = Utc::monotonic_seconds();
  const auto user = users_.named(low);
  // Guesses of others must not lock a user out of an address where that user is signed in.
  const bool known = user && sessions_.is_known(user->id, r.client, Utc::system_seconds());
  if (wrong_passwords_.too_many(r.network, now) || (!known && wrong_of_name_.too_many(low, now)))
    refuse(429, "too many wrong passwords; wait some minutes");
  // A name that is none takes the same time.
  const bool right = user ? is_password(user->password, password) : (password_hash(password), false);
  if (right) return user;
  verdict = wrong_passwords_.count(r.network, now);
  wrong_of_name_.count(low, now);
  return nullptr;
}

Access::SignedIn Access::begin_session(const StoredUser &user, const Request &r) {
  const std::string word = sessions_.begin(user, {r.client, r.header("user-agent")}, Utc::system_seconds());
  return {role_of_user(user.role), user.name, set_cookie(r, word, Sessions::longest)};
}

std::string Access::sign_out(const Request &r) {
  if (const auto word = cookie(r, cookie_name(r)))
    if (const auto found = sessions_.find(*word, Utc::system_seconds())) end_session(found->session.id);
  return no_cookie(r);
}

std::string Access::no_cookie(const Request &r) const {
  return set_cookie(r, "", 0);
}

bool Access::end_session(const std::string &id) {
  const auto tell = [&] {
    as_of_++;
    on_end(id);
  };
  try {
    const bool was_there = sessions_.end(id);
    tell();
    return was_there;
  } catch (...) {
    tell();
    throw;
  }
}

void Access::users_changed() {
  as_of_++;
  std::map<std::int64_t, Rights> now, before;
  {
    const std::lock_guard guard(rights_lock_);
    now = rights();
    before.swap(rights_);
    rights_ = now;
  }
  const auto changed = [&](std::int64_t user) {
    const auto a = before.find(user), b = now.find(user);
    return b == now.end() || (a != before.end() && a->second != b->second);
  };
  std::vector<std::string> over = sessions_.end_where([&](const Sessions::Found &f) {
    if (!f.session.user) return false;
    const auto user = now.find(f.session.user);
    return user == now.end() || user->second.password_version != f.session.password_version;
  });
  for (const StoredSession &s : sessions_.all(Utc::system_seconds()))
    if (s.user && changed(s.user)) over.push_back(s.id);
  for (const std::string &id : over) on_end(id);
}

void Access::look_again() {
  if (users_.look_again()) users_changed();
}

void Access::use(const std::vector<Token> &tokens) {
  tokens_.use(tokens);
  const auto over = sessions_.end_where([&](const Sessions::Found &f) {
    return f.token && std::find(tokens.begin(), tokens.end(), *f.token) == tokens.end();
  });
  as_of_++;
  for (const std::string &id : over) on_end(id);
}

void Access::use_roles(RoleCameras roles) {
  users_.use_roles(std::move(roles));
  users_changed();
}

} // namespace vigil::monitor
