// SPDX-License-Identifier: LGPL-2.1-or-later
// Who may do what. Pure functions and a table of tokens.
//
// From loopback everything is allowed without a token, and a page that another site has opened is kept out by
// the checks of Host and Origin. From elsewhere a token is needed: as a cookie after /api/login, or as
// Authorization: Bearer.
#pragma once

#include "server.h"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

enum class Role { none, view, admin };

class Tokens {
 public:
  // A file of two lines, "admin TOKEN" and "view TOKEN"; made, mode 0600, when it is not there. An empty
  // name: no tokens, loopback alone gets in. Throws Error::bad_setting, Error::io or Error::write.
  // `port` is the server's: cookies do not tell ports apart (RFC 6265, 8.5), so that without it in the name
  // two servers on one host would sign each other's users out.
  explicit Tokens(const std::string &file, int port = 0);
  Role role(std::string_view token) const; // in a time that does not depend on the token
  const std::string &cookie_name() const { return cookie_name_; }

  // A try to log in failed; false when there were so many during the last minute that none is looked at.
  bool may_try(double now);
  void failed(double now);

 private:
  std::string admin_, view_;
  std::string cookie_name_;
  std::mutex lock_;
  std::vector<double> failures_;
};

Role role_of(const Request &, const Tokens &);

// Empty when the request comes from this server's own page or from no page; else what is wrong. `hosts` are
// names that are allowed beside addresses and localhost.
std::string wrong_site(const Request &, const std::vector<std::string> &hosts);

std::optional<std::string> cookie(const Request &, std::string_view name);

// "bytes=0-99" of a file of `size` bytes to first and length; false: not satisfiable. Without or with another
// kind of Range: the whole.
struct ByteRange {
  std::uint64_t from = 0, length = 0;
  bool partial = false;
};
std::optional<ByteRange> parse_range(const std::string &header, std::uint64_t size);

} // namespace vigil::monitor
