// SPDX-License-Identifier: LGPL-2.1-or-later
// Which RTSP requests are answered: as those of HTTP are, by a token, a user's password, or because they come
// from this machine. Knows no GStreamer. On any thread.
//
//   Authorization: Basic NAME:PASSWORD   a user; with the name "token", the password is a token
//   Authorization: Bearer TOKEN
#pragma once

#include "../http/access.h"

#include <mutex>
#include <string>

namespace vigil::monitor {

// One connection of a client, whose requests come one after another.
class RtspVisitor {
 public:
  // `client`: its address in numbers. `loopback`: the server listens on loopback alone.
  RtspVisitor(Access &, const std::string &client, bool loopback);

  enum class Answer { yes, who_are_you, too_many, no_camera };
  // `authorization`: the request's header; empty: it has none. `camera`: whose stream it is about.
  Answer ask(const std::string &authorization, const std::string &camera);
  // Whether who was let in may still do the same; true for those who were not.
  bool is_current();
  bool known();       // somebody was let in
  std::string name(); // of the user or the token; empty: nobody was let in

 private:
  // With the lock held:
  bool sign_in(const std::string &authorization, bool &too_many);
  bool same_rights(); // of who was let in, as at that time
  Access &access_;
  Request request_;
  std::mutex lock_;
  std::string authorization_; // of the last one that was right
  bool known_ = false;
  Visitor visitor_;
};

} // namespace vigil::monitor
