// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rtsp_access.h"

#include "../camera/utc.h"
#include "../http/http_util.h"
#include "../notify/p256.h"
#include "../passwords.h"
#include "common/error.h"

#include <algorithm>
#include <strings.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t longest_header = 1024;

// What follows "Basic " or "Bearer ", in any case; empty: it is another kind.
std::string after(const std::string &header, const std::string &kind) {
  if (header.size() <= kind.size() || strncasecmp(header.c_str(), kind.c_str(), kind.size()) != 0) return "";
  return header.substr(header.find_first_not_of(' ', kind.size()));
}

std::string decoded(std::string base64) {
  std::replace(base64.begin(), base64.end(), '+', '-');
  std::replace(base64.begin(), base64.end(), '/', '_');
  try {
    return from_base64url(base64);
  } catch (const Error &) { // it is no base64
    return "";
  }
}

} // namespace

RtspVisitor::RtspVisitor(Access &access, const std::string &client, bool loopback) : access_(access) {
  const ClientAddress from = client_address(client);
  request_.client = from.address;
  request_.network = from.network;
  request_.loopback = loopback && from.this_machine;
}

bool RtspVisitor::sign_in(const std::string &authorization, bool &too_many) {
  std::string token = after(authorization, "Bearer "), name, password;
  if (const std::string pair = decoded(after(authorization, "Basic ")); !pair.empty()) {
    const std::size_t colon = pair.find(':');
    name = pair.substr(0, colon);
    if (colon != pair.npos) password = pair.substr(colon + 1);
    if (name == "token") token = std::move(password);
  }
  request_.headers.clear();
  if (!token.empty()) request_.headers["authorization"] = "Bearer " + token;
  const double now = Utc::monotonic_seconds();
  if (!token.empty() || authorization.empty()) {
    visitor_ = access_.visitor(request_);
    if (visitor_.wrong) too_many = access_.failures.count(request_.network, now).too_many;
    return visitor_.role != Role::none && !visitor_.wrong;
  }
  Failures::Verdict verdict;
  try {
    const auto user = access_.check_password(name, password, request_, verdict);
    if (!user) return false;
    visitor_ = access_.visitor_of(*user);
    return visitor_.role != Role::none;
  } catch (const HttpError &e) {
    constexpr int too_many_requests = 429;
    too_many = e.status == too_many_requests;
    return false;
  }
}

RtspVisitor::Answer RtspVisitor::ask(const std::string &authorization, const std::string &camera) {
  const std::lock_guard guard(lock_);
  if (authorization.size() > longest_header) return Answer::who_are_you;
  // A client sends the same words with each request: a password's hash takes long.
  if (!known_ || authorization != authorization_ || !same_rights()) {
    bool too_many = false;
    known_ = sign_in(authorization, too_many);
    if (!known_) {
      visitor_ = {};
      return too_many ? Answer::too_many : Answer::who_are_you;
    }
    authorization_ = authorization;
  }
  return visitor_.cameras.has(camera) ? Answer::yes : Answer::no_camera;
}

bool RtspVisitor::is_current() {
  const std::lock_guard guard(lock_);
  return !known_ || same_rights();
}

bool RtspVisitor::same_rights() {
  if (access_.is_current(visitor_, request_)) return true;
  if (!visitor_.user) return false;
  const auto now = access_.cameras_of(visitor_.owner(), visitor_.credential);
  return now && *now == visitor_.cameras;
}

bool RtspVisitor::known() {
  const std::lock_guard guard(lock_);
  return known_;
}

std::string RtspVisitor::name() {
  const std::lock_guard guard(lock_);
  return known_ ? visitor_.name : "";
}

} // namespace vigil::monitor
