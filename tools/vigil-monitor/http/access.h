// SPDX-License-Identifier: LGPL-2.1-or-later
// Who a request is from: by a token, a session, or because it comes from this machine.
#pragma once

#include "../visible_cameras.h"
#include "auth.h"
#include "failures.h"
#include "sessions.h"
#include "turns.h"
#include "users.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct Visitor {
  Role role = Role::none;
  std::string name;         // of the user or the token, or "local"
  std::string session;      // the id of its session; empty: none
  bool wrong = false;       // gave a token or a session that is none
  bool old_session = false; // the wrong one was a cookie
  std::int64_t user = 0;    // 0: a token, or this machine
  std::string credential;   // changes with the password, or is a hash of the token
  VisibleCameras cameras;
  std::uint64_t as_of = 0; // see Access::is_current()
  // Whose devices of push messages are this visitor's: user:ID, token:NAME or local.
  std::string owner() const;
  // Whose marks of seen events are this visitor's.
  std::string marks() const { return user ? marks_of_user(user) : name; }
};

class Access {
 public:
  // `local`: the role of requests from this machine that no proxy forwarded. `port` is the server's: cookies
  // do not tell ports apart (RFC 6265, 8.5), so that without it in the name two servers on one host would
  // sign each other's users out. By TLS the name begins with __Host-, which ties the cookie to this host (RFC
  // 6265bis).
  Access(Tokens &, Users &, Sessions &, Role local, int port, bool tls);
  Visitor visitor(const Request &);
  // What the owner of a device may see now; nothing once the password or token is another one, or the user is
  // gone.
  std::optional<VisibleCameras> cameras_of(const std::string &owner, const std::string &credential) const;
  // Whether the visitor of this request may still do the same as when it was looked at.
  bool is_current(const Visitor &, const Request &);

  struct SignedIn {
    Role role = Role::none;
    std::string name, set_cookie; // the header
  };
  // A session by this token. Nothing: the token is wrong.
  std::optional<SignedIn> sign_in(const std::string &token, const Request &);
  // The user of this name, if this is the password. Nothing: one of them is wrong; nobody learns which, by
  // the answer or its time. Throws HttpError 429 after too many wrong ones.
  std::shared_ptr<const StoredUser> check_password(const std::string &name, const std::string &password,
                                                   const Request &, Failures::Verdict &);
  // Who this user is, whose password was right; without a role if that has changed since.
  Visitor visitor_of(const StoredUser &) const;
  SignedIn begin_session(const StoredUser &, const Request &);
  std::string sign_out(const Request &);        // the header Set-Cookie
  std::string no_cookie(const Request &) const; // the header that takes the cookie from the browser
  // Without a token or a session this request has the role of this machine.
  bool is_local(const Request &) const;

  // After a change of users or roles: sessions of passwords of before end, and so do answers that are on
  // their way to users who may see less or more than before.
  void users_changed();
  void look_again();                    // for users that another program has changed
  void use(const std::vector<Token> &); // tokens that were read again; sessions of others end
  void use_roles(RoleCameras);
  bool end_session(const std::string &id); // throws as Sessions::end() does

  Users &users() { return users_; }
  const Sessions &sessions() const { return sessions_; }
  std::uint64_t failed() const { return failures.total() + wrong_passwords_.total(); }

  // What is being sent to this session ends. Called without a lock, on any thread.
  std::function<void(const std::string &session)> on_end = [](const std::string &) {};
  Failures failures; // wrong tokens

 private:
  struct Rights {
    std::string role;
    VisibleCameras cameras;
    std::int64_t password_version = 0;
    bool operator==(const Rights &) const = default;
  };
  std::map<std::int64_t, Rights> rights() const;
  void is_user(Visitor &, const StoredUser &) const;
  std::string cookie_name(const Request &) const;
  std::string set_cookie(const Request &, const std::string &value, double seconds) const;
  Tokens &tokens_;
  Users &users_;
  Sessions &sessions_;
  const Role local_;
  const std::string name_;
  const bool tls_;
  static constexpr double longest_watch = 600; // seconds in which wrong passwords of one name count
  Failures wrong_passwords_, wrong_of_name_{longest_watch};
  Turns turns_;
  std::atomic<std::uint64_t> as_of_ = 0; // grows with each change of what anybody may do
  std::mutex rights_lock_;
  std::map<std::int64_t, Rights> rights_; // of users, as answers that are on their way were begun
};

} // namespace vigil::monitor
