// SPDX-License-Identifier: LGPL-2.1-or-later
#include "web_offer.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

std::string type_of_body(const Request &r) {
  const std::string type = r.header("content-type");
  std::string word = type.substr(0, type.find_first_of("; "));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

} // namespace

void need_offer(const Request &r) {
  if (type_of_body(r) != "application/sdp")
    refuse(415, "expected an offer of WebRTC: the body as SDP, with Content-Type: application/sdp");
}

void need_candidates(const Request &r) {
  if (type_of_body(r) != "application/trickle-ice-sdpfrag")
    refuse(415, "expected candidates, with Content-Type: application/trickle-ice-sdpfrag");
}

bool is_on_this_machine(const Request &r) {
  return r.loopback || r.network.starts_with("127.") || r.client == "::1";
}

Request without_body(const Request &r) {
  Request out = r;
  out.body.clear();
  return out;
}

// The address is the one that the last proxy names, or else the connection's.
std::string candidate_of(const Request &r) {
  const std::string forwarded = r.header("x-forwarded-for");
  const std::string address = forwarded.empty() ? r.client : forwarded.substr(forwarded.rfind(',') + 1);
  return "a=candidate:0 1 udp 1 " + address + " 9 typ host";
}

Response offer_answered(const std::string &sdp, const std::string &place) {
  Response out;
  out.status = 201;
  out.type = "application/sdp";
  out.body = sdp;
  out.headers["Location"] = place;
  return out;
}

Response offer_refused(const WebRefused &e) {
  Response out = error_response(e.status, e.what);
  if (e.status == 429 || e.status == 503) out.headers["Retry-After"] = "5";
  return out;
}

Response candidates_taken() {
  Response out;
  out.status = 204;
  return out;
}

} // namespace vigil::monitor
